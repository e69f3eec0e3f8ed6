//! Defaults of `apps` and `batch` (`pkg/apis/{apps,batch}/v1/defaults.go`).

use serde_json::{Map, Value};

use super::{Object, child, set, text};

pub(super) fn rules(name: &str, object: &mut Object) {
    match name {
        "apps.v1.DeploymentSpec" => deployment(object),
        "apps.v1.DaemonSetSpec" => daemon_set(object),
        "apps.v1.StatefulSetSpec" => stateful_set(object),
        "apps.v1.ReplicaSetSpec" => set(object, "replicas", 1),
        "batch.v1.Job" => {
            job_labels(object);
            if let Some(spec) = child(object, "spec") {
                job(spec);
            }
        }
        "batch.v1.CronJobSpec" => {
            set(object, "concurrencyPolicy", "Allow");
            set(object, "suspend", false);
            set(object, "successfulJobsHistoryLimit", 3);
            set(object, "failedJobsHistoryLimit", 1);
        }
        "batch.v1.PodFailurePolicyOnPodConditionsPattern" => set(object, "status", "True"),
        _ => {}
    }
}

fn deployment(spec: &mut Object) {
    set(spec, "replicas", 1);
    if let Some(strategy) = child(spec, "strategy") {
        set(strategy, "type", "RollingUpdate");
        if text(strategy, "type") == "RollingUpdate"
            && let Some(rolling) = child(strategy, "rollingUpdate")
        {
            set_absent(rolling, "maxUnavailable", "25%");
            set_absent(rolling, "maxSurge", "25%");
        }
    }
    set(spec, "revisionHistoryLimit", 10);
    set(spec, "progressDeadlineSeconds", 600);
}

fn daemon_set(spec: &mut Object) {
    if let Some(strategy) = child(spec, "updateStrategy") {
        set(strategy, "type", "RollingUpdate");
        if text(strategy, "type") == "RollingUpdate"
            && let Some(rolling) = child(strategy, "rollingUpdate")
        {
            set_absent(rolling, "maxUnavailable", 1);
            set_absent(rolling, "maxSurge", 0);
        }
    }
    set(spec, "revisionHistoryLimit", 10);
}

fn stateful_set(spec: &mut Object) {
    set(spec, "podManagementPolicy", "OrderedReady");
    if let Some(strategy) = child(spec, "updateStrategy") {
        if text(strategy, "type").is_empty() {
            set(strategy, "type", "RollingUpdate");
            set(strategy, "rollingUpdate", Map::new());
        }
        if text(strategy, "type") == "RollingUpdate"
            && let Some(rolling) = strategy
                .get_mut("rollingUpdate")
                .and_then(Value::as_object_mut)
        {
            set_absent(rolling, "partition", 0);
            set_absent(rolling, "maxUnavailable", 1);
        }
    }
    if let Some(policy) = child(spec, "persistentVolumeClaimRetentionPolicy") {
        set(policy, "whenDeleted", "Retain");
        set(policy, "whenScaled", "Retain");
    }
    set(spec, "replicas", 1);
    set(spec, "revisionHistoryLimit", 10);
}

/// A job without labels takes those of its pods.
fn job_labels(job: &mut Object) {
    let labels = job
        .get("spec")
        .map(|spec| &spec["template"]["metadata"]["labels"]);
    let Some(labels) = labels.filter(|labels| labels.is_object()).cloned() else {
        return;
    };
    if let Some(metadata) = child(job, "metadata") {
        set(metadata, "labels", labels);
    }
}

/// Only of jobs: the job template of a cron job stays as it is.
fn job(spec: &mut Object) {
    if !spec.contains_key("completions") && !spec.contains_key("parallelism") {
        set(spec, "completions", 1);
    }
    set(spec, "parallelism", 1);
    let backoff = if spec.contains_key("backoffLimitPerIndex") {
        i32::MAX
    } else {
        6
    };
    set(spec, "backoffLimit", backoff);
    set(spec, "completionMode", "NonIndexed");
    set(spec, "suspend", false);
    let replacement = if spec.contains_key("podFailurePolicy") {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    set(spec, "podReplacementPolicy", replacement);
    set(spec, "manualSelector", false);
}

/// For what is a pointer in Go: an empty text is a value, too.
fn set_absent(object: &mut Object, name: &str, value: impl Into<Value>) {
    object.entry(name).or_insert_with(|| value.into());
}
