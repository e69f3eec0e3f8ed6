//! `pods/eviction`. Budgets are not emulated (they cannot be created), so an eviction is a delete.

use axum::body::Body;
use drakit_sim_schema::GroupVersionKind;
use drakit_sim_store::DeleteOptions;
use http::StatusCode;
use serde_json::{Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::verbs::options::WriteOptions;
use crate::verbs::write;
use crate::{body, types};

/// Answers `POST pods/NAME/eviction`.
pub(crate) async fn create(mut call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "CreateOptions")?;
    let gvk = GroupVersionKind {
        group: "policy".into(),
        version: "v1".into(),
        kind: "Eviction".into(),
    };
    let eviction = types::decode(&mut call, &gvk, &bytes, options.validation)?;
    let name = write::text(&eviction, "name");
    if !name.is_empty() && name != call.name() {
        return Err(Failure::bad_request(
            "name in URL does not match name in Eviction object",
        ));
    }
    let given = |at: &str| eviction.pointer(&format!("/deleteOptions{at}"));
    let text = |at: &str| given(at).and_then(Value::as_str).map(str::to_owned);
    let delete = DeleteOptions {
        grace_period_seconds: given("/gracePeriodSeconds").and_then(Value::as_i64),
        uid: text("/preconditions/uid"),
        resource_version: text("/preconditions/resourceVersion"),
        propagation_policy: text("/propagationPolicy"),
    };
    let dry_run = options.dry_run || given("/dryRun").is_some();
    call.store(dry_run)
        .delete(&call.kind.store, &call.key(), &delete)?;
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(Answer::json(StatusCode::CREATED, status.to_string()))
}
