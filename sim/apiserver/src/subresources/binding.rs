//! `pods/binding`: a pod gets its node (`pkg/registry/core/pod/storage/storage.go`, `BindingREST`).

use axum::body::Body;
use drakit_api::{FieldError, FieldPath};
use drakit_sim_schema::GroupVersionKind;
use drakit_sim_store::resource::PODS;
use drakit_sim_store::{Expect, Key, Object};
use http::StatusCode;
use serde_json::{Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::verbs::options::WriteOptions;
use crate::verbs::write;
use crate::{body, types};

/// Answers `POST pods/NAME/binding`.
pub(crate) async fn create(mut call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "CreateOptions")?;
    let gvk = GroupVersionKind {
        group: String::new(),
        version: "v1".into(),
        kind: "Binding".into(),
    };
    let binding = types::decode(&mut call, &gvk, &bytes, options.validation)?;
    let name = write::text(&binding, "name");
    if !name.is_empty() && name != call.name() {
        return Err(Failure::bad_request(
            "name in URL does not match name in Binding object",
        ));
    }
    let key = call.key();
    bind(&call, &key, &binding, &options)
}

/// Answers `POST bindings`, where the binding carries the pod's name.
pub(crate) fn create_in_namespace(
    call: &Call<'_>,
    binding: &Value,
    options: &WriteOptions,
) -> Result<Answer, Failure> {
    let key = Key::new(call.namespace(), write::text(binding, "name"));
    bind(call, &key, binding, options)
}

fn bind(
    call: &Call<'_>,
    key: &Key,
    binding: &Value,
    options: &WriteOptions,
) -> Result<Answer, Failure> {
    let target = |field: &str| {
        binding
            .pointer(&format!("/target/{field}"))
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    check_target(&key.name, target("kind"), target("name"))?;
    let node = target("name");
    let given = |field| {
        Some(write::text(binding, field))
            .filter(|t| !t.is_empty())
            .map(str::to_owned)
    };
    let expect = Expect {
        uid: given("uid"),
        resource_version: given("resourceVersion"),
    };
    let now = call.app.store.clock().now_seconds();
    call.store(options.dry_run)
        .update_all(&PODS, key, &expect, |pod| assign(pod, node, binding, &now))?;
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(Answer::json(StatusCode::CREATED, status.to_string()))
}

/// `ValidatePodBinding`.
fn check_target(pod: &str, kind: &str, node: &str) -> Result<(), Failure> {
    let mut errors = Vec::new();
    if !matches!(kind, "" | "Node") {
        let path = FieldPath::new("target.kind");
        errors.push(FieldError::not_supported(&path, kind, &["Node", "<empty>"]));
    }
    if node.is_empty() {
        errors.push(FieldError::required(&FieldPath::new("target.name"), ""));
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Failure::invalid("Binding", pod, &errors))
    }
}

/// The pod on its node.
fn assign(pod: &Object, node: &str, binding: &Value, now: &str) -> Result<Value, Failure> {
    let conflict = |why: String| Err(Failure::conflict("pods/binding", pod.name(), why));
    if pod.is_deleting() {
        return conflict(format!(
            "pod {} is being deleted, cannot be assigned to a host",
            pod.name()
        ));
    }
    let assigned = pod.str_at(&["spec", "nodeName"]);
    if !assigned.is_empty() {
        return conflict(format!(
            "pod {} is already assigned to node {assigned:?}",
            pod.name()
        ));
    }
    if pod
        .at(&["spec", "schedulingGates"])
        .as_array()
        .is_some_and(|gates| !gates.is_empty())
    {
        return conflict(format!(
            "pod {} has non-empty .spec.schedulingGates",
            pod.name()
        ));
    }
    let mut bound = pod.value().clone();
    bound["spec"]["nodeName"] = json!(node);
    for field in ["annotations", "labels"] {
        let added = binding
            .get("metadata")
            .and_then(|m| m.get(field))
            .and_then(Value::as_object);
        for (key, value) in added.into_iter().flatten() {
            bound["metadata"][field][key] = value.clone();
        }
    }
    set_scheduled(&mut bound, now);
    Ok(bound)
}

/// The condition that tells that a pod has a node.
fn set_scheduled(pod: &mut Value, now: &str) {
    let condition = json!({
        "type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": now,
        "observedGeneration": pod.pointer("/metadata/generation"),
    });
    let conditions = &mut pod["status"]["conditions"];
    match conditions.as_array_mut() {
        Some(list) => match list.iter_mut().find(|c| c["type"] == "PodScheduled") {
            Some(old) => *old = condition,
            None => list.push(condition),
        },
        None => *conditions = json!([condition]),
    }
}
