//! `create`.

use std::sync::Arc;

use axum::body::Body;
use drakit_sim_store::{Object, StoreError};
use http::StatusCode;
use serde_json::{Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::types::Tracking;
use crate::verbs::options::WriteOptions;
use crate::verbs::update::Part;
use crate::verbs::write;
use crate::{admission, alias, body, encode, subresources, types, validate};

/// Names that are tried when generated ones collide (`maxNameGenerationCreateAttempts`).
const NAME_ATTEMPTS: usize = 8;

/// Answers a create.
pub(crate) async fn run(mut call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "CreateOptions")?;
    let gvk = call.kind.schema.gvk();
    let value = types::decode(&mut call, &gvk, &bytes, options.validation)?;
    if let Some(answer) = crate::reviews::answer(&call, &value) {
        return answer;
    }
    if call.kind.is("", "bindings") {
        return subresources::create_binding(&call, &value, &options);
    }
    let object = store_new(&mut call, value, &options, Tracking::By(&options.manager))?;
    let mut answer = Answer::json(StatusCode::CREATED, encode::object(&call, &object)?);
    answer.warnings = call.warnings;
    Ok(answer)
}

/// Stores a new object as a client gave it: metadata wiped, defaults, managed fields, admission,
/// validation. Also what an apply of an absent object ends in.
pub(crate) fn store_new(
    call: &mut Call<'_>,
    mut value: Value,
    options: &WriteOptions,
    tracking: Tracking<'_>,
) -> Result<Arc<Object>, Failure> {
    write::check_namespace(call, &mut value)?;
    write::wipe_system_metadata(&mut value);
    let app = call.app;
    let kind = call.kind;
    if !write::text(&value, "resourceVersion").is_empty() {
        return Err(Failure::untyped(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    let generated = write::text(&value, "name")
        .is_empty()
        .then(|| write::text(&value, "generateName").to_owned());
    if let Some(base) = generated.as_deref().filter(|base| !base.is_empty()) {
        value["metadata"]["name"] = json!(app.store.generate_name(base));
    }
    let name = write::text(&value, "name").to_owned();
    if let Some(why) = kind.refusal {
        let why = format!("not emulated by drakit: {why}");
        return Err(Failure::forbidden(&kind.qualified, &name, why));
    }
    types::default(app, kind, &mut value);
    types::track(app, kind, Part::Main, None, &mut value, tracking);
    admission::on_create(app, kind, &mut value)?;
    admission::prepare_for_create(app, kind, &mut value);
    validate::drop_disabled(kind, Part::Main, &mut value, None);
    validate::create(app, kind, &value)?;
    let store = call.store(options.dry_run);
    for _ in 0..NAME_ATTEMPTS {
        match store.create(&kind.store, alias::stored(kind, value.clone())) {
            Err(StoreError::AlreadyExists { .. }) if generated.is_some() => {
                let base = generated.as_deref().unwrap_or_default();
                value["metadata"]["name"] = json!(app.store.generate_name(base));
            }
            other => return Ok(other?),
        }
    }
    let message = format!(
        "{} {:?} already exists, the server was not able to generate a unique name for the object",
        kind.qualified,
        write::text(&value, "name")
    );
    Err(Failure {
        message,
        ..Failure::already_exists(&kind.qualified, write::text(&value, "name"))
    })
}
