//! Tolerations of pods (`ValidateTolerations`).

use drakit_api::{FieldError, FieldPath, names};
use serde_json::Value;

use super::rules::{Errors, list, optional_name, text};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

pub(super) fn all(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("tolerations");
    for (index, toleration) in list(spec, "tolerations").iter().enumerate() {
        one(toleration, &path.index(index), errors);
    }
}

fn one(toleration: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
    let (value, effect) = (text(toleration, "value"), text(toleration, "effect"));
    let operator_path = path.child("operator");
    optional_name(
        toleration,
        "key",
        names::validate_qualified_name,
        path,
        errors,
    );
    if key.is_empty() && operator != "Exists" {
        let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        errors.push(FieldError::invalid(&operator_path, operator, detail));
    }
    if !toleration["tolerationSeconds"].is_null() && effect != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.push(FieldError::invalid(&path.child("effect"), effect, detail));
    }
    match operator {
        "" | "Equal" => {
            let problems = names::validate_label_value(value);
            if !problems.is_empty() {
                errors.push(FieldError::invalid(
                    &operator_path,
                    value,
                    problems.join(";"),
                ));
            }
        }
        "Exists" if !value.is_empty() => {
            let detail = "value must be empty when `operator` is 'Exists'";
            errors.push(FieldError::invalid(&operator_path, value, detail));
        }
        "Exists" => {}
        other => errors.push(FieldError::not_supported(
            &operator_path,
            other,
            &["Equal", "Exists"],
        )),
    }
    if !effect.is_empty() && !EFFECTS.contains(&effect) {
        errors.push(FieldError::not_supported(
            &path.child("effect"),
            effect,
            &EFFECTS,
        ));
    }
}
