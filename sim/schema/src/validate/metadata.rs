//! `metadata` of any object (apimachinery `pkg/api/validation/objectmeta.go`).
//!
//! A missing name is not reported: the endpoint does that, since it may generate one.

use std::collections::BTreeSet;

use drakit_api::{FieldError, FieldPath, field::BadValue, names};
use serde_json::Value;

use super::rules::{Errors, list, named, text};
use crate::ResourceType;

const ANNOTATIONS_MAX_BYTES: usize = 256 * 1024;
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// A new object's metadata.
pub(super) fn create(resource: &ResourceType, object: &Value, errors: &mut Errors) {
    let (meta, path) = (&object["metadata"], FieldPath::new("metadata"));
    let rule = name_rule(resource);
    let prefix = text(meta, "generateName");
    if !prefix.is_empty() {
        let problems = rule(&masked(prefix));
        let path = path.child("generateName");
        errors.extend(
            problems
                .into_iter()
                .map(|problem| FieldError::invalid(&path, prefix, problem)),
        );
    }
    let name = text(meta, "name");
    if !name.is_empty() {
        named(name, rule, &path.child("name"), errors);
    }
    let namespace = text(meta, "namespace");
    if resource.namespaced {
        named(
            namespace,
            names::validate_dns1123_label,
            &path.child("namespace"),
            errors,
        );
    }
    shared(meta, &path, errors);
}

/// The metadata of an object that replaces another; what a client cannot change, the endpoint
/// has put back.
pub(super) fn update(new: &Value, old: &Value, errors: &mut Errors) {
    let (meta, old, path) = (
        &new["metadata"],
        &old["metadata"],
        FieldPath::new("metadata"),
    );
    if !old["deletionTimestamp"].is_null() {
        let known: BTreeSet<&str> = list(old, "finalizers")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let added: BTreeSet<&str> = list(meta, "finalizers")
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| !known.contains(name))
            .collect();
        if !added.is_empty() {
            let added: Vec<String> = added.into_iter().map(|name| format!("{name:?}")).collect();
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            errors.push(FieldError::forbidden(&path.child("finalizers"), detail));
        }
    }
    shared(meta, &path, errors);
}

/// Labels and annotations, of an object or of a template.
pub(super) fn labels_and_annotations(meta: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let labels = path.child("labels");
    for (key, value) in meta["labels"].as_object().into_iter().flatten() {
        named(key, names::validate_qualified_name, &labels, errors);
        named(
            value.as_str().unwrap_or_default(),
            names::validate_label_value,
            &labels,
            errors,
        );
    }
    let annotations = path.child("annotations");
    let mut size = 0;
    for (key, value) in meta["annotations"].as_object().into_iter().flatten() {
        size += key.len() + value.as_str().map_or(0, str::len);
        let problems = names::validate_qualified_name(&key.to_lowercase());
        errors.extend(
            problems
                .into_iter()
                .map(|problem| FieldError::invalid(&annotations, key.as_str(), problem)),
        );
    }
    if size > ANNOTATIONS_MAX_BYTES {
        errors.push(FieldError::too_long(&annotations, ANNOTATIONS_MAX_BYTES));
    }
}

fn shared(meta: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    labels_and_annotations(meta, path, errors);
    owners(meta, path, errors);
    let path = path.child("finalizers");
    let finalizers = || list(meta, "finalizers").iter().filter_map(Value::as_str);
    for finalizer in finalizers() {
        named(finalizer, names::validate_qualified_name, &path, errors);
    }
    for (index, finalizer) in finalizers().enumerate() {
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid(&path.index(index), finalizer, detail));
        }
    }
}

fn owners(meta: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("ownerReferences");
    let mut controller: Option<String> = None;
    for (index, owner) in list(meta, "ownerReferences").iter().enumerate() {
        let path = path.index(index);
        let version = text(owner, "apiVersion");
        if version.matches('/').count() > 1 || version.ends_with('/') {
            let detail = "must be <group>/<version> or <version>";
            errors.push(FieldError::invalid(
                &path.child("apiVersion"),
                version,
                detail,
            ));
        }
        for field in ["apiVersion", "kind", "name", "uid"] {
            if text(owner, field).is_empty() {
                errors.push(FieldError::required(
                    &path.child(field),
                    "must not be empty",
                ));
            }
        }
    }
    for owner in list(meta, "ownerReferences")
        .iter()
        .filter(|owner| owner["controller"] == true)
    {
        let name = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
        if let Some(first) = &controller {
            let detail = format!(
                "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
            );
            errors.push(FieldError::invalid(
                &path,
                BadValue::json(&meta["ownerReferences"]),
                detail,
            ));
        } else {
            controller = Some(name);
        }
    }
}

/// The rule for names of a kind.
fn name_rule(resource: &ResourceType) -> fn(&str) -> Vec<String> {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Namespace") => names::validate_dns1123_label,
        ("rbac.authorization.k8s.io", _) => path_segment,
        _ => names::validate_dns1123_subdomain,
    }
}

/// `IsValidPathSegmentName`
fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    let bad = ['/', '%'].into_iter().filter(|bad| name.contains(*bad));
    bad.map(|bad| format!("may not contain '{bad}'")).collect()
}

/// A prefix may end with a dash.
fn masked(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut masked: String = rest.chars().take(rest.chars().count() - 1).collect();
            masked.push('a');
            masked
        }
        _ => prefix.to_owned(),
    }
}
