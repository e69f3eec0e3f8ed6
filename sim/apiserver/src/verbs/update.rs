//! `update`, of objects and of their status.

use std::sync::Arc;

use axum::body::Body;
use drakit_sim_store::{Expect, Key, Object, Store};
use http::StatusCode;
use serde_json::Value;

use crate::app::App;
use crate::call::Call;
use crate::catalogue::Kind;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::types::Tracking;
use crate::verbs::options::WriteOptions;
use crate::verbs::write;
use crate::{admission, alias, body, encode, types, validate};

/// Which part of an object a write is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Everything but the status.
    Main,
    /// The status.
    Status,
}

impl Part {
    /// The subresource as managed fields name it.
    pub(crate) fn subresource(self) -> &'static str {
        match self {
            Self::Main => "",
            Self::Status => "status",
        }
    }
}

/// Answers an update.
pub(crate) async fn run(call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    part(call, body, Part::Main).await
}

/// Answers an update of a part.
pub(crate) async fn part(mut call: Call<'_>, body: Body, part: Part) -> Result<Answer, Failure> {
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "UpdateOptions")?;
    let gvk = call.kind.schema.gvk();
    let mut value = types::decode(&mut call, &gvk, &bytes, options.validation)?;
    write::check_name(&call, &mut value)?;
    write::check_namespace(&call, &mut value)?;
    let expect = expectation(&value);
    let store = call.store(options.dry_run);
    let (app, kind) = (call.app, call.kind);
    let object = replace(&store, kind, &call.key(), &expect, part, |old| {
        finish(
            app,
            kind,
            part,
            old,
            value.clone(),
            Tracking::By(&options.manager),
        )
    });
    let object = match object {
        Err(failure) if failure.code == 404 && part == Part::Main && creates_on_update(kind) => {
            let object = super::create::store_new(
                &mut call,
                value,
                &options,
                Tracking::By(&options.manager),
            )?;
            let mut answer = Answer::json(StatusCode::CREATED, encode::object(&call, &object)?);
            answer.warnings = call.warnings;
            return Ok(answer);
        }
        other => other?,
    };
    let mut answer = Answer::json(StatusCode::OK, encode::object(&call, &object)?);
    answer.warnings = call.warnings;
    Ok(answer)
}

/// The version and incarnation that a body was read from.
pub(crate) fn expectation(value: &Value) -> Expect {
    let given = |field| {
        Some(write::text(value, field))
            .filter(|t| !t.is_empty())
            .map(str::to_owned)
    };
    Expect {
        uid: given("uid"),
        resource_version: given("resourceVersion"),
    }
}

/// Replaces one part of a stored object. `change` sees the old object as its kind shows it.
pub(crate) fn replace(
    store: &Store,
    kind: &Kind,
    key: &Key,
    expect: &Expect,
    part: Part,
    mut change: impl FnMut(&Value) -> Result<Value, Failure>,
) -> Result<Arc<Object>, Failure> {
    let change = |old: &Object| {
        let new = change(&alias::served(kind, old.value()))?;
        Ok(alias::stored(kind, new))
    };
    match part {
        Part::Main => store.update(&kind.store, key, expect, change),
        Part::Status => store.update_status(&kind.store, key, expect, change),
    }
}

/// What becomes of `value` before it replaces `old`: defaults, the part that this write cannot change,
/// managed fields, validation.
pub(crate) fn finish(
    app: &App,
    kind: &Kind,
    part: Part,
    old: &Value,
    mut value: Value,
    tracking: Tracking<'_>,
) -> Result<Value, Failure> {
    types::default(app, kind, &mut value);
    admission::prepare_for_update(kind, part, old, &mut value);
    types::track(app, kind, part, Some(old), &mut value, tracking);
    validate::drop_disabled(kind, part, &mut value, Some(old));
    validate::update(app, kind, part, old, &value)?;
    Ok(value)
}

/// Kinds that an update creates when absent (`AllowCreateOnUpdate`).
fn creates_on_update(kind: &Kind) -> bool {
    matches!(
        (kind.schema.group.as_str(), kind.schema.plural.as_str()),
        ("coordination.k8s.io", "leases")
            | ("", "events" | "services" | "endpoints")
            | ("rbac.authorization.k8s.io", _)
    )
}
