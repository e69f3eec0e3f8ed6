//! The Node and Lease objects of a node (`kubelet_node_status.go`, `nodestatus/setters.go`).

use drakit_sim_store::resource::{LEASES, NAMESPACES, NODES};
use drakit_sim_store::{Expect, Key, Store, StoreError};
use serde_json::{Value, json};

use super::{Node, NodeConfig};

/// The version that the simulation behaves as.
const KUBELET_VERSION: &str = "v1.37.2";
const LEASE_NAMESPACE: &str = "kube-node-lease";
/// `nodeLeaseDurationSeconds`.
const LEASE_SECONDS: i64 = 40;

/// Conditions of a healthy node: type, status, reason, message.
const CONDITIONS: [[&str; 4]; 4] = [
    [
        "MemoryPressure",
        "False",
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
    ],
    [
        "DiskPressure",
        "False",
        "KubeletHasNoDiskPressure",
        "kubelet has no disk pressure",
    ],
    [
        "PIDPressure",
        "False",
        "KubeletHasSufficientPID",
        "kubelet has sufficient PID available",
    ],
    [
        "Ready",
        "True",
        "KubeletReady",
        "kubelet is posting ready status",
    ],
];

/// Creates or updates the Node, and creates its lease.
pub(crate) fn create_node(node: &Node, config: &NodeConfig) -> Result<(), StoreError> {
    let wanted = node_object(node, config);
    let created = match node.store.create(&NODES, wanted.clone()) {
        Err(error) if error.is_already_exists() => {
            let key = Key::cluster(node.name.as_str());
            node.store.update_all(&NODES, &key, &Expect::any(), |old| {
                Ok::<_, StoreError>(updated(old.value(), &wanted))
            })?
        }
        other => other?,
    };
    create_lease(&node.store, &node.name, created.uid())
}

/// A kubelet that starts sets its labels and status and leaves the rest.
fn updated(old: &Value, wanted: &Value) -> Value {
    let mut new = old.clone();
    for (key, value) in wanted["metadata"]["labels"]
        .as_object()
        .into_iter()
        .flatten()
    {
        new["metadata"]["labels"][key] = value.clone();
    }
    new["status"] = wanted["status"].clone();
    new
}

fn node_object(node: &Node, config: &NodeConfig) -> Value {
    let now = node.now();
    let name = &config.name;
    let mut labels: serde_json::Map<String, Value> = [
        ("kubernetes.io/hostname", name.as_str()),
        ("kubernetes.io/os", "linux"),
        ("kubernetes.io/arch", "amd64"),
        ("beta.kubernetes.io/os", "linux"),
        ("beta.kubernetes.io/arch", "amd64"),
    ]
    .map(|(key, value)| (key.to_owned(), json!(value)))
    .into_iter()
    .collect();
    labels.extend(config.labels.iter().map(|(k, v)| (k.clone(), json!(v))));
    let conditions: Vec<Value> = CONDITIONS
        .iter()
        .map(|[kind, status, reason, message]| {
            json!({
                "type": kind,
                "status": status,
                "reason": reason,
                "message": message,
                "lastHeartbeatTime": now,
                "lastTransitionTime": now,
            })
        })
        .collect();
    let mut object = json!({
        "metadata": {"name": name, "labels": labels},
        "spec": {},
        "status": {
            "capacity": config.capacity,
            "allocatable": config.capacity,
            "conditions": conditions,
            "addresses": [
                {"type": "InternalIP", "address": node.address.to_string()},
                {"type": "Hostname", "address": name},
            ],
            "nodeInfo": node_info(node),
        },
    });
    if !config.annotations.is_empty() {
        object["metadata"]["annotations"] = json!(config.annotations);
    }
    if !config.taints.is_empty() {
        object["spec"]["taints"] = json!(config.taints);
    }
    object
}

fn node_info(node: &Node) -> Value {
    json!({
        "machineID": node.store.new_uid().replace('-', ""),
        "systemUUID": node.store.new_uid(),
        "bootID": node.store.new_uid(),
        "kernelVersion": "6.12.0-drakit",
        "osImage": "drakit simulation",
        "containerRuntimeVersion": "containerd://2.2.0",
        "kubeletVersion": KUBELET_VERSION,
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": "amd64",
    })
}

fn create_lease(store: &Store, node: &str, node_uid: &str) -> Result<(), StoreError> {
    let lease = json!({
        "metadata": {
            "name": node,
            "namespace": LEASE_NAMESPACE,
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": node, "uid": node_uid}],
        },
        "spec": {
            "holderIdentity": node,
            "leaseDurationSeconds": LEASE_SECONDS,
            "renewTime": store.clock().now_micros(),
        },
    });
    match store.create(&LEASES, lease.clone()) {
        // Whoever makes the namespaces of a cluster has not been here yet.
        Err(error) if error.is_not_found() => {
            let namespace = json!({"metadata": {"name": LEASE_NAMESPACE}});
            match store.create(&NAMESPACES, namespace) {
                Err(error) if !error.is_already_exists() => return Err(error),
                _ => store.create(&LEASES, lease)?,
            };
        }
        Err(error) if error.is_already_exists() => renew_lease(store, node)?,
        other => drop(other?),
    }
    Ok(())
}

/// Writes that the node is alive.
pub(crate) fn renew_lease(store: &Store, node: &str) -> Result<(), StoreError> {
    let key = Key::new(LEASE_NAMESPACE, node);
    let now = store.clock().now_micros();
    store
        .update(&LEASES, &key, &Expect::any(), |old| {
            let mut lease = old.value().clone();
            lease["spec"]["renewTime"] = json!(now);
            Ok(lease)
        })
        .map(drop)
}
