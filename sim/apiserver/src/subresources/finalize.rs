//! `namespaces/finalize`: a namespace's `spec.finalizers`, which plain updates cannot change.

use axum::body::Body;
use http::StatusCode;

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::verbs::options::WriteOptions;
use crate::verbs::update::expectation;
use crate::verbs::write;
use crate::{body, encode, types};

/// Answers `PUT namespaces/NAME/finalize`.
pub(crate) async fn update(mut call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "UpdateOptions")?;
    let gvk = call.kind.schema.gvk();
    let mut value = types::decode(&mut call, &gvk, &bytes, options.validation)?;
    write::check_name(&call, &mut value)?;
    let finalizers = value.pointer("/spec/finalizers").cloned();
    let store = call.store(options.dry_run);
    let object = store.update_all::<Failure>(
        &call.kind.store,
        &call.key(),
        &expectation(&value),
        |old| {
            let mut new = old.value().clone();
            if let Some(spec) = new.get_mut("spec").and_then(|spec| spec.as_object_mut()) {
                match &finalizers {
                    Some(list) => spec.insert("finalizers".into(), list.clone()),
                    None => spec.remove("finalizers"),
                };
            }
            Ok(new)
        },
    )?;
    Ok(Answer::json(
        StatusCode::OK,
        encode::object(&call, &object)?,
    ))
}
