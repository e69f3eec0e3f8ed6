//! `scale` of deployments and replica sets: their size as an `autoscaling/v1` Scale.

use axum::body::Body;
use drakit_api::{FieldError, FieldPath};
use drakit_sim_schema::GroupVersionKind;
use drakit_sim_store::{Expect, Object};
use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::verbs::options::WriteOptions;
use crate::verbs::update::expectation;
use crate::verbs::{patch, write};
use crate::{body, types};

fn gvk() -> GroupVersionKind {
    GroupVersionKind {
        group: "autoscaling".into(),
        version: "v1".into(),
        kind: "Scale".into(),
    }
}

/// Answers `GET scale`.
pub(crate) fn get(call: &Call<'_>) -> Result<Answer, Failure> {
    let object = call.app.store.get(&call.kind.store, &call.key())?;
    Ok(Answer::value(&scale_of(&object)))
}

/// Answers `PUT scale`.
pub(crate) async fn update(mut call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "UpdateOptions")?;
    let mut scale = types::decode(&mut call, &gvk(), &bytes, options.validation)?;
    write::check_name(&call, &mut scale)?;
    let expect = expectation(&scale);
    resize(&call, &options, &expect, |_| Ok(scale.clone()))
}

/// Answers `PATCH scale`.
pub(crate) async fn patch(call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "PatchOptions")?;
    let kind = patch::PatchKind::read(call.headers)?;
    resize(&call, &options, &Expect::any(), |old| {
        patch::plain(&call, kind, &gvk(), &scale_of(old), &bytes)
    })
}

fn resize(
    call: &Call<'_>,
    options: &WriteOptions,
    expect: &Expect,
    scale: impl Fn(&Object) -> Result<Value, Failure>,
) -> Result<Answer, Failure> {
    let store = call.store(options.dry_run);
    let object = store.update(&call.kind.store, &call.key(), expect, |old| {
        let replicas = scale(old)?
            .pointer("/spec/replicas")
            .and_then(Value::as_i64)
            .unwrap_or(0);
        if replicas < 0 {
            let path = FieldPath::new("spec.replicas");
            let error = FieldError::invalid(&path, replicas, "must be greater than or equal to 0");
            return Err(Failure::invalid("Scale.autoscaling", old.name(), &[error]));
        }
        let mut new = old.value().clone();
        new["spec"]["replicas"] = json!(replicas);
        Ok(new)
    })?;
    Ok(Answer::json(StatusCode::OK, scale_of(&object).to_string()))
}

fn scale_of(object: &Object) -> Value {
    let mut meta = Map::new();
    for field in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        meta.insert(field.into(), object.at(&["metadata", field]).clone());
    }
    json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": meta,
        "spec": {"replicas": object.at(&["spec", "replicas"]).as_i64().unwrap_or(1)},
        "status": {
            "replicas": object.at(&["status", "replicas"]).as_i64().unwrap_or(0),
            "selector": selector_text(object.at(&["spec", "selector"])),
        },
    })
}

/// A label selector as text, as autoscalers want it.
fn selector_text(selector: &Value) -> String {
    let equal = selector
        .get("matchLabels")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let mut parts: Vec<String> = equal
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    let rules = selector
        .get("matchExpressions")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    for rule in rules {
        let key = rule.get("key").and_then(Value::as_str).unwrap_or_default();
        let values: Vec<&str> = rule
            .get("values")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let values = values.join(",");
        parts.push(
            match rule
                .get("operator")
                .and_then(Value::as_str)
                .unwrap_or_default()
            {
                "In" => format!("{key} in ({values})"),
                "NotIn" => format!("{key} notin ({values})"),
                "DoesNotExist" => format!("!{key}"),
                _ => key.to_owned(),
            },
        );
    }
    parts.sort();
    parts.join(",")
}
