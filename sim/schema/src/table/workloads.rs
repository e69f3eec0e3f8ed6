//! Cells of `apps` and `batch`.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{age, human_duration, list, number, selectors, text};

/// Names and images of the template's containers.
fn containers(object: &Value) -> [Value; 2] {
    let join = |pointer: &str| {
        let parts: Vec<&str> = list(object, "/spec/template/spec/containers")
            .iter()
            .map(|container| text(container, pointer))
            .collect();
        json!(parts.join(","))
    };
    [join("/name"), join("/image")]
}

fn selector_or_none(object: &Value) -> Value {
    let selector = selectors::selector(&object["spec"]["selector"]);
    if selector.is_empty() {
        json!("<none>")
    } else {
        json!(selector)
    }
}

pub(super) fn replica_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(object);
    vec![
        json!(text(object, "/metadata/name")),
        json!(number(object, "/spec/replicas")),
        json!(number(object, "/status/replicas")),
        json!(number(object, "/status/readyReplicas")),
        json!(age(object, now)),
        names,
        images,
        selector_or_none(object),
    ]
}

pub(super) fn deployment(object: &Value, now: Timestamp) -> Vec<Value> {
    let (ready, desired) = (
        number(object, "/status/readyReplicas"),
        number(object, "/spec/replicas"),
    );
    let [names, images] = containers(object);
    vec![
        json!(text(object, "/metadata/name")),
        json!(format!("{ready}/{desired}")),
        json!(number(object, "/status/updatedReplicas")),
        json!(number(object, "/status/availableReplicas")),
        json!(age(object, now)),
        names,
        images,
        json!(selectors::selector(&object["spec"]["selector"])),
    ]
}

pub(super) fn daemon_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(object);
    vec![
        json!(text(object, "/metadata/name")),
        json!(number(object, "/status/desiredNumberScheduled")),
        json!(number(object, "/status/currentNumberScheduled")),
        json!(number(object, "/status/numberReady")),
        json!(number(object, "/status/updatedNumberScheduled")),
        json!(number(object, "/status/numberAvailable")),
        json!(selectors::labels(
            &object["spec"]["template"]["spec"]["nodeSelector"]
        )),
        json!(age(object, now)),
        names,
        images,
        selector_or_none(object),
    ]
}

pub(super) fn stateful_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let (ready, desired) = (
        number(object, "/status/readyReplicas"),
        number(object, "/spec/replicas"),
    );
    let [names, images] = containers(object);
    vec![
        json!(text(object, "/metadata/name")),
        json!(format!("{ready}/{desired}")),
        json!(age(object, now)),
        names,
        images,
    ]
}

pub(super) fn job(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(object);
    vec![
        json!(text(object, "/metadata/name")),
        json!(job_status(object)),
        json!(job_completions(object)),
        json!(job_duration(object, now)),
        json!(age(object, now)),
        names,
        images,
        selector_or_none(object),
    ]
}

fn job_status(object: &Value) -> &'static str {
    let is = |kind: &str| {
        let conditions = list(object, "/status/conditions");
        conditions
            .iter()
            .find(|condition| condition["type"] == kind)
            .is_some_and(|found| found["status"] == "True")
    };
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if !text(object, "/metadata/deletionTimestamp").is_empty() => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

fn job_completions(object: &Value) -> String {
    let (succeeded, parallelism) = (
        number(object, "/status/succeeded"),
        number(object, "/spec/parallelism"),
    );
    match object.pointer("/spec/completions").and_then(Value::as_i64) {
        Some(wanted) => format!("{succeeded}/{wanted}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    }
}

fn job_duration(object: &Value, now: Timestamp) -> String {
    let Ok(start) = text(object, "/status/startTime").parse::<Timestamp>() else {
        return String::new();
    };
    let end = text(object, "/status/completionTime")
        .parse()
        .unwrap_or(now);
    human_duration(end.as_second() - start.as_second())
}
