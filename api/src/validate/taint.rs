//! Taints, tolerations and binding conditions.

use std::collections::BTreeSet;

use serde_json::Value;

use super::findings::Findings;
use super::items::{self, Cover};
use super::view;
use crate::field::{BadValue, FieldError, FieldPath};
use crate::limits;
use crate::names::check;

pub(super) const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];
pub(super) const OPERATORS: [&str; 2] = ["Equal", "Exists"];

/// A taint. An effect that it had before is not checked again.
pub(super) fn taint(taint: &Value, old: Option<&Value>, path: &FieldPath<'_>, out: &mut Findings) {
    out.all(check::label_key(
        view::text(taint, "key"),
        &path.child("key"),
    ));
    let value = view::text(taint, "value");
    if !value.is_empty() {
        out.all(check::label_value(value, &path.child("value")));
    }
    let effect = view::text(taint, "effect");
    if old.is_some_and(|old| view::text(old, "effect") == effect) {
        return;
    }
    let path = path.child("effect");
    if effect.is_empty() {
        out.covered("", FieldError::required(&path, ""));
    } else {
        one_of(effect, &EFFECTS, &path, out);
    }
}

/// `tolerations` of a request or result.
pub(super) fn tolerations(object: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("tolerations");
    for (index, item) in view::list(object, "tolerations").iter().enumerate() {
        toleration(item, &path.index(index), out);
    }
}

fn toleration(toleration: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let key = view::text(toleration, "key");
    if !key.is_empty() {
        out.all_covered(
            "format=k8s-label-key",
            check::label_key(key, &path.child("key")),
        );
    }
    let value = view::text(toleration, "value");
    let at_value = path.child("value");
    match view::text(toleration, "operator") {
        "Exists" if value.is_empty() => {}
        "Exists" => {
            let text = "must be empty for operator `Exists`";
            out.add(FieldError::invalid(&at_value, value, text));
        }
        "Equal" => out.all(check::label_value(value, &at_value)),
        "" => out.covered("", FieldError::required(&path.child("operator"), "")),
        operator => one_of(operator, &OPERATORS, &path.child("operator"), out),
    }
    let effect = view::text(toleration, "effect");
    if !effect.is_empty() {
        one_of(effect, &EFFECTS, &path.child("effect"), out);
    }
}

fn one_of(value: &str, supported: &[&str], path: &FieldPath<'_>, out: &mut Findings) {
    if !supported.contains(&value) {
        let value = BadValue::json(&value);
        out.covered("", FieldError::not_supported(path, value, supported));
    }
}

/// `bindingConditions` and `bindingFailureConditions` of a device or result: both or
/// none, no repeats, nothing in both.
pub(super) fn binding_conditions(object: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let (success, failure) = ("bindingConditions", "bindingFailureConditions");
    let (at_success, at_failure) = (path.child(success), path.child(failure));
    let label = |item: &Value, path: &FieldPath<'_>, out: &mut Findings| {
        out.all(check::label_key(item.as_str().unwrap_or_default(), path));
    };
    let (good, bad) = (view::list(object, success), view::list(object, failure));
    let max = limits::BINDING_CONDITIONS_MAX_SIZE;
    items::each(good, max, &at_success, Cover::Size, out, label);
    let max = limits::BINDING_FAILURE_CONDITIONS_MAX_SIZE;
    items::each(bad, max, &at_failure, Cover::Size, out, label);

    let mut conditions = BTreeSet::new();
    for (index, condition) in view::texts(object, success).enumerate() {
        if !conditions.insert(condition) {
            out.add(FieldError::duplicate(&at_success.index(index), condition));
        }
    }
    let mut failures = BTreeSet::new();
    for (index, condition) in view::texts(object, failure).enumerate() {
        let path = at_failure.index(index);
        if !failures.insert(condition) {
            out.add(FieldError::duplicate(&path, condition));
        }
        if conditions.contains(condition) {
            let text = "bindingFailureConditions must not overlap with bindingConditions";
            out.add(FieldError::invalid(&path, condition, text));
        }
    }
    let missing = |path: &FieldPath<'_>, name: &str, text: &str| {
        FieldError::invalid(path, BadValue::json(view::part(object, name)), text)
    };
    if good.is_empty() && !bad.is_empty() {
        let text = "bindingConditions are required to use bindingFailureConditions";
        out.add(missing(&at_success, success, text));
    }
    if bad.is_empty() && !good.is_empty() {
        let text = "bindingFailureConditions are required to use bindingConditions";
        out.add(missing(&at_failure, failure, text));
    }
}

/// `skipNodeOperations` of a slice or result: no prepare skipped without unprepare.
pub(super) fn skip_node_operations(object: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let name = "skipNodeOperations";
    let has = |wanted: &str| view::texts(object, name).any(|operation| operation == wanted);
    if has("NodePrepareResources") && !has("NodeUnprepareResources") && !has("*") {
        out.add(FieldError::invalid(
            &path.child(name),
            BadValue::json(view::part(object, name)),
            "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped",
        ));
    }
}
