//! Pods and pod templates (`ValidatePodSpec`, `ValidatePodUpdate`).

use std::collections::BTreeSet;

use drakit_api::{FieldError, FieldPath, names};
use serde_json::Value;

use super::{
    claims, containers,
    rules::{Errors, list, named, one_of, optional_name, required_label, text},
    tolerations,
};

/// `spec` of a pod or template.
pub(super) fn spec(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let volumes = volumes(spec, path, errors);
    claims::of_pod(spec, path, errors);
    containers::all(spec, &volumes, path, errors);
    let restart = ["Always", "OnFailure", "Never"];
    one_of(
        text(spec, "restartPolicy"),
        &restart,
        true,
        &path.child("restartPolicy"),
        errors,
    );
    let dns = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    one_of(
        text(spec, "dnsPolicy"),
        &dns,
        true,
        &path.child("dnsPolicy"),
        errors,
    );
    node_selector(spec, path, errors);
    for field in ["serviceAccountName", "nodeName"] {
        optional_name(spec, field, names::validate_dns1123_subdomain, path, errors);
    }
    deadline(spec, path, errors);
    for field in ["hostname", "subdomain"] {
        optional_name(spec, field, names::validate_dns1123_label, path, errors);
    }
    tolerations::all(spec, path, errors);
    for field in ["priorityClassName", "runtimeClassName"] {
        optional_name(spec, field, names::validate_dns1123_subdomain, path, errors);
    }
}

fn deadline(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    if let Some(seconds) = spec["activeDeadlineSeconds"]
        .as_i64()
        .filter(|seconds| *seconds < 1)
    {
        let detail = "must be between 1 and 2147483647, inclusive";
        errors.push(FieldError::invalid(
            &path.child("activeDeadlineSeconds"),
            seconds,
            detail,
        ));
    }
}

fn volumes<'a>(spec: &'a Value, path: &FieldPath<'_>, errors: &mut Errors) -> BTreeSet<&'a str> {
    let path = path.child("volumes");
    let mut known = BTreeSet::new();
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        let path = path.index(index);
        let before = errors.len();
        required_label(volume, &path, errors);
        let name = text(volume, "name");
        if errors.len() == before && !known.insert(name) {
            errors.push(FieldError::duplicate(&path.child("name"), name));
        }
    }
    known
}

fn node_selector(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("nodeSelector");
    for (key, value) in spec["nodeSelector"].as_object().into_iter().flatten() {
        named(key, names::validate_qualified_name, &path, errors);
        named(
            value.as_str().unwrap_or_default(),
            names::validate_label_value,
            &path,
            errors,
        );
    }
}

/// What a change of a pod may touch.
pub(super) fn spec_update(new: &Value, old: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    for field in ["containers", "initContainers"] {
        if list(new, field).len() != list(old, field).len() {
            let detail = "pod updates may not add or remove containers";
            errors.push(FieldError::forbidden(&path.child(field), detail));
            return;
        }
    }
    let gates: BTreeSet<&str> = list(old, "schedulingGates")
        .iter()
        .map(|gate| text(gate, "name"))
        .collect();
    let gates_path = path.child("schedulingGates");
    for gate in list(new, "schedulingGates")
        .iter()
        .filter(|gate| !gates.contains(text(gate, "name")))
    {
        let detail = "only deletion is allowed, but found new scheduling gate '".to_owned();
        errors.push(FieldError::forbidden(
            &gates_path,
            detail + text(gate, "name") + "'",
        ));
    }
    if without_mutable(new) != without_mutable(old) {
        // Kubernetes adds a diff of its Go structs.
        let detail = "pod updates may not change fields other than `spec.containers[*].image`,\
                      `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
                      `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
        errors.push(FieldError::forbidden(path, detail));
    }
}

/// A pod's spec without what may change: images, the deadline, tolerations, scheduling gates,
/// and, while it is gated, where it may go.
fn without_mutable(spec: &Value) -> Value {
    let mut rest = spec.clone();
    for field in ["containers", "initContainers"] {
        let containers = rest.get_mut(field).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            if let Some(container) = container.as_object_mut() {
                container.remove("image");
            }
        }
    }
    if let Some(rest) = rest.as_object_mut() {
        let gated = rest.contains_key("schedulingGates");
        for field in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
            rest.remove(field);
        }
        if gated {
            rest.remove("nodeSelector");
            rest.remove("affinity");
        }
    }
    rest
}
