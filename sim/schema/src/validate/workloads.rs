//! Controllers' objects (`pkg/apis/{apps,batch}/validation`).

use drakit_api::{FieldError, FieldPath, field::BadValue};
use serde_json::Value;

use super::{
    metadata, pods,
    rules::{Errors, immutable, not_negative, one_of, text},
};

pub(super) fn deployment(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    not_negative(spec, "replicas", path, errors);
    selector(spec, Some("deployment"), path, errors);
    labels(spec, path, errors);
    template(spec, path, errors);
    always_restarts(spec, path, errors);
    strategy(spec, path, errors);
    for field in [
        "minReadySeconds",
        "revisionHistoryLimit",
        "progressDeadlineSeconds",
    ] {
        not_negative(spec, field, path, errors);
    }
    let (deadline, ready) = (
        spec["progressDeadlineSeconds"].as_i64(),
        spec["minReadySeconds"].as_i64(),
    );
    if let Some(seconds) = deadline.filter(|seconds| *seconds <= ready.unwrap_or_default()) {
        let path = path.child("progressDeadlineSeconds");
        errors.push(FieldError::invalid(
            &path,
            seconds,
            "must be greater than minReadySeconds",
        ));
    }
}

pub(super) fn replica_set(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    not_negative(spec, "replicas", path, errors);
    not_negative(spec, "minReadySeconds", path, errors);
    // Kubernetes says deployment here, too.
    selector(spec, Some("deployment"), path, errors);
    labels(spec, path, errors);
    template(spec, path, errors);
    always_restarts(spec, path, errors);
}

pub(super) fn daemon_set(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    labels(spec, path, errors);
    if !spec["selector"].is_null() {
        selector(spec, Some("daemonset"), path, errors);
    }
    template(spec, path, errors);
    always_restarts(spec, path, errors);
    not_negative(spec, "minReadySeconds", path, errors);
    not_negative(spec, "revisionHistoryLimit", path, errors);
}

pub(super) fn job(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    for field in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        not_negative(spec, field, path, errors);
    }
    let mode = text(spec, "completionMode");
    one_of(
        mode,
        &["NonIndexed", "Indexed"],
        false,
        &path.child("completionMode"),
        errors,
    );
    if mode == "Indexed" && spec["completions"].is_null() {
        errors.push(FieldError::required(
            &path.child("completions"),
            "when completion mode is Indexed",
        ));
    }
    template(spec, path, errors);
    job_restarts(spec, path, errors);
}

fn job_restarts(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let supported = ["OnFailure", "Never"];
    let (template, restart) = (
        path.child("template"),
        text(&spec["template"]["spec"], "restartPolicy"),
    );
    let spec_path = template.child("spec");
    let path = spec_path.child("restartPolicy");
    match restart {
        "" | "Always" => {
            errors.push(FieldError::required(
                &path,
                "valid values: \"OnFailure\", \"Never\"",
            ));
        }
        "OnFailure" if !spec["podFailurePolicy"].is_null() => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.push(FieldError::invalid(&path, restart, detail));
        }
        other => one_of(other, &supported, true, &path, errors),
    }
}

/// What a change of a job must leave.
pub(super) fn job_update(new: &Value, old: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    if text(new, "completionMode") != "Indexed" {
        immutable(new, old, "completions", path, errors);
    }
    for field in [
        "selector",
        "template",
        "completionMode",
        "podFailurePolicy",
        "backoffLimitPerIndex",
        "managedBy",
        "successPolicy",
    ] {
        immutable(new, old, field, path, errors);
    }
}

/// A selector must be there and select something.
fn selector(spec: &Value, kind: Option<&str>, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("selector");
    let size = |field: &str| match &spec["selector"][field] {
        Value::Object(entries) => entries.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if spec["selector"].is_null() {
        errors.push(FieldError::required(&path, ""));
    } else if let Some(kind) = kind
        && size("matchLabels") + size("matchExpressions") == 0
    {
        let detail = format!("empty selector is invalid for {kind}");
        errors.push(FieldError::invalid(
            &path,
            BadValue::json(&spec["selector"]),
            detail,
        ));
    }
}

/// The template's labels must match the selector; no selector selects nothing.
fn labels(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let labels = &spec["template"]["metadata"]["labels"];
    if selects(&spec["selector"], labels) {
        return;
    }
    let (template, detail) = (
        path.child("template"),
        "`selector` does not match template `labels`",
    );
    let metadata = template.child("metadata");
    errors.push(FieldError::invalid(
        &metadata.child("labels"),
        BadValue::json(labels),
        detail,
    ));
}

fn selects(selector: &Value, labels: &Value) -> bool {
    if selector.is_null() {
        return false;
    }
    let equal = selector["matchLabels"]
        .as_object()
        .into_iter()
        .flatten()
        .all(|(key, value)| labels[key] == *value);
    let expressions = selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten()
        .all(|expression| {
            let label = &labels[text(expression, "key")];
            let among = expression["values"]
                .as_array()
                .is_some_and(|values| values.contains(label));
            match text(expression, "operator") {
                "In" => among,
                "NotIn" => !among,
                "Exists" => !label.is_null(),
                _ => label.is_null(),
            }
        });
    equal && expressions
}

fn template(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("template");
    // Kubernetes names the paths `template.labels` and `template.annotations`.
    metadata::labels_and_annotations(&spec["template"]["metadata"], &path, errors);
    pods::spec(&spec["template"]["spec"], &path.child("spec"), errors);
}

fn always_restarts(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let template = path.child("template");
    let spec_path = template.child("spec");
    let restart = text(&spec["template"]["spec"], "restartPolicy");
    if restart != "Always" {
        errors.push(FieldError::not_supported(
            &spec_path.child("restartPolicy"),
            restart,
            &["Always"],
        ));
    }
}

fn strategy(spec: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let (path, strategy) = (path.child("strategy"), &spec["strategy"]);
    let rolling = &strategy["rollingUpdate"];
    match text(strategy, "type") {
        "RollingUpdate" => {}
        "Recreate" if rolling.is_null() => {}
        "Recreate" => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            errors.push(FieldError::forbidden(&path.child("rollingUpdate"), detail));
        }
        other => {
            let shown = format!(
                "{{\"Type\":{},\"RollingUpdate\":{rolling}}}",
                Value::from(other)
            );
            errors.push(FieldError::not_supported(
                &path,
                BadValue::Plain(shown),
                &["Recreate", "RollingUpdate"],
            ));
        }
    }
}
