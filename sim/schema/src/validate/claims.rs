//! Resource claims of pods (`validatePodResourceClaims`, `validateResourceClaimNames`).

use std::collections::BTreeSet;

use drakit_api::{FieldError, FieldPath, field::BadValue, names};
use serde_json::Value;

use super::rules::{Errors, list, named, optional_name, text};

/// The claims that a pod names.
pub(super) fn of_pod(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("resourceClaims");
    let mut seen = BTreeSet::new();
    for (index, claim) in list(spec, "resourceClaims").iter().enumerate() {
        let path = path.index(index);
        let name = text(claim, "name");
        let name_path = path.child("name");
        if name.is_empty() {
            errors.push(FieldError::required(&name_path, ""));
        } else if !seen.insert(name) {
            errors.push(FieldError::duplicate(&name_path, name));
        } else {
            named(name, names::validate_dns1123_label, &name_path, errors);
        }
        source(claim, &path, errors);
    }
}

fn source(claim: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let problem = match (
        &claim["resourceClaimName"],
        &claim["resourceClaimTemplateName"],
    ) {
        (Value::Null, Value::Null) => {
            "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        }
        (Value::String(_), Value::String(_)) => {
            "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        }
        _ => "",
    };
    if !problem.is_empty() {
        // Kubernetes shows its internal struct.
        let shown = format!(
            "{{\"Name\":{},\"ResourceClaimName\":{},\"ResourceClaimTemplateName\":{}}}",
            Value::from(text(claim, "name")),
            claim["resourceClaimName"],
            claim["resourceClaimTemplateName"]
        );
        errors.push(FieldError::invalid(path, BadValue::Plain(shown), problem));
    }
    for field in ["resourceClaimName", "resourceClaimTemplateName"] {
        optional_name(
            claim,
            field,
            names::validate_dns1123_subdomain,
            path,
            errors,
        );
    }
}

/// The names of a pod's claims.
pub(super) fn names_of_pod(spec: &Value) -> BTreeSet<&str> {
    list(spec, "resourceClaims")
        .iter()
        .map(|claim| text(claim, "name"))
        .filter(|name| !name.is_empty())
        .collect()
}

/// The claims that a container uses.
pub(super) fn of_container(
    resources: &Value,
    pod: &BTreeSet<&str>,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    let path = path.child("claims");
    // Name and request; an empty request is the whole claim.
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (index, claim) in list(resources, "claims").iter().enumerate() {
        let path = path.index(index);
        let (name, request) = (text(claim, "name"), text(claim, "request"));
        if name.is_empty() {
            errors.push(FieldError::required(&path, ""));
            continue;
        }
        if seen.contains(&(name, "")) {
            errors.push(FieldError::duplicate(&path, name));
        } else {
            optional_name(
                claim,
                "request",
                names::validate_dns1123_label,
                &path,
                errors,
            );
            if seen.contains(&(name, request)) {
                errors.push(FieldError::duplicate(
                    &path,
                    format!("{name}/{request}").as_str(),
                ));
            } else if request.is_empty() {
                let parts = seen.iter().filter(|(known, _)| *known == name);
                errors.extend(parts.map(|_| FieldError::duplicate(&path, name)));
            }
            seen.insert((name, request));
        }
        if !pod.contains(name) {
            errors.push(unknown(name, pod, &path));
        }
    }
}

fn unknown(name: &str, pod: &BTreeSet<&str>, path: &FieldPath<'_>) -> FieldError {
    let mut error = FieldError::not_found(path, name);
    "must be one of the names in pod.spec.resourceClaims".clone_into(&mut error.detail);
    if pod.is_empty() {
        error.detail.push_str(" which is empty");
    } else {
        let known: Vec<&str> = pod.iter().copied().collect();
        error.detail.push_str(": ");
        error.detail.push_str(&known.join(", "));
    }
    error
}
