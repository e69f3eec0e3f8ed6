//! Requests and limits of containers (`ValidateContainerResourceRequirements`).

use std::collections::BTreeSet;

use drakit_api::{FieldError, FieldPath, Quantity, names};
use serde_json::{Map, Value};

use super::{
    claims,
    rules::{Errors, named},
};

/// `resources` of a container.
pub(super) fn container(
    resources: &Value,
    pod_claims: &BTreeSet<&str>,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    let empty = Map::new();
    let amounts = |field: &str| resources[field].as_object().unwrap_or(&empty).clone();
    let (limits, requests) = (amounts("limits"), amounts("requests"));
    let limits_path = path.child("limits");
    for (name, amount) in &limits {
        amount_of(name, amount, &limits_path, errors);
    }
    let requests_path = path.child("requests");
    for (name, amount) in &requests {
        amount_of(name, amount, &requests_path, errors);
        against_limit(name, amount, limits.get(name), path, errors);
    }
    claims::of_container(resources, pod_claims, path, errors);
}

fn amount_of(name: &str, amount: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.key(name);
    resource_name(name, &path, errors);
    let shown = amount.as_str().unwrap_or_default();
    let Ok(quantity) = shown.parse::<Quantity>() else {
        return;
    };
    if quantity.signum() < 0 {
        errors.push(FieldError::invalid(
            &path,
            shown,
            "must be greater than or equal to 0",
        ));
    }
    if !overcommits(name) && quantity.milli_value() % 1000 != 0 {
        errors.push(FieldError::invalid(&path, shown, "must be an integer"));
    }
}

fn resource_name(name: &str, path: &FieldPath<'_>, errors: &mut Errors) {
    named(name, names::validate_qualified_name, path, errors);
    if !name.contains('/') && !is_standard(name) {
        let problems = [
            "must be a standard resource type or fully qualified",
            "must be a standard resource for containers",
        ];
        errors.extend(problems.map(|problem| FieldError::invalid(path, name, problem)));
    }
}

fn is_standard(name: &str) -> bool {
    matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-")
}

/// Whether a request may be lower than the limit: extended resources and huge pages may not.
fn overcommits(name: &str) -> bool {
    let native = !name.contains('/') || name.contains("kubernetes.io/");
    native && !name.starts_with("hugepages-")
}

fn against_limit(
    name: &str,
    request: &Value,
    limit: Option<&Value>,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    let Some(limit) = limit.and_then(Value::as_str) else {
        if !overcommits(name) {
            let detail = "Limit must be set for non overcommitable resources";
            errors.push(FieldError::required(&path.child("limits"), detail));
        }
        return;
    };
    let shown = request.as_str().unwrap_or_default();
    let (Ok(request), Ok(bound)) = (shown.parse::<Quantity>(), limit.parse::<Quantity>()) else {
        return;
    };
    let path = path.child("requests");
    if !overcommits(name) && request != bound {
        let detail = format!("must be equal to {name} limit of {limit}");
        errors.push(FieldError::invalid(&path, shown, detail));
    } else if overcommits(name) && request > bound {
        let detail = format!("must be less than or equal to {name} limit of {limit}");
        errors.push(FieldError::invalid(&path, shown, detail));
    }
}
