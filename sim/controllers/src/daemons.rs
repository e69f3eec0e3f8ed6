//! DaemonSets (`pkg/controller/daemon`): one pod for each node that the template fits.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_sim_store::resource::{DAEMON_SETS, NODES, PODS};
use drakit_sim_store::{Change, ChangeKind, EventType, Expect, Key, Object, StoreError};
use serde_json::{Value, json};

use crate::pods::{is_ready, is_terminal};
use crate::replicas::delete;
use crate::template;
use crate::work::{ReconcileError, gone_is_fine};
use crate::world::World;

const HASH_LABEL: &str = "controller-revision-hash";

/// Whether a node change can matter to daemon sets: status heartbeats do not.
pub(crate) fn node_changed(change: &Change) -> bool {
    let Some(old) = &change.previous else {
        return true;
    };
    change.kind == ChangeKind::Deleted
        || old.at(&["metadata", "labels"]) != change.object.at(&["metadata", "labels"])
        || old.at(&["spec"]) != change.object.at(&["spec"])
}

pub(crate) fn sync(world: &mut World, key: &Key) -> Result<(), ReconcileError> {
    let Some(set) = world.get(&DAEMON_SETS, key)? else {
        return Ok(());
    };
    let hash = template::hash(set.at(&["spec", "template"]));
    let mut by_node: BTreeMap<String, Vec<Arc<Object>>> = BTreeMap::new();
    for pod in world.controlled(&set, &PODS) {
        by_node.entry(node_of(&pod)).or_default().push(pod);
    }
    let (nodes, _) = world.store.snapshot(&NODES, None, None);
    let fitting: Vec<&Arc<Object>> = nodes
        .iter()
        .filter(|n| fits(n, set.at(&["spec", "template", "spec"])))
        .collect();
    if !set.is_deleting() {
        for node in &fitting {
            let pods = by_node.remove(node.name()).unwrap_or_default();
            settle_node(world, &set, node.name(), &pods, &hash)?;
        }
        for pod in by_node.values().flatten().filter(|p| !p.is_deleting()) {
            delete(world, pod)?;
        }
    }
    write_status(world, &set, fitting.len(), &hash)
}

/// One pod of the newest template on one node.
fn settle_node(
    world: &mut World,
    set: &Object,
    node: &str,
    pods: &[Arc<Object>],
    hash: &str,
) -> Result<(), ReconcileError> {
    let on_delete = set.at(&["spec", "updateStrategy", "type"]) == "OnDelete";
    let mut kept = false;
    for pod in pods {
        let outdated = pod.label(HASH_LABEL) != Some(hash) && !on_delete;
        if pod.is_deleting() {
            kept = true; // Its successor comes when it is gone.
        } else if is_terminal(pod) || outdated || kept {
            delete(world, pod)?;
            kept = true;
        } else {
            kept = true;
        }
    }
    if kept {
        return Ok(());
    }
    let mut pod = template::pod(set, &DAEMON_SETS, set.at(&["spec", "template"]));
    pod["metadata"]["labels"][HASH_LABEL] = json!(hash);
    pin(&mut pod["spec"], node);
    let made = world.store.create(&PODS, pod)?;
    let message = format!("Created pod: {}", made.name());
    world.event(
        "daemonset-controller",
        set,
        EventType::Normal,
        "SuccessfulCreate",
        &message,
    );
    Ok(())
}

/// Node affinity to one node by name, and the tolerations of daemons
/// (`ReplaceDaemonSetPodNodeNameNodeAffinity`, `AddOrUpdateDaemonPodTolerations`).
fn pin(spec: &mut Value, node: &str) {
    spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = json!({
        "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]
    });
    let Some(list) = spec["tolerations"].as_array_mut() else {
        return;
    };
    list.retain(|t| t.get("tolerationSeconds").is_none());
    let tolerated = [
        ("node.kubernetes.io/not-ready", "NoExecute"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
        ("node.kubernetes.io/disk-pressure", "NoSchedule"),
        ("node.kubernetes.io/memory-pressure", "NoSchedule"),
        ("node.kubernetes.io/pid-pressure", "NoSchedule"),
        ("node.kubernetes.io/unschedulable", "NoSchedule"),
    ];
    list.extend(
        tolerated.map(|(key, effect)| json!({"key": key, "operator": "Exists", "effect": effect})),
    );
}

fn node_of(pod: &Object) -> String {
    let bound = pod.str_at(&["spec", "nodeName"]);
    if !bound.is_empty() {
        return bound.to_owned();
    }
    let pinned = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0/values/0";
    pod.value()
        .pointer(pinned)
        .and_then(Value::as_str)
        .unwrap_or("")
        .to_owned()
}

/// The node selector, and taints that the daemon does not tolerate.
fn fits(node: &Object, spec: &Value) -> bool {
    let labels = node.at(&["metadata", "labels"]);
    let selector = spec.get("nodeSelector").and_then(Value::as_object);
    let tolerations = spec.get("tolerations").and_then(Value::as_array);
    let tolerated = |taint: &Value| {
        let own = taint["key"]
            .as_str()
            .unwrap_or("")
            .starts_with("node.kubernetes.io/");
        own || tolerations
            .into_iter()
            .flatten()
            .any(|t| tolerates(t, taint))
    };
    selector
        .into_iter()
        .flatten()
        .all(|(name, value)| labels.get(name) == Some(value))
        && node
            .at(&["spec", "taints"])
            .as_array()
            .into_iter()
            .flatten()
            .filter(|t| t["effect"] != "PreferNoSchedule")
            .all(tolerated)
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let text = |v: &Value, field: &str| {
        v.get(field)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    let effect = text(toleration, "effect");
    let key = text(toleration, "key");
    let any_value = text(toleration, "operator") == "Exists";
    (effect.is_empty() || effect == text(taint, "effect"))
        && ((key.is_empty() && any_value) || key == text(taint, "key"))
        && (any_value || text(toleration, "value") == text(taint, "value"))
}

fn write_status(
    world: &World,
    set: &Object,
    fitting: usize,
    hash: &str,
) -> Result<(), ReconcileError> {
    let pods = world.controlled(set, &PODS);
    let current = pods
        .iter()
        .filter(|p| !p.is_deleting() && !is_terminal(p))
        .count();
    let ready = pods.iter().filter(|p| is_ready(p)).count();
    let updated = pods
        .iter()
        .filter(|p| p.label(HASH_LABEL) == Some(hash))
        .count();
    let result =
        world
            .store
            .update_status(&DAEMON_SETS, &set.key(), &Expect::uid(set.uid()), |old| {
                let mut new = old.value().clone();
                new["status"] = json!({
                    "observedGeneration": set.at(&["metadata", "generation"]),
                    "desiredNumberScheduled": fitting,
                    "currentNumberScheduled": current.min(fitting),
                    "numberMisscheduled": 0,
                    "numberReady": ready,
                    "updatedNumberScheduled": updated,
                    "numberAvailable": ready,
                    "numberUnavailable": fitting.saturating_sub(ready),
                });
                Ok::<_, StoreError>(new)
            });
    gone_is_fine(result)
}
