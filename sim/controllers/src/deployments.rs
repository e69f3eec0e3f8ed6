//! Deployments (`pkg/controller/deployment`): one ReplicaSet per template, moved over step by step.

use std::sync::Arc;

use drakit_sim_store::resource::{DEPLOYMENTS, REPLICA_SETS};
use drakit_sim_store::{EventType, Expect, Key, Object, StoreError};
use serde_json::{Value, json};

use crate::template;
use crate::work::{ReconcileError, gone_is_fine};
use crate::world::World;

const HASH_LABEL: &str = "pod-template-hash";
const REVISION: &str = "deployment.kubernetes.io/revision";

pub(crate) fn sync(world: &mut World, key: &Key) -> Result<(), ReconcileError> {
    let Some(deployment) = world.get(&DEPLOYMENTS, key)? else {
        return Ok(());
    };
    let mut sets = world.controlled(&deployment, &REPLICA_SETS);
    if !deployment.is_deleting() && deployment.at(&["spec", "paused"]) != &json!(true) {
        let hash = template::hash(deployment.at(&["spec", "template"]));
        if !sets
            .iter()
            .any(|s| s.label(HASH_LABEL) == Some(hash.as_str()))
        {
            sets.push(create_set(world, &deployment, &hash, sets.len() + 1)?);
        }
        sets = roll(world, &deployment, &sets, &hash)?;
    }
    write_status(world, &deployment, &sets)
}

fn create_set(
    world: &mut World,
    deployment: &Object,
    hash: &str,
    revision: usize,
) -> Result<Arc<Object>, ReconcileError> {
    let mut pod_template = deployment.at(&["spec", "template"]).clone();
    pod_template["metadata"]["labels"][HASH_LABEL] = json!(hash);
    let mut selector = deployment.at(&["spec", "selector"]).clone();
    selector["matchLabels"][HASH_LABEL] = json!(hash);
    let set = json!({
        "metadata": {
            "name": format!("{}-{hash}", deployment.name()),
            "namespace": deployment.namespace(),
            "labels": pod_template["metadata"]["labels"],
            "annotations": {REVISION: revision.to_string()},
            "ownerReferences": [template::owner_reference(deployment, &DEPLOYMENTS)],
        },
        "spec": {"replicas": 0, "selector": selector, "template": pod_template},
        "status": {"replicas": 0},
    });
    Ok(world.store.create(&REPLICA_SETS, set)?)
}

/// Replicas as a count or a percentage of `of` (`GetScaledValueFromIntOrPercent`).
fn scaled(value: &Value, of: u64, round_up: bool) -> u64 {
    let Some(text) = value.as_str() else {
        return value.as_u64().unwrap_or(0);
    };
    let percent = text.trim_end_matches('%').parse::<u64>().unwrap_or(0);
    if round_up {
        (of * percent).div_ceil(100)
    } else {
        of * percent / 100
    }
}

/// One step of the roll-out: how many replicas each set should have now.
fn roll(
    world: &mut World,
    deployment: &Object,
    sets: &[Arc<Object>],
    hash: &str,
) -> Result<Vec<Arc<Object>>, ReconcileError> {
    let wanted = deployment.at(&["spec", "replicas"]).as_u64().unwrap_or(1);
    let count = |s: &Object| s.at(&["spec", "replicas"]).as_u64().unwrap_or(0);
    let available = |s: &Object| s.at(&["status", "availableReplicas"]).as_u64().unwrap_or(0);
    let exists = |s: &Object| s.at(&["status", "replicas"]).as_u64().unwrap_or(0);
    let is_new = |s: &Object| s.label(HASH_LABEL) == Some(hash);
    let total: u64 = sets.iter().map(|s| count(s)).sum();
    let all_available: u64 = sets.iter().map(|s| available(s)).sum();
    let recreate = deployment.at(&["spec", "strategy", "type"]) == "Recreate";
    let rolling = deployment.at(&["spec", "strategy", "rollingUpdate"]);
    let surge = scaled(
        rolling.get("maxSurge").unwrap_or(&json!("25%")),
        wanted,
        true,
    );
    let mut unavailable = scaled(
        rolling.get("maxUnavailable").unwrap_or(&json!("25%")),
        wanted,
        false,
    );
    if surge == 0 && unavailable == 0 {
        unavailable = 1;
    }
    let old_exist = sets
        .iter()
        .any(|s| !is_new(s) && (count(s) > 0 || exists(s) > 0));
    let mut may_remove = if recreate {
        u64::MAX
    } else {
        all_available.saturating_sub(wanted.saturating_sub(unavailable))
    };
    let mut result = Vec::with_capacity(sets.len());
    for set in sets {
        let now = count(set);
        let next = if is_new(set) {
            match (recreate, old_exist) {
                (true, true) => now,
                (false, true) => now
                    .max(wanted.min(now + (wanted + surge).saturating_sub(total)))
                    .min(wanted),
                _ => wanted,
            }
        } else {
            // Replicas that never became available go first and cost nothing.
            let broken = now.saturating_sub(available(set));
            let take = now.min(broken.saturating_add(may_remove));
            may_remove = may_remove.saturating_sub(take.saturating_sub(broken.min(take)));
            now - take
        };
        result.push(set_replicas(world, deployment, set, next)?);
    }
    Ok(result)
}

fn set_replicas(
    world: &mut World,
    deployment: &Object,
    set: &Arc<Object>,
    replicas: u64,
) -> Result<Arc<Object>, ReconcileError> {
    let before = set.at(&["spec", "replicas"]).as_u64().unwrap_or(0);
    if before == replicas {
        return Ok(set.clone());
    }
    let written =
        world
            .store
            .update(&REPLICA_SETS, &set.key(), &Expect::uid(set.uid()), |old| {
                let mut new = old.value().clone();
                new["spec"]["replicas"] = json!(replicas);
                Ok::<_, StoreError>(new)
            })?;
    let direction = if replicas > before { "up" } else { "down" };
    let message = format!(
        "Scaled {direction} replica set {} from {before} to {replicas}",
        set.name()
    );
    world.event(
        "deployment-controller",
        deployment,
        EventType::Normal,
        "ScalingReplicaSet",
        &message,
    );
    Ok(written)
}

/// Replicas of all sets together.
struct Counts {
    wanted: u64,
    replicas: u64,
    updated: u64,
    ready: u64,
    available: u64,
}

impl Counts {
    fn of(deployment: &Object, sets: &[Arc<Object>]) -> Self {
        let count = |set: &Object, field: &str| set.at(&["status", field]).as_u64().unwrap_or(0);
        let sum = |field: &str| sets.iter().map(|s| count(s, field)).sum();
        let hash = template::hash(deployment.at(&["spec", "template"]));
        let newest = sets
            .iter()
            .filter(|s| s.label(HASH_LABEL) == Some(hash.as_str()));
        Self {
            wanted: deployment.at(&["spec", "replicas"]).as_u64().unwrap_or(1),
            replicas: sum("replicas"),
            updated: newest.map(|s| count(s, "replicas")).sum(),
            ready: sum("readyReplicas"),
            available: sum("availableReplicas"),
        }
    }

    /// `status` without conditions; counts of zero are left out, as Go leaves them out.
    fn status(&self, generation: &Value) -> Value {
        let mut status = json!({"observedGeneration": generation});
        let counts = [
            ("replicas", self.replicas),
            ("updatedReplicas", self.updated),
            ("readyReplicas", self.ready),
            ("availableReplicas", self.available),
            (
                "unavailableReplicas",
                self.wanted.saturating_sub(self.available),
            ),
        ];
        for (field, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            status[field] = json!(count);
        }
        status
    }

    fn conditions(&self, old: &Object, now: &str) -> Value {
        let enough = self.available >= self.wanted;
        let complete = self.updated == self.wanted && self.replicas == self.wanted && enough;
        let available = if enough {
            (
                "MinimumReplicasAvailable",
                "Deployment has minimum availability.",
            )
        } else {
            (
                "MinimumReplicasUnavailable",
                "Deployment does not have minimum availability.",
            )
        };
        let progressing = if complete {
            (
                "NewReplicaSetAvailable",
                "ReplicaSet has successfully progressed.",
            )
        } else {
            ("ReplicaSetUpdated", "ReplicaSet is progressing.")
        };
        json!([
            condition(old, "Available", enough, available, now),
            condition(old, "Progressing", true, progressing, now),
        ])
    }
}

fn write_status(
    world: &World,
    deployment: &Object,
    sets: &[Arc<Object>],
) -> Result<(), ReconcileError> {
    let counts = Counts::of(deployment, sets);
    let now = world.store.clock().now_seconds();
    let expect = Expect::uid(deployment.uid());
    let written = world
        .store
        .update_status(&DEPLOYMENTS, &deployment.key(), &expect, |old| {
            let mut new = old.value().clone();
            new["status"] = counts.status(deployment.at(&["metadata", "generation"]));
            new["status"]["conditions"] = counts.conditions(old, &now);
            Ok::<_, StoreError>(new)
        });
    gone_is_fine(written)
}

/// A condition that keeps its times while it does not change.
fn condition(
    old: &Object,
    kind: &str,
    holds: bool,
    (reason, message): (&str, &str),
    now: &str,
) -> Value {
    let status = if holds { "True" } else { "False" };
    let before = old
        .at(&["status", "conditions"])
        .as_array()
        .into_iter()
        .flatten()
        .find(|c| c["type"] == kind);
    let same_status = before.filter(|c| c["status"] == status);
    let same = same_status.filter(|c| c["reason"] == reason && c["message"] == message);
    json!({
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": same_status.map_or(json!(now), |c| c["lastTransitionTime"].clone()),
        "lastUpdateTime": same.map_or(json!(now), |c| c["lastUpdateTime"].clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_round_as_kubernetes_rounds_them() {
        assert_eq!(scaled(&json!("25%"), 4, true), 1);
        assert_eq!(scaled(&json!("25%"), 5, true), 2);
        assert_eq!(scaled(&json!("25%"), 5, false), 1);
        assert_eq!(scaled(&json!(3), 5, false), 3);
    }
}
