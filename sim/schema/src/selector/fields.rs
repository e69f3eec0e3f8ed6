//! Which fields of which kind can be selected, and the text of each in an object
//! (`AddFieldLabelConversionFunc` in `pkg/apis`, `ToSelectableFields` in `pkg/registry`).

use std::borrow::Cow;

use serde_json::Value;

use crate::ResourceType;

const NAMESPACED: &[&str] = &["metadata.name", "metadata.namespace"];
const CLUSTER: &[&str] = &["metadata.name"];
const PODS: &[&str] = &[
    "spec.nodeName",
    "spec.host",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
];
const EVENTS: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];
const NEW_EVENTS: &[&str] = &[
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reason",
    "reportingController",
    "type",
];

/// The fields of a resource that can be selected: those of every object, and its own.
fn selectable(resource: &ResourceType) -> (&'static [&'static str], &'static [&'static str]) {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Pod") => (NAMESPACED, PODS),
        ("", "Node") => (CLUSTER, &["spec.unschedulable"]),
        ("", "Namespace") => (CLUSTER, &["status.phase"]),
        ("", "Secret") => (NAMESPACED, &["type"]),
        ("", "Service") => (NAMESPACED, &["spec.clusterIP", "spec.type"]),
        ("", "ReplicationController") => (NAMESPACED, &["status.replicas"]),
        ("", "Event") => (NAMESPACED, EVENTS),
        ("events.k8s.io", "Event") => (NAMESPACED, NEW_EVENTS),
        ("batch", "Job") => (NAMESPACED, &["status.successful"]),
        ("resource.k8s.io", "ResourceSlice") => {
            (CLUSTER, &["spec.nodeName", "spec.driver", "spec.pool.name"])
        }
        _ => (NAMESPACED, &[]),
    }
}

/// Checks a field's name for a resource.
pub(super) fn check(resource: &ResourceType, field: &str) -> Result<(), String> {
    let (common, own) = selectable(resource);
    if common.contains(&field) || own.contains(&field) {
        return Ok(());
    }
    Err(match (resource.group.as_str(), resource.kind.as_str()) {
        ("batch", "Job") => format!("field label {field:?} not supported for Job"),
        ("resource.k8s.io", "ResourceSlice") => {
            let (api_version, kind) = (resource.api_version(), &resource.kind);
            format!("field label not supported for {api_version}, Kind={kind}: {field}")
        }
        _ if own.is_empty() => format!(
            "{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ),
        _ => format!("field label not supported: {field}"),
    })
}

/// The text of a field in an object; empty when it is not there.
pub(super) fn value<'a>(object: &'a Value, field: &str) -> Cow<'a, str> {
    let path = match field {
        "spec.host" => "spec.nodeName",
        "status.successful" => "status.succeeded",
        field => field,
    };
    let found = path.split('.').fold(object, |value, part| &value[part]);
    match (field, found) {
        (_, Value::String(text)) => Cow::Borrowed(text),
        (_, Value::Bool(value)) => Cow::Owned(value.to_string()),
        (_, Value::Number(number)) => Cow::Owned(number.to_string()),
        ("source", source) => event_source(object, source),
        ("status.podIP" | "status.podIPs", _) => Cow::Borrowed(
            object["status"]["podIPs"][0]["ip"]
                .as_str()
                .unwrap_or_default(),
        ),
        ("spec.hostNetwork" | "spec.unschedulable", _) => Cow::Borrowed("false"),
        ("status.successful" | "status.replicas", _) => Cow::Borrowed("0"),
        _ => Cow::Borrowed(""),
    }
}

/// An event's source is its component, or the controller that reports it.
fn event_source<'a>(object: &'a Value, source: &'a Value) -> Cow<'a, str> {
    let component = source["component"].as_str().unwrap_or_default();
    let reporting = object["reportingComponent"].as_str().unwrap_or_default();
    Cow::Borrowed(if component.is_empty() {
        reporting
    } else {
        component
    })
}
