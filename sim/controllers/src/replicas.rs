//! ReplicaSets (`pkg/controller/replicaset`).

use std::sync::Arc;

use drakit_sim_store::resource::{PODS, REPLICA_SETS};
use drakit_sim_store::{DeleteOptions, EventType, Expect, Key, Object, StoreError};
use serde_json::{Value, json};

use crate::pods::{is_active, is_ready, is_terminal, phase};
use crate::template;
use crate::work::{ReconcileError, gone_is_fine};
use crate::world::World;

pub(crate) fn sync(world: &mut World, key: &Key) -> Result<(), ReconcileError> {
    let Some(set) = world.get(&REPLICA_SETS, key)? else {
        return Ok(());
    };
    let pods = world.controlled(&set, &PODS);
    let active: Vec<Arc<Object>> = pods.into_iter().filter(|p| is_active(p)).collect();
    let wanted = usize::try_from(set.at(&["spec", "replicas"]).as_u64().unwrap_or(1)).unwrap_or(0);
    if !set.is_deleting() {
        scale(world, &set, &active, wanted)?;
    }
    write_status(world, &set, &active)
}

fn scale(
    world: &mut World,
    set: &Object,
    active: &[Arc<Object>],
    wanted: usize,
) -> Result<(), ReconcileError> {
    for _ in active.len()..wanted {
        let pod = world.store.create(
            &PODS,
            template::pod(set, &REPLICA_SETS, set.at(&["spec", "template"])),
        )?;
        let message = format!("Created pod: {}", pod.name());
        world.event(
            "replicaset-controller",
            set,
            EventType::Normal,
            "SuccessfulCreate",
            &message,
        );
    }
    if active.len() > wanted {
        let mut victims = active.to_vec();
        victims.sort_by_key(|p| deletion_rank(p));
        for pod in victims.iter().take(active.len() - wanted) {
            delete(world, pod)?;
            let message = format!("Deleted pod: {}", pod.name());
            world.event(
                "replicaset-controller",
                set,
                EventType::Normal,
                "SuccessfulDelete",
                &message,
            );
        }
    }
    Ok(())
}

/// Deletes one incarnation of a pod; one that is gone already is fine.
pub(crate) fn delete(world: &World, pod: &Object) -> Result<(), StoreError> {
    let options = DeleteOptions {
        uid: Some(pod.uid().to_owned()),
        ..DeleteOptions::default()
    };
    match world.store.delete(&PODS, &pod.key(), &options) {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

/// Lowest first: without a node, pending, not ready, youngest (`ActivePodsWithRanks`).
fn deletion_rank(pod: &Object) -> (bool, u8, bool, std::cmp::Reverse<u64>) {
    let by_phase = match phase(pod) {
        "Pending" | "" => 0,
        "Unknown" => 1,
        _ => 2,
    };
    let assigned = !pod.str_at(&["spec", "nodeName"]).is_empty();
    (
        assigned,
        by_phase,
        is_ready(pod),
        std::cmp::Reverse(pod.version()),
    )
}

fn write_status(world: &World, set: &Object, active: &[Arc<Object>]) -> Result<(), ReconcileError> {
    let ready = active
        .iter()
        .filter(|p| is_ready(p) && !is_terminal(p))
        .count();
    let labels = set.at(&["spec", "template", "metadata", "labels"]);
    let labelled = active
        .iter()
        .filter(|p| has_labels(p.at(&["metadata", "labels"]), labels))
        .count();
    let result = world.store.update_status(&REPLICA_SETS, &set.key(), &Expect::uid(set.uid()), |old| {
        let mut new = old.value().clone();
        let mut status = json!({"replicas": active.len(), "observedGeneration": set.at(&["metadata", "generation"])});
        for (field, count) in [("fullyLabeledReplicas", labelled), ("readyReplicas", ready), ("availableReplicas", ready)] {
            if count > 0 {
                status[field] = json!(count);
            }
        }
        new["status"] = status;
        Ok::<_, StoreError>(new)
    });
    gone_is_fine(result)
}

fn has_labels(labels: &Value, wanted: &Value) -> bool {
    wanted
        .as_object()
        .into_iter()
        .flatten()
        .all(|(name, value)| labels.get(name) == Some(value))
}
