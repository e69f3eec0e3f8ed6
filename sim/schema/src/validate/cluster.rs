//! Nodes and config maps (`pkg/apis/core/validation`).

use std::collections::BTreeSet;

use drakit_api::{FieldError, FieldPath, field::BadValue, names};
use serde_json::Value;

use super::rules::{Errors, list, named, one_of, text};

/// Taints of a node; Kubernetes names the path `metadata.taints`.
pub(super) fn taints(spec: &Value, errors: &mut Errors) {
    let metadata = FieldPath::new("metadata");
    let path = metadata.child("taints");
    let mut seen = BTreeSet::new();
    for (index, taint) in list(spec, "taints").iter().enumerate() {
        let path = path.index(index);
        let (key, value, effect) = (
            text(taint, "key"),
            text(taint, "value"),
            text(taint, "effect"),
        );
        named(
            key,
            names::validate_qualified_name,
            &path.child("key"),
            errors,
        );
        let problems = names::validate_label_value(value);
        if !problems.is_empty() {
            errors.push(FieldError::invalid(
                &path.child("value"),
                value,
                problems.join(";"),
            ));
        }
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        one_of(effect, &effects, true, &path.child("effect"), errors);
        if !seen.insert((key, effect)) {
            let [key, value, effect] = [key, value, effect].map(Value::from);
            let shown = format!(
                "{{\"Key\":{key},\"Value\":{value},\"Effect\":{effect},\"TimeAdded\":{}}}",
                taint["timeAdded"]
            );
            let mut error = FieldError::duplicate(&path, BadValue::Plain(shown));
            "taints must be unique by key and effect pair".clone_into(&mut error.detail);
            errors.push(error);
        }
    }
}

/// Keys of a config map.
pub(super) fn config_map(object: &Value, errors: &mut Errors) {
    let binary = object["binaryData"].as_object();
    for (field, other) in [("data", binary), ("binaryData", None)] {
        let path = FieldPath::new(field);
        for key in object[field]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, _)| key.as_str())
        {
            named(key, config_key, &path.key(key), errors);
            if other.is_some_and(|other| other.contains_key(key)) {
                let detail = "duplicate of key present in binaryData";
                errors.push(FieldError::invalid(&path.key(key), key, detail));
            }
        }
    }
}

/// `IsConfigMapKey`
fn config_key(key: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if key.len() > 253 {
        problems.push("must be no more than 253 characters".to_owned());
    }
    let allowed = |next: char| next.is_ascii_alphanumeric() || matches!(next, '-' | '_' | '.');
    if key.is_empty() || !key.chars().all(allowed) {
        problems.push(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
             'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
                .to_owned(),
        );
    }
    if key == "." || key == ".." {
        problems.push(format!("must not be '{key}'"));
    } else if key.starts_with("..") {
        problems.push("must not start with '..'".to_owned());
    }
    problems
}
