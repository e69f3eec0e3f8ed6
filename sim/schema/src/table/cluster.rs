//! Cells of the core group without pods.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{age, list, number, or_else, selectors, since, text};

pub(super) fn node(object: &Value, now: Timestamp) -> Vec<Value> {
    let info = |field: &str| text(object, &format!("/status/nodeInfo/{field}")).to_owned();
    let mut kernel = or_else(&info("kernelVersion"), "<unknown>").to_owned();
    let architecture = info("architecture");
    if !architecture.is_empty() {
        kernel = format!("{kernel} ({architecture})");
    }
    vec![
        json!(text(object, "/metadata/name")),
        json!(node_status(object)),
        json!(node_roles(object)),
        json!(age(object, now)),
        json!(info("kubeletVersion")),
        json!(node_address(object, "InternalIP")),
        json!(node_address(object, "ExternalIP")),
        json!(or_else(&info("osImage"), "<unknown>")),
        json!(kernel),
        json!(or_else(&info("containerRuntimeVersion"), "<unknown>")),
    ]
}

fn node_status(object: &Value) -> String {
    // The last condition of a type wins, as in a Go map that is filled in order.
    let ready = list(object, "/status/conditions")
        .iter()
        .rfind(|condition| condition["type"] == "Ready");
    let ready = match ready {
        None => "Unknown",
        Some(condition) if condition["status"] == "True" => "Ready",
        Some(_) => "NotReady",
    };
    if object["spec"]["unschedulable"] == true {
        format!("{ready},SchedulingDisabled")
    } else {
        ready.to_owned()
    }
}

fn node_roles(object: &Value) -> String {
    let labels = object["metadata"]["labels"].as_object();
    let roles: BTreeSet<&str> = labels
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| match key.as_str() {
            "kubernetes.io/role" => value.as_str(),
            key => key.strip_prefix("node-role.kubernetes.io/"),
        })
        .filter(|role| !role.is_empty())
        .collect();
    if roles.is_empty() {
        return "<none>".to_owned();
    }
    roles.into_iter().collect::<Vec<_>>().join(",")
}

fn node_address<'a>(object: &'a Value, kind: &str) -> &'a str {
    let address = list(object, "/status/addresses")
        .iter()
        .find(|address| address["type"] == kind);
    address.map_or("<none>", |address| text(address, "/address"))
}

/// Events of both groups: they are one storage with two spellings.
pub(super) fn event(object: &Value, now: Timestamp) -> Vec<Value> {
    let either = |core: &'static str, events: &'static str| {
        if object.pointer(core).is_some_and(|value| !value.is_null()) {
            core
        } else {
            events
        }
    };
    let first_pointer = either("/firstTimestamp", "/deprecatedFirstTimestamp");
    let first = match text(object, first_pointer) {
        "" => since(object, "/eventTime", now),
        _ => since(object, first_pointer, now),
    };
    let last_pointer = either("/lastTimestamp", "/deprecatedLastTimestamp");
    let mut last = match text(object, last_pointer) {
        "" => first.clone(),
        _ => since(object, last_pointer, now),
    };
    let mut count = number(object, either("/count", "/deprecatedCount")).max(1);
    if object["series"].is_object() {
        last = since(object, "/series/lastObservedTime", now);
        count = number(object, "/series/count");
    }
    let about = &object[if object["involvedObject"].is_object() {
        "involvedObject"
    } else {
        "regarding"
    }];
    vec![
        json!(last),
        json!(text(object, "/type")),
        json!(text(object, "/reason")),
        json!(event_object(about)),
        json!(text(about, "/fieldPath")),
        json!(event_source(object)),
        json!(text(object, either("/message", "/note")).trim()),
        json!(first),
        json!(count),
        json!(text(object, "/metadata/name")),
    ]
}

fn event_object(about: &Value) -> String {
    let (kind, name) = (text(about, "/kind").to_lowercase(), text(about, "/name"));
    if name.is_empty() {
        kind
    } else {
        format!("{kind}/{name}")
    }
}

fn event_source(object: &Value) -> String {
    let source = &object[if object["source"].is_object() {
        "source"
    } else {
        "deprecatedSource"
    }];
    let controller = or_else(
        text(object, "/reportingComponent"),
        text(object, "/reportingController"),
    );
    let component = or_else(text(source, "/component"), controller);
    match or_else(text(source, "/host"), text(object, "/reportingInstance")) {
        "" => component.to_owned(),
        host => format!("{component}, {host}"),
    }
}

pub(super) fn service(object: &Value, now: Timestamp) -> Vec<Value> {
    let ports: Vec<String> = list(object, "/spec/ports")
        .iter()
        .map(service_port)
        .collect();
    let address = list(object, "/spec/clusterIPs")
        .first()
        .and_then(Value::as_str)
        .unwrap_or("<none>");
    vec![
        json!(text(object, "/metadata/name")),
        json!(text(object, "/spec/type")),
        json!(address),
        json!(service_external_address(object)),
        json!(or_else(&ports.join(","), "<none>")),
        json!(age(object, now)),
        json!(selectors::labels(&object["spec"]["selector"])),
    ]
}

fn service_port(port: &Value) -> String {
    let (number, protocol) = (number(port, "/port"), text(port, "/protocol"));
    match super::number(port, "/nodePort") {
        0 => format!("{number}/{protocol}"),
        node_port => format!("{number}:{node_port}/{protocol}"),
    }
}

fn service_external_address(object: &Value) -> String {
    let external = list(object, "/spec/externalIPs")
        .iter()
        .filter_map(Value::as_str);
    let balancer: BTreeSet<&str> = list(object, "/status/loadBalancer/ingress")
        .iter()
        .map(|ingress| or_else(text(ingress, "/ip"), text(ingress, "/hostname")))
        .filter(|address| !address.is_empty())
        .collect();
    let (addresses, none): (Vec<&str>, &str) = match text(object, "/spec/type") {
        "ClusterIP" | "NodePort" => (external.collect(), "<none>"),
        "LoadBalancer" => (balancer.into_iter().chain(external).collect(), "<pending>"),
        "ExternalName" => (vec![text(object, "/spec/externalName")], ""),
        _ => (Vec::new(), "<unknown>"),
    };
    or_else(&addresses.join(","), none).to_owned()
}
