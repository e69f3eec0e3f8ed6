//! Cells of resource.k8s.io.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{age, list, since, text};

pub(super) fn claim(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        json!(text(object, "/metadata/name")),
        json!(claim_state(object)),
        json!(age(object, now)),
    ]
}

fn claim_state(object: &Value) -> String {
    let deleted = !text(object, "/metadata/deletionTimestamp").is_empty();
    let allocated = object
        .pointer("/status/allocation")
        .is_some_and(Value::is_object);
    let reserved = !list(object, "/status/reservedFor").is_empty();
    let mut states = Vec::new();
    if deleted {
        states.push("deleted");
    }
    if allocated {
        states.push("allocated");
        if reserved {
            states.push("reserved");
        }
    } else if !deleted {
        states.push("pending");
    }
    states.join(",")
}

pub(super) fn slice(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        json!(text(object, "/metadata/name")),
        json!(text(object, "/spec/nodeName")),
        json!(text(object, "/spec/driver")),
        json!(text(object, "/spec/pool/name")),
        json!(age(object, now)),
    ]
}

pub(super) fn taint_rule(object: &Value, now: Timestamp) -> Vec<Value> {
    let added = match text(object, "/spec/taint/timeAdded") {
        "" => String::new(),
        _ => since(object, "/spec/taint/timeAdded", now),
    };
    vec![
        json!(text(object, "/metadata/name")),
        json!(text(object, "/spec/taint/key")),
        json!(text(object, "/spec/taint/value")),
        json!(text(object, "/spec/taint/effect")),
        json!(added),
        json!(age(object, now)),
    ]
}
