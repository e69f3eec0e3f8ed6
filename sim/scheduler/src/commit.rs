//! Writes: claims, binding, conditions, events.

use std::sync::Arc;

use drakit_sim_store::resource::{PODS, RESOURCE_CLAIMS};
use drakit_sim_store::{EventRecorder, EventType, Expect, Key, Object, Store, StoreError};
use serde_json::{Value, json};

use crate::decide::Placement;
use crate::verdict::Verdict;
use crate::world::World;

/// Keeps an allocated claim (`resourceapi.Finalizer`).
const FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// Why a placement could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("claim {0} got deleted in the meantime")]
    ClaimDeleted(Key),
    #[error("claim {0} got allocated elsewhere in the meantime")]
    ClaimAllocated(Key),
    #[error("claim {0} got deallocated elsewhere in the meantime")]
    ClaimDeallocated(Key),
    #[error("write the allocation of claim {0}: {1}")]
    Encode(Key, String),
}

/// `PreBind` and `Bind`: allocations and reservations first, then the node.
pub(crate) fn place(
    store: &Store,
    world: &mut World,
    recorder: &EventRecorder,
    pod: &Object,
    placement: &Placement,
) -> Result<(), CommitError> {
    for key in &placement.claims {
        let allocation = placement
            .allocations
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, a)| a);
        let allocation = allocation
            .map(serde_json::to_value)
            .transpose()
            .map_err(|error| CommitError::Encode(key.clone(), error.to_string()))?;
        let written = reserve(store, pod, key, allocation.as_ref())?;
        world.claim(&written, false);
    }
    let bound = bind(store, pod, &placement.node)?;
    world.place(&bound, &placement.node);
    let text = format!(
        "Successfully assigned {}/{} to {}",
        pod.namespace(),
        pod.name(),
        placement.node
    );
    recorder.record(&bound, EventType::Normal, "Scheduled", &text);
    Ok(())
}

/// Allocates (if `allocation` is given) and reserves one claim. Kubernetes adds the finalizer in a
/// write of its own; nobody can act between the two, so here it is one.
fn reserve(
    store: &Store,
    pod: &Object,
    key: &Key,
    allocation: Option<&Value>,
) -> Result<Arc<Object>, CommitError> {
    let now = store.clock().now_seconds();
    store.update_all(&RESOURCE_CLAIMS, key, &Expect::any(), |old| {
        let allocated = !old.at(&["status", "allocation"]).is_null();
        if old.is_deleting() {
            return Err(CommitError::ClaimDeleted(key.clone()));
        }
        let mut new = old.value().clone();
        match allocation {
            Some(_) if allocated => return Err(CommitError::ClaimAllocated(key.clone())),
            None if !allocated => return Err(CommitError::ClaimDeallocated(key.clone())),
            Some(allocation) => {
                let mut finalizers = old
                    .at(&["metadata", "finalizers"])
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                if !finalizers.iter().any(|f| f == FINALIZER) {
                    finalizers.push(json!(FINALIZER));
                }
                new["metadata"]["finalizers"] = json!(finalizers);
                new["status"]["allocation"] = allocation.clone();
            }
            None => {}
        }
        if new["status"]["allocation"]["allocationTimestamp"].is_null() {
            new["status"]["allocation"]["allocationTimestamp"] = json!(now);
        }
        let mut users = old
            .at(&["status", "reservedFor"])
            .as_array()
            .cloned()
            .unwrap_or_default();
        if !users.iter().any(|u| u["uid"].as_str() == Some(pod.uid())) {
            users.push(json!({"resource": "pods", "name": pod.name(), "uid": pod.uid()}));
        }
        new["status"]["reservedFor"] = json!(users);
        Ok(new)
    })
}

/// `pods/binding`: the node, and the condition PodScheduled.
fn bind(store: &Store, pod: &Object, node: &str) -> Result<Arc<Object>, CommitError> {
    let now = store.clock().now_seconds();
    store.update_all(&PODS, &pod.key(), &Expect::uid(pod.uid()), |old| {
        let mut new = old.value().clone();
        new["spec"]["nodeName"] = json!(node);
        set_condition(
            &mut new,
            json!({"type": "PodScheduled", "status": "True"}),
            &now,
        );
        Ok(new)
    })
}

/// Tells a pod why it waits.
pub(crate) fn refuse(
    store: &Store,
    recorder: &EventRecorder,
    pod: &Object,
    verdict: &Verdict,
    nodes: usize,
) {
    if matches!(verdict, Verdict::NotReady(_)) {
        return;
    }
    let message = verdict.message(nodes);
    recorder.record(pod, EventType::Warning, "FailedScheduling", &message);
    let now = store.clock().now_seconds();
    let condition = json!({
        "type": "PodScheduled", "status": "False", "reason": verdict.condition_reason(), "message": message,
    });
    let written = store.update_status(&PODS, &pod.key(), &Expect::uid(pod.uid()), |old| {
        let mut new = old.value().clone();
        set_condition(&mut new, condition.clone(), &now);
        Ok::<_, StoreError>(new)
    });
    if let Err(error) = written {
        tracing::debug!(pod = %pod.key(), %error, "condition not written");
    }
}

/// Puts a condition into `status.conditions`; its times stay while its status does.
fn set_condition(pod: &mut Value, mut condition: Value, now: &str) {
    let mut conditions = pod["status"]["conditions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let known = conditions
        .iter()
        .position(|c| c["type"] == condition["type"]);
    let since = known
        .map(|i| &conditions[i])
        .filter(|c| c["status"] == condition["status"]);
    condition["lastTransitionTime"] = since.map_or(json!(now), |c| c["lastTransitionTime"].clone());
    condition["lastProbeTime"] = Value::Null;
    match known {
        Some(index) => conditions[index] = condition,
        None => conditions.push(condition),
    }
    pod["status"]["conditions"] = json!(conditions);
}
