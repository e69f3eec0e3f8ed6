//! `metadata`. The markers on it are of alpha level, so that only hand-written
//! checks show.
//!
//! Source: `apimachinery/pkg/api/validation/objectmeta.go`,
//! `apimachinery/pkg/apis/meta/v1/validation`, `kubernetes/pkg/apis/core/validation`.

use serde_json::Value;

use super::findings::Findings;
use super::shape;
use super::view;
use crate::field::{BadValue, FieldError, FieldPath};
use crate::names;

const ANNOTATIONS_MAX_SIZE: usize = 256 * 1024;
const MANAGER_MAX_LENGTH: usize = 128;
const SUBRESOURCE_MAX_LENGTH: usize = 256;
const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", ORPHAN, FOREGROUND];
pub(super) const IMMUTABLE: &str = "field is immutable";
pub(super) const NEGATIVE: &str = "must be greater than or equal to 0";

/// How the name of a kind is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// By hand.
    Subdomain,
    /// By hand and by marker.
    LongName,
}

/// `metadata` of any object, as for a new one.
pub(super) fn object(object: &Value, namespaced: bool, naming: Naming, out: &mut Findings) {
    let meta = view::part(object, "metadata");
    let path = FieldPath::new("metadata");
    name(meta, naming, &path, out);
    namespace(meta, namespaced, &path, out);
    generation(meta, &path, out);
    labels(meta, &path, out);
    annotations(meta, &path, out);
    owners(meta, &path, out);
    finalizers(meta, &path, out);
    managed_fields(meta, &path, out);
    kube_finalizers(meta, &path, out);
}

/// `metadata` of an object that replaces another.
pub(super) fn object_update(new: &Value, old: &Value, out: &mut Findings) {
    let (meta, old) = (view::part(new, "metadata"), view::part(old, "metadata"));
    let path = FieldPath::new("metadata");
    no_new_finalizers(meta, old, &path, out);
    if view::text(meta, "resourceVersion").is_empty() {
        let path = path.child("resourceVersion");
        out.add(FieldError::invalid(
            &path,
            "",
            "must be specified for an update",
        ));
    }
    generation(meta, &path, out);
    let number = view::number(meta, "generation");
    if number < view::number(old, "generation") {
        out.add(FieldError::invalid(
            &path.child("generation"),
            number,
            "must not be decremented",
        ));
    }
    for field in [
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ] {
        let value = view::part(meta, field);
        if *value != *view::part(old, field) {
            let shown = match value {
                Value::Null if matches!(field, "name" | "namespace" | "uid") => BadValue::from(""),
                value => BadValue::json(value),
            };
            out.add(FieldError::invalid(&path.child(field), shown, IMMUTABLE));
        }
    }
    labels(meta, &path, out);
    annotations(meta, &path, out);
    owners(meta, &path, out);
    managed_fields(meta, &path, out);
    kube_finalizers(meta, &path, out);
}

/// `metadata` in a template: labels and annotations, and nothing else.
pub(super) fn template(meta: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    annotations(meta, path, out);
    labels(meta, path, out);
    for field in [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "ownerReferences",
        "finalizers",
        "managedFields",
    ] {
        let is_zero = match view::part(meta, field) {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Number(number) => {
                number.as_i64() == Some(0) && field != "deletionGracePeriodSeconds"
            }
            _ => false,
        };
        if !is_zero {
            // The Go fields are called so, only with another first letter.
            let shown = if field == "uid" { "uID" } else { field };
            out.add(FieldError::forbidden(&path.child(shown), "cannot be set"));
        }
    }
}

fn name(meta: &Value, naming: Naming, path: &FieldPath<'_>, out: &mut Findings) {
    let (name, prefix) = (view::text(meta, "name"), view::text(meta, "generateName"));
    if !prefix.is_empty() {
        if naming == Naming::Subdomain {
            let masked = masked(prefix);
            for problem in names::validate_subdomain_name(&masked) {
                out.add(FieldError::invalid(
                    &path.child("generateName"),
                    prefix,
                    problem,
                ));
            }
        } else if name.is_empty() {
            let quoted = crate::field::go_quote(prefix);
            let text = format!("generateName was specified ({quoted}), but no name was generated");
            out.add(FieldError::internal(&path.child("name"), &text));
        }
    }
    let path = path.child("name");
    if name.is_empty() {
        out.add(FieldError::required(
            &path,
            "name or generateName is required",
        ));
        return;
    }
    match naming {
        Naming::Subdomain => {
            for problem in names::validate_subdomain_name(name) {
                out.add(FieldError::invalid(&path, name, problem));
            }
        }
        Naming::LongName => {
            for problem in names::validate_dns1123_subdomain(name) {
                out.covered(
                    "format=k8s-long-name",
                    FieldError::invalid(&path, name, problem),
                );
            }
        }
    }
}

/// A prefix may end with a dash.
fn masked(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut rest = rest.to_owned();
            rest.pop();
            rest.push('a');
            rest
        }
        _ => prefix.to_owned(),
    }
}

fn namespace(meta: &Value, namespaced: bool, path: &FieldPath<'_>, out: &mut Findings) {
    let (path, namespace) = (path.child("namespace"), view::text(meta, "namespace"));
    match (namespaced, namespace) {
        (true, "") => out.add(FieldError::required(&path, "")),
        (true, namespace) => {
            for problem in names::validate_label_name(namespace) {
                out.add(FieldError::invalid(&path, namespace, problem));
            }
        }
        (false, "") => {}
        (false, _) => out.add(FieldError::forbidden(&path, "not allowed on this type")),
    }
}

fn generation(meta: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let generation = view::number(meta, "generation");
    if generation < 0 {
        out.add(FieldError::invalid(
            &path.child("generation"),
            generation,
            NEGATIVE,
        ));
    }
}

fn labels(meta: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("labels");
    for (key, value) in view::entries(meta, "labels") {
        for problem in names::validate_qualified_name(key) {
            out.add(FieldError::invalid(&path, key, problem));
        }
        let value = value.as_str().unwrap_or_default();
        for problem in names::validate_label_value(value) {
            out.add(FieldError::invalid(&path, value, problem));
        }
    }
}

fn annotations(meta: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("annotations");
    let mut size = 0;
    for (key, value) in view::entries(meta, "annotations") {
        size += key.len() + value.as_str().map_or(0, str::len);
        for problem in names::validate_qualified_name(&key.to_lowercase()) {
            out.add(FieldError::invalid(&path, key, problem));
        }
    }
    if size > ANNOTATIONS_MAX_SIZE {
        out.add(FieldError::too_long(&path, ANNOTATIONS_MAX_SIZE));
    }
}

fn owners(meta: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("ownerReferences");
    let owners = view::list(meta, "ownerReferences");
    let mut first_controller: Option<String> = None;
    for (index, owner) in owners.iter().enumerate() {
        self::owner(owner, &path.index(index), out);
        if view::flag(owner, "controller") != Some(true) {
            continue;
        }
        let controller = format!(
            "{}/{}",
            view::text(owner, "kind"),
            view::text(owner, "name")
        );
        if let Some(first) = &first_controller {
            let owners = view::part(meta, "ownerReferences");
            out.add(FieldError::invalid(
                &path,
                shape::wire_json(&shape::OWNER_REFERENCES, owners),
                format!("Only one reference can have Controller set to true. Found \"true\" in references for {first} and {controller}"),
            ));
        } else {
            first_controller = Some(controller);
        }
    }
}

fn owner(owner: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let version = view::text(owner, "apiVersion");
    let (group, bare) = version.split_once('/').unwrap_or(("", version));
    if version.is_empty() {
        out.add(FieldError::required(
            &path.child("apiVersion"),
            "must not be empty",
        ));
    } else if bare.is_empty() || bare.contains('/') {
        let path = path.child("apiVersion");
        out.add(FieldError::invalid(
            &path,
            version,
            "must be <group>/<version> or <version>",
        ));
    }
    for field in ["kind", "name", "uid"] {
        if view::text(owner, field).is_empty() {
            out.add(FieldError::required(
                &path.child(field),
                "must not be empty",
            ));
        }
    }
    if group.is_empty() && bare == "v1" && view::text(owner, "kind") == "Event" {
        out.add(FieldError::invalid(
            path,
            shape::wire_json(&shape::OWNER_REFERENCE, owner),
            "/v1, Kind=Event is disallowed from being an owner",
        ));
    }
}

fn finalizers(meta: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("finalizers");
    let finalizers = view::texts(meta, "finalizers");
    for finalizer in finalizers.clone() {
        for problem in names::validate_qualified_name(finalizer) {
            out.add(FieldError::invalid(&path, finalizer, problem));
        }
    }
    let has = |wanted| finalizers.clone().any(|finalizer| finalizer == wanted);
    if has(ORPHAN) && has(FOREGROUND) {
        out.add(FieldError::invalid(
            &path,
            BadValue::json(view::part(meta, "finalizers")),
            format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set"),
        ));
    }
}

fn kube_finalizers(meta: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("finalizers");
    for (index, finalizer) in view::texts(meta, "finalizers").enumerate() {
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
            let text = "name is neither a standard finalizer name nor is it fully qualified";
            out.add(FieldError::invalid(&path.index(index), finalizer, text));
        }
    }
}

fn no_new_finalizers(meta: &Value, old: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    if view::present(old, "deletionTimestamp").is_none() {
        return;
    }
    let is_new =
        |finalizer: &&str| !view::texts(old, "finalizers").any(|known| known == *finalizer);
    let mut added: Vec<&str> = view::texts(meta, "finalizers").filter(is_new).collect();
    added.sort_unstable();
    added.dedup();
    if added.is_empty() {
        return;
    }
    let added: Vec<String> = added.into_iter().map(crate::field::go_quote).collect();
    out.add(FieldError::forbidden(
        &path.child("finalizers"),
        format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            added.join(", ")
        ),
    ));
}

fn managed_fields(meta: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("managedFields");
    for (index, entry) in view::list(meta, "managedFields").iter().enumerate() {
        let path = path.index(index);
        match view::text(entry, "operation") {
            "" => out.add(FieldError::required(
                &path.child("operation"),
                "must not be empty",
            )),
            "Apply" | "Update" => {}
            other => out.add(FieldError::not_supported(
                &path.child("operation"),
                BadValue::json(&other),
                &["Apply", "Update"],
            )),
        }
        let kind = view::text(entry, "fieldsType");
        if !kind.is_empty() && kind != "FieldsV1" {
            out.add(FieldError::invalid(
                &path.child("fieldsType"),
                kind,
                "must be `FieldsV1`",
            ));
        }
        if view::text(entry, "manager").len() > MANAGER_MAX_LENGTH {
            out.add(FieldError::too_long(
                &path.child("manager"),
                MANAGER_MAX_LENGTH,
            ));
        }
        if view::text(entry, "subresource").len() > SUBRESOURCE_MAX_LENGTH {
            out.add(FieldError::too_long(
                &path.child("subresource"),
                SUBRESOURCE_MAX_LENGTH,
            ));
        }
    }
}
