//! Fields that only the server sets, by kind (`PrepareForCreate`, `PrepareForUpdate` of the strategies
//! under `pkg/registry`).

use serde_json::{Value, json};

use super::qos;
use crate::app::App;
use crate::catalogue::Kind;
use crate::verbs::update::Part;
use crate::verbs::write::text;

/// Labels by which a job finds its pods (`pkg/registry/batch/job/strategy.go`); the short ones are the
/// names from before 1.27.
const JOB_UID_LABEL: &str = "batch.kubernetes.io/controller-uid";
const JOB_LABELS: [(&str, &str); 2] = [
    ("batch.kubernetes.io/job-name", "job-name"),
    (JOB_UID_LABEL, "controller-uid"),
];

/// Sets what a client cannot choose for a new object.
pub(crate) fn prepare_for_create(app: &App, kind: &Kind, value: &mut Value) {
    match (kind.schema.group.as_str(), kind.schema.plural.as_str()) {
        // Nodes register with a status; the store gives namespaces theirs.
        ("", "nodes") => {}
        ("", "namespaces") => label_with_name(value),
        ("", "pods") => {
            let class = qos::class(value.get("spec").unwrap_or(&Value::Null));
            value["status"] = json!({"phase": "Pending", "qosClass": class});
        }
        ("batch", "jobs") => {
            value["status"] = json!({});
            select_job_pods(app, value);
        }
        _ if kind.store.has_status => value["status"] = json!({}),
        _ => {}
    }
}

/// Every namespace carries its name as a label, so that selectors can name it.
fn label_with_name(value: &mut Value) {
    let name = text(value, "name").to_owned();
    value["metadata"]["labels"]["kubernetes.io/metadata.name"] = json!(name);
}

fn select_job_pods(app: &App, job: &mut Value) {
    if job.pointer("/spec/manualSelector").and_then(Value::as_bool) == Some(true) {
        return;
    }
    let uid = app.store.new_uid();
    let name = text(job, "name").to_owned();
    job["metadata"]["uid"] = json!(uid);
    if !job["spec"].is_object() {
        return;
    }
    job["spec"]["selector"]["matchLabels"][JOB_UID_LABEL] = json!(uid);
    for ((long, short), value) in JOB_LABELS.into_iter().zip([name, uid]) {
        for label in [long, short] {
            job["spec"]["template"]["metadata"]["labels"][label] = json!(value);
        }
    }
}

/// Puts back the part that a write is not about.
pub(crate) fn prepare_for_update(kind: &Kind, part: Part, old: &Value, value: &mut Value) {
    let Some(new) = value.as_object_mut() else {
        return;
    };
    match part {
        Part::Main if kind.store.has_status => match old.get("status") {
            Some(status) => new.insert("status".into(), status.clone()),
            None => new.remove("status"),
        },
        Part::Main => None,
        Part::Status => {
            let status = new.remove("status");
            let managed = new
                .get_mut("metadata")
                .and_then(|m| m.get_mut("managedFields"))
                .map(Value::take);
            let mut whole = old.clone();
            if let Some(object) = whole.as_object_mut() {
                match status {
                    Some(status) => object.insert("status".into(), status),
                    None => object.remove("status"),
                };
                if let (Some(managed), Some(meta)) = (managed, object.get_mut("metadata")) {
                    meta["managedFields"] = managed;
                }
            }
            *value = whole;
            None
        }
    };
    if kind.is("", "namespaces") {
        label_with_name(value);
    }
}
