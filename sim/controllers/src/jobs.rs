//! Jobs (`pkg/controller/job`): pods until enough have succeeded, or too many have failed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use drakit_sim_store::resource::{JOBS, PODS};
use drakit_sim_store::{DeleteOptions, EventType, Expect, Key, Object, StoreError};
use serde_json::{Value, json};

use crate::pods::{is_active, is_ready, phase};
use crate::replicas::delete;
use crate::template;
use crate::work::{Item, ReconcileError, Work, gone_is_fine};
use crate::world::World;

const INDEX: &str = "batch.kubernetes.io/job-completion-index";

struct Tally {
    active: Vec<Arc<Object>>,
    succeeded: u64,
    failed: u64,
    /// Completion indexes that succeeded or have a pod now.
    taken: Vec<u64>,
}

pub(crate) fn sync(world: &mut World, key: &Key, work: &mut Work) -> Result<(), ReconcileError> {
    let Some(job) = world.get(&JOBS, key)? else {
        return Ok(());
    };
    if job.is_deleting() {
        return Ok(());
    }
    if let Some(kind) = finished(&job) {
        tracing::trace!(job = %key, kind, "finished before");
        return expire(world, &job, work);
    }
    let tally = count(&world.controlled(&job, &PODS));
    let number = |path: &[&str], default: u64| job.at(path).as_u64().unwrap_or(default);
    let parallelism = number(&["spec", "parallelism"], 1);
    let completions = job.at(&["spec", "completions"]).as_u64();
    let complete = match completions {
        Some(wanted) => tally.succeeded >= wanted,
        None => tally.succeeded > 0 && tally.active.is_empty(),
    };
    let failed = tally.failed > number(&["spec", "backoffLimit"], 6);
    let suspended = job.at(&["spec", "suspend"]) == &json!(true);
    if complete || failed || suspended {
        for pod in &tally.active {
            delete(world, pod)?;
        }
        if suspended && !complete && !failed {
            return write_status(world, &job, &tally, None);
        }
        return finish(world, &job, &tally, complete);
    }
    let open = completions.map_or(parallelism, |wanted| {
        parallelism.min(wanted.saturating_sub(tally.succeeded))
    });
    let created = create(world, &job, &tally, open)?;
    // Pods that were made just now count as active; their first event brings us back.
    if created == 0 {
        write_status(world, &job, &tally, None)
    } else {
        Ok(())
    }
}

fn count(pods: &[Arc<Object>]) -> Tally {
    let mut tally = Tally {
        active: Vec::new(),
        succeeded: 0,
        failed: 0,
        taken: Vec::new(),
    };
    for pod in pods {
        let index = pod
            .at(&["metadata", "annotations", INDEX])
            .as_str()
            .and_then(|i| i.parse::<u64>().ok());
        match phase(pod) {
            "Succeeded" => tally.succeeded += 1,
            "Failed" => {
                tally.failed += 1;
                continue;
            }
            _ if is_active(pod) => tally.active.push(pod.clone()),
            _ => continue,
        }
        tally.taken.extend(index);
    }
    tally
}

fn create(
    world: &mut World,
    job: &Object,
    tally: &Tally,
    open: u64,
) -> Result<u64, ReconcileError> {
    let indexed = job.at(&["spec", "completionMode"]) == "Indexed";
    let mut free = (0_u64..).filter(|i| !tally.taken.contains(i));
    let mut created = 0;
    for _ in (tally.active.len() as u64)..open {
        let mut pod = template::pod(job, &JOBS, job.at(&["spec", "template"]));
        if let (true, Some(index)) = (indexed, free.next()) {
            give_index(&mut pod, job, index);
        }
        let made = world.store.create(&PODS, pod)?;
        let message = format!("Created pod: {}", made.name());
        world.event(
            "job-controller",
            job,
            EventType::Normal,
            "SuccessfulCreate",
            &message,
        );
        created += 1;
    }
    Ok(created)
}

fn give_index(pod: &mut Value, job: &Object, index: u64) {
    let text = index.to_string();
    pod["metadata"]["generateName"] = json!(format!("{}-{index}-", job.name()));
    pod["metadata"]["annotations"][INDEX] = json!(text);
    pod["metadata"]["labels"][INDEX] = json!(text);
    for container in pod["spec"]["containers"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        let mut env = container
            .get("env")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        env.push(json!({"name": "JOB_COMPLETION_INDEX", "value": text}));
        container["env"] = json!(env);
    }
}

fn finished(job: &Object) -> Option<&str> {
    let conditions = job.at(&["status", "conditions"]).as_array();
    let done =
        |c: &&Value| c["status"] == "True" && (c["type"] == "Complete" || c["type"] == "Failed");
    conditions.into_iter().flatten().find(done)?["type"].as_str()
}

/// `ttlSecondsAfterFinished`.
fn expire(world: &World, job: &Object, work: &mut Work) -> Result<(), ReconcileError> {
    let Some(ttl) = job.at(&["spec", "ttlSecondsAfterFinished"]).as_i64() else {
        return Ok(());
    };
    let conditions = job.at(&["status", "conditions"]).as_array();
    let ended = conditions
        .into_iter()
        .flatten()
        .filter_map(|c| c["lastTransitionTime"].as_str()?.parse().ok())
        .max();
    let Some(ended): Option<jiff::Timestamp> = ended else {
        return Ok(());
    };
    let left =
        (ended + jiff::SignedDuration::from_secs(ttl)).duration_since(world.store.clock().now());
    if left.is_positive() {
        let pause = Duration::try_from(left).unwrap_or(Duration::from_secs(1));
        work.add_at(Item::Job(job.key()), Instant::now() + pause);
        return Ok(());
    }
    let options = DeleteOptions {
        uid: Some(job.uid().to_owned()),
        propagation_policy: Some("Foreground".into()),
        ..DeleteOptions::default()
    };
    gone_is_fine(world.store.delete(&JOBS, &job.key(), &options))
}

fn finish(
    world: &mut World,
    job: &Object,
    tally: &Tally,
    complete: bool,
) -> Result<(), ReconcileError> {
    let (kind, reason, message) = if complete {
        (
            "Complete",
            "CompletionsReached",
            "Reached expected number of succeeded pods",
        )
    } else {
        (
            "Failed",
            "BackoffLimitExceeded",
            "Job has reached the specified backoff limit",
        )
    };
    let ended = Tally {
        active: Vec::new(),
        succeeded: tally.succeeded,
        failed: tally.failed,
        taken: Vec::new(),
    };
    write_status(world, job, &ended, Some((kind, reason, message)))?;
    if complete {
        world.event(
            "job-controller",
            job,
            EventType::Normal,
            "Completed",
            "Job completed",
        );
    } else {
        world.event("job-controller", job, EventType::Warning, reason, message);
    }
    Ok(())
}

fn write_status(
    world: &World,
    job: &Object,
    tally: &Tally,
    end: Option<(&str, &str, &str)>,
) -> Result<(), ReconcileError> {
    let now = world.store.clock().now_seconds();
    let ready = tally.active.iter().filter(|p| is_ready(p)).count();
    let result = world.store.update_status(&JOBS, &job.key(), &Expect::uid(job.uid()), |old| {
        let mut new = old.value().clone();
        let start = old.at(&["status", "startTime"]).as_str().unwrap_or(&now).to_owned();
        let mut status = json!({"startTime": start, "ready": ready, "terminating": 0, "uncountedTerminatedPods": {}});
        for (field, n) in [("active", tally.active.len() as u64), ("succeeded", tally.succeeded), ("failed", tally.failed)] {
            if n > 0 {
                status[field] = json!(n);
            }
        }
        if let Some((kind, reason, message)) = end {
            status["conditions"] = json!([{
                "type": kind, "status": "True", "reason": reason, "message": message,
                "lastProbeTime": now, "lastTransitionTime": now,
            }]);
            if kind == "Complete" {
                status["completionTime"] = json!(now);
            }
        }
        new["status"] = status;
        Ok::<_, StoreError>(new)
    });
    gone_is_fine(result)
}
