//! What a URL path names.
//!
//! The rules of `k8s.io/apiserver/pkg/endpoints/request/requestinfo.go`.

use std::borrow::Cow;

use crate::text::percent_decode;

/// Subresources of a namespace; any other part after its name is a resource in it.
const NAMESPACE_SUBRESOURCES: [&str; 2] = ["status", "finalize"];

/// What a path is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    /// `/healthz`, `/livez`, `/readyz` and what is below them.
    Health,
    /// `/version`.
    Version,
    /// `/api`.
    CoreVersions,
    /// `/apis`.
    Groups,
    /// `/apis/<group>`.
    Group(&'a str),
    /// `/api/v1`, `/apis/<group>/<version>`.
    Resources { group: &'a str, version: &'a str },
    /// `/openapi/v3`.
    OpenApiIndex,
    /// `/openapi/v3/<path>`.
    OpenApiDocument(&'a str),
    /// Objects.
    Objects(Target<'a>),
    /// Nothing that is served.
    Unknown,
}

/// One object or collection, and perhaps a subresource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Target<'a> {
    /// Empty for core.
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    /// `None` for kinds without namespaces and for lists of all namespaces.
    pub(crate) namespace: Option<Cow<'a, str>>,
    /// `pods`.
    pub(crate) resource: &'a str,
    pub(crate) name: Option<Cow<'a, str>>,
    /// `status`, `log`.
    pub(crate) subresource: Option<&'a str>,
}

/// Reads a path.
pub(crate) fn parse(path: &str) -> Route<'_> {
    let trimmed = path.trim_matches('/');
    let parts: Vec<&str> = trimmed.split('/').collect();
    match parts.as_slice() {
        ["healthz" | "livez" | "readyz", ..] => Route::Health,
        ["version"] => Route::Version,
        ["api"] => Route::CoreVersions,
        ["apis"] => Route::Groups,
        ["apis", group] => Route::Group(group),
        ["api", version] => Route::Resources { group: "", version },
        ["apis", group, version] => Route::Resources { group, version },
        ["openapi", "v3"] => Route::OpenApiIndex,
        ["openapi", "v3", ..] => {
            Route::OpenApiDocument(trimmed.strip_prefix("openapi/v3/").unwrap_or_default())
        }
        ["api", version, rest @ ..] => objects("", version, rest),
        ["apis", group, version, rest @ ..] => objects(group, version, rest),
        _ => Route::Unknown,
    }
}

/// Whether what follows the name of a namespace leaves the namespace itself as the object.
fn is_about_namespace(rest: &[&str]) -> bool {
    match rest {
        [] => true,
        [one] => NAMESPACE_SUBRESOURCES.contains(one),
        _ => false,
    }
}

fn objects<'a>(group: &'a str, version: &'a str, parts: &[&'a str]) -> Route<'a> {
    let decode = |part: &'a str| percent_decode(part, false);
    let (namespace, rest) = match parts {
        ["namespaces", namespace, rest @ ..] if !is_about_namespace(rest) => {
            (Some(decode(namespace)), rest)
        }
        _ => (None, parts),
    };
    let (resource, name, subresource) = match rest {
        [resource] => (resource, None, None),
        [resource, name] => (resource, Some(decode(name)), None),
        [resource, name, subresource] => (resource, Some(decode(name)), Some(*subresource)),
        _ => return Route::Unknown,
    };
    if rest.iter().any(|part| part.is_empty()) || namespace.as_deref() == Some("") {
        return Route::Unknown;
    }
    Route::Objects(Target {
        group,
        version,
        namespace,
        resource,
        name,
        subresource,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str) -> Target<'_> {
        match parse(path) {
            Route::Objects(target) => target,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn a_path_names_group_version_namespace_resource_name_and_subresource() {
        assert_eq!(
            target("/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/c/status"),
            Target {
                group: "resource.k8s.io",
                version: "v1",
                namespace: Some("ns".into()),
                resource: "resourceclaims",
                name: Some("c".into()),
                subresource: Some("status"),
            }
        );
        assert_eq!(target("/api/v1/pods").namespace, None);
        assert_eq!(
            target("/api/v1/nodes/system%3An").name.as_deref(),
            Some("system:n")
        );
    }

    #[test]
    fn a_namespace_is_an_object_unless_a_resource_follows() {
        let one = target("/api/v1/namespaces/ns");
        assert_eq!(
            (one.resource, one.name.as_deref(), one.namespace),
            ("namespaces", Some("ns"), None)
        );
        let finalize = target("/api/v1/namespaces/ns/finalize");
        assert_eq!(
            (finalize.resource, finalize.subresource),
            ("namespaces", Some("finalize"))
        );
        let pods = target("/api/v1/namespaces/ns/pods");
        assert_eq!(
            (pods.resource, pods.namespace.as_deref()),
            ("pods", Some("ns"))
        );
    }

    #[test]
    fn discovery_and_documents_have_their_own_paths() {
        assert_eq!(
            parse("/api/v1"),
            Route::Resources {
                group: "",
                version: "v1"
            }
        );
        assert_eq!(parse("/apis/apps"), Route::Group("apps"));
        assert_eq!(
            parse("/openapi/v3/apis/apps/v1"),
            Route::OpenApiDocument("apis/apps/v1")
        );
        assert_eq!(parse("/readyz/ping"), Route::Health);
        assert_eq!(parse("/"), Route::Unknown);
        assert_eq!(parse("/api/v1//pods"), Route::Unknown);
    }
}
