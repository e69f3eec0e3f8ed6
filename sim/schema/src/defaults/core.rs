//! Defaults of the core group without pods (`pkg/apis/core/v1/defaults.go`).

use serde_json::{Map, Value, json};

use super::{Object, child, items, set, text};

pub(super) fn rules(name: &str, object: &mut Object) {
    match name {
        "v1.Namespace" => namespace(object),
        "v1.NamespaceStatus" => set(object, "phase", "Active"),
        "v1.NodeStatus" => {
            if let Some(capacity) = object.get("capacity").cloned() {
                set(object, "allocatable", capacity);
            }
        }
        "v1.Secret" => set(object, "type", "Opaque"),
        "v1.Service" => service(object),
        "v1.PersistentVolumeStatus" | "v1.PersistentVolumeClaimStatus" => {
            set(object, "phase", "Pending");
        }
        "v1.PersistentVolumeSpec" => {
            set(object, "persistentVolumeReclaimPolicy", "Retain");
            set(object, "volumeMode", "Filesystem");
        }
        "v1.PersistentVolumeClaimSpec" => set(object, "volumeMode", "Filesystem"),
        "v1.EndpointPort" => set(object, "protocol", "TCP"),
        "v1.LimitRangeItem" => limit_range_item(object),
        "v1.ReplicationController" => replication_controller(object),
        _ => {}
    }
}

/// Every namespace carries its name as a label.
fn namespace(object: &mut Object) {
    let name = object
        .get("metadata")
        .and_then(|metadata| metadata["name"].as_str());
    let Some(name) = name.filter(|name| !name.is_empty()).map(str::to_owned) else {
        return;
    };
    if let Some(labels) = child(object, "metadata").and_then(|metadata| child(metadata, "labels")) {
        labels.insert("kubernetes.io/metadata.name".to_owned(), json!(name));
    }
}

fn service(object: &mut Object) {
    let Some(spec) = child(object, "spec") else {
        return;
    };
    set(spec, "sessionAffinity", "None");
    match text(spec, "sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => {
            let config = spec.get("sessionAffinityConfig");
            if config.is_none_or(|config| config["clientIP"]["timeoutSeconds"].is_null()) {
                let config = json!({ "clientIP": { "timeoutSeconds": 10800 } });
                spec.insert("sessionAffinityConfig".to_owned(), config);
            }
        }
        _ => {}
    }
    set(spec, "type", "ClusterIP");
    for port in items(spec, "ports") {
        set(port, "protocol", "TCP");
        if port
            .get("targetPort")
            .is_none_or(|target| *target == json!(0) || *target == json!(""))
        {
            let number = port.get("port").cloned().unwrap_or(json!(0));
            port.insert("targetPort".to_owned(), number);
        }
    }
    let kind = text(spec, "type").to_owned();
    let has_external = spec
        .get("externalIPs")
        .and_then(Value::as_array)
        .is_some_and(|list| !list.is_empty());
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") || (kind == "ClusterIP" && has_external)
    {
        set(spec, "externalTrafficPolicy", "Cluster");
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        set(spec, "internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        set(spec, "allocateLoadBalancerNodePorts", true);
    }
}

fn limit_range_item(object: &mut Object) {
    if text(object, "type") != "Container" {
        return;
    }
    for (from, to) in [
        ("max", "default"),
        ("default", "defaultRequest"),
        ("min", "defaultRequest"),
    ] {
        let amounts = object
            .get(from)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_else(Map::new);
        if let Some(target) = child(object, to) {
            for (resource, amount) in amounts {
                target.entry(resource).or_insert(amount);
            }
        }
    }
}

fn replication_controller(object: &mut Object) {
    let labels = object
        .get("spec")
        .map(|spec| &spec["template"]["metadata"]["labels"]);
    let Some(labels) = labels.filter(|labels| labels.is_object()).cloned() else {
        return;
    };
    if let Some(spec) = child(object, "spec") {
        set(spec, "selector", labels.clone());
    }
    if let Some(metadata) = child(object, "metadata") {
        set(metadata, "labels", labels);
    }
}
