//! One object's cells, by resource.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{age, cluster, devices, number, pods, text, workloads};
use crate::ResourceType;

/// The cells of one object, one for each of [`super::columns`].
pub fn cells(resource: &ResourceType, object: &Value, now: Timestamp) -> Vec<Value> {
    let name = text(object, "/metadata/name");
    let age = || age(object, now);
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Pod") => pods::pod(object, now),
        ("", "Node") => cluster::node(object, now),
        ("" | "events.k8s.io", "Event") => cluster::event(object, now),
        ("", "Namespace") => vec![
            json!(name),
            json!(text(object, "/status/phase")),
            json!(age()),
        ],
        ("", "Service") => cluster::service(object, now),
        ("", "Secret") => {
            vec![
                json!(name),
                json!(text(object, "/type")),
                json!(count(&object["data"])),
                json!(age()),
            ]
        }
        ("", "ConfigMap") => {
            let keys = count(&object["data"]) + count(&object["binaryData"]);
            vec![json!(name), json!(keys), json!(age())]
        }
        ("", "ServiceAccount") | ("resource.k8s.io", "DeviceClass" | "ResourceClaimTemplate") => {
            vec![json!(name), json!(age())]
        }
        ("apps", "ReplicaSet") => workloads::replica_set(object, now),
        ("apps", "Deployment") => workloads::deployment(object, now),
        ("apps", "DaemonSet") => workloads::daemon_set(object, now),
        ("apps", "StatefulSet") => workloads::stateful_set(object, now),
        ("batch", "Job") => workloads::job(object, now),
        ("coordination.k8s.io", "Lease") => {
            vec![
                json!(name),
                json!(text(object, "/spec/holderIdentity")),
                json!(age()),
            ]
        }
        ("scheduling.k8s.io", "PriorityClass") => vec![
            json!(name),
            json!(number(object, "/value")),
            json!(object["globalDefault"] == true),
            json!(age()),
            json!(text(object, "/preemptionPolicy")),
        ],
        ("resource.k8s.io", "ResourceClaim") => devices::claim(object, now),
        ("resource.k8s.io", "ResourceSlice") => devices::slice(object, now),
        ("resource.k8s.io", "DeviceTaintRule") => devices::taint_rule(object, now),
        _ => vec![
            json!(name),
            json!(text(object, "/metadata/creationTimestamp")),
        ],
    }
}

/// The conditions of a row: a pod that has ended is `Completed`, which kubectl can leave out.
pub fn conditions(resource: &ResourceType, object: &Value) -> Vec<Value> {
    let message = match (
        resource.group.as_str(),
        resource.kind.as_str(),
        text(object, "/status/phase"),
    ) {
        ("", "Pod", "Succeeded") => "The pod has completed successfully.",
        ("", "Pod", "Failed") => "The pod failed.",
        _ => return Vec::new(),
    };
    let reason = text(object, "/status/phase");
    vec![json!({ "type": "Completed", "status": "True", "reason": reason, "message": message })]
}

fn count(map: &Value) -> usize {
    map.as_object().map_or(0, serde_json::Map::len)
}
