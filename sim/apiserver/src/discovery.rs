//! Which groups, versions and resources there are, in both forms that clients ask for.

use serde_json::{Value, json};

use crate::catalogue::{Catalogue, Kind};

/// `GET /version` (`version.Info`).
pub(crate) fn version(git_version: &str) -> Value {
    let mut parts = git_version.trim_start_matches('v').split('.');
    let major = parts.next().unwrap_or_default();
    let minor = parts.next().unwrap_or_default();
    json!({
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": minor.parse::<u32>().map_or(String::new(), |m| m.saturating_sub(1).to_string()),
        "gitVersion": git_version,
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "",
        "platform": format!("{}/{}", std::env::consts::OS, platform()),
    })
}

/// The architecture in Go's words.
fn platform() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// `GET /api` (`APIVersions`).
pub(crate) fn core_versions(address: &str) -> Value {
    json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// `GET /apis` (`APIGroupList`).
pub(crate) fn groups(catalogue: &Catalogue) -> Value {
    let groups: Vec<Value> = catalogue
        .groups()
        .filter(|(group, _)| !group.is_empty())
        .map(|(group, versions)| group_json(group, &versions))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `GET /apis/<group>` (`APIGroup`).
pub(crate) fn group(catalogue: &Catalogue, name: &str) -> Option<Value> {
    let (_, versions) = catalogue
        .groups()
        .find(|(group, _)| *group == name && !group.is_empty())?;
    let mut answer = group_json(name, &versions);
    answer["kind"] = json!("APIGroup");
    answer["apiVersion"] = json!("v1");
    Some(answer)
}

fn group_json(group: &str, versions: &[&str]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|version| json!({"groupVersion": format!("{group}/{version}"), "version": version}))
        .collect();
    json!({"name": group, "preferredVersion": versions.first(), "versions": versions})
}

/// `GET /api/v1`, `GET /apis/<group>/<version>` (`APIResourceList`).
pub(crate) fn resources(catalogue: &Catalogue, group: &str, version: &str) -> Option<Value> {
    let kinds = catalogue.kinds(group, version)?;
    let resources: Vec<Value> = kinds
        .values()
        .flat_map(|kind| resource_and_subresources(kind))
        .collect();
    let group_version = if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    };
    Some(json!({
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version,
        "resources": resources,
    }))
}

fn resource_and_subresources(kind: &Kind) -> Vec<Value> {
    let schema = &kind.schema;
    let mut main = json!({
        "name": schema.plural,
        "singularName": schema.singular,
        "namespaced": schema.namespaced,
        "kind": schema.kind,
        "verbs": schema.verbs,
    });
    if !schema.short_names.is_empty() {
        main["shortNames"] = json!(schema.short_names);
    }
    if !schema.categories.is_empty() {
        main["categories"] = json!(schema.categories);
    }
    let subresources = schema.subresources.iter().map(|sub| {
        let mut answer = json!({
            "name": format!("{}/{}", schema.plural, sub.name),
            "singularName": "",
            "namespaced": schema.namespaced,
            "kind": sub.gvk.kind,
            "verbs": sub.verbs,
        });
        if sub.gvk.api_version() != kind.api_version {
            answer["group"] = json!(sub.gvk.group);
            answer["version"] = json!(sub.gvk.version);
        }
        answer
    });
    std::iter::once(main).chain(subresources).collect()
}

/// `GET /api` and `GET /apis` in the form of `apidiscovery.k8s.io/v2`.
pub(crate) fn aggregated(catalogue: &Catalogue, core: bool) -> Value {
    let items: Vec<Value> = catalogue
        .groups()
        .filter(|(group, _)| group.is_empty() == core)
        .map(|(group, versions)| aggregated_group(catalogue, group, &versions))
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    })
}

fn aggregated_group(catalogue: &Catalogue, group: &str, versions: &[&str]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|version| {
            let kinds = catalogue
                .kinds(group, version)
                .into_iter()
                .flat_map(|k| k.values());
            let resources: Vec<Value> = kinds.map(|kind| aggregated_resource(kind)).collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        })
        .collect();
    let metadata = if group.is_empty() {
        json!({})
    } else {
        json!({"name": group})
    };
    json!({"metadata": metadata, "versions": versions})
}

fn aggregated_resource(kind: &Kind) -> Value {
    let schema = &kind.schema;
    let mut answer = json!({
        "resource": schema.plural,
        "responseKind": {"group": schema.group, "version": schema.version, "kind": schema.kind},
        "scope": if schema.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": schema.singular,
        "verbs": schema.verbs,
    });
    if !schema.short_names.is_empty() {
        answer["shortNames"] = json!(schema.short_names);
    }
    if !schema.categories.is_empty() {
        answer["categories"] = json!(schema.categories);
    }
    if !schema.subresources.is_empty() {
        let subresources: Vec<Value> = schema
            .subresources
            .iter()
            .map(|sub| {
                json!({
                    "subresource": sub.name,
                    "responseKind": {"group": sub.gvk.group, "version": sub.gvk.version, "kind": sub.gvk.kind},
                    "verbs": sub.verbs,
                })
            })
            .collect();
        answer["subresources"] = json!(subresources);
    }
    answer
}
