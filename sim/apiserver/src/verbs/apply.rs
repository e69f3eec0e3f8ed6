//! Server-side apply: a patch that says what its manager wants, and creates what is absent.

use drakit_api::{FieldError, FieldPath};
use drakit_sim_schema::{FieldValidation, Manager, patch};
use drakit_sim_store::Expect;
use http::StatusCode;

use crate::call::Call;
use crate::encode;
use crate::failure::Failure;
use crate::query::invalid_option;
use crate::respond::Answer;
use crate::types::Tracking;
use crate::verbs::options::WriteOptions;
use crate::verbs::patch::check_identity;
use crate::verbs::update::{Part, finish, replace};
use crate::verbs::{create, write};

/// Answers an apply patch.
pub(crate) fn run(
    mut call: Call<'_>,
    bytes: &[u8],
    part: Part,
    options: &WriteOptions,
    force: bool,
) -> Result<Answer, Failure> {
    if call.query.text("fieldManager").is_none() {
        let path = FieldPath::new("fieldManager");
        let error = FieldError::required(&path, "is required for apply patch");
        return Err(invalid_option("PatchOptions", &error));
    }
    let config = patch::configuration(bytes)?;
    let (app, kind) = (call.app, call.kind);
    let gvk = kind.schema.gvk();
    let time = app.store.clock().now_seconds();
    let manager = Manager {
        name: &options.manager,
        subresource: part.subresource(),
        time: &time,
    };
    let updated = replace(
        &call.store(options.dry_run),
        kind,
        &call.key(),
        &Expect::any(),
        part,
        |old| {
            let applied = app
                .schemas
                .apply(&gvk, Some(old), &config, &manager, force)?;
            let mut value = app
                .schemas
                .check(&gvk, applied, FieldValidation::Ignore)?
                .object;
            check_identity(&call, old, &mut value)?;
            finish(app, kind, part, old, value, Tracking::Done)
        },
    );
    let (code, object) = match updated {
        Err(failure) if failure.code == 404 && part == Part::Main => {
            let uid = write::text(&config, "uid");
            if !uid.is_empty() {
                let why = format!(
                    "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                );
                return Err(Failure::conflict(&kind.qualified, call.name(), why));
            }
            let applied = app.schemas.apply(&gvk, None, &config, &manager, force)?;
            let mut value = app
                .schemas
                .check(&gvk, applied, FieldValidation::Ignore)?
                .object;
            write::check_name(&call, &mut value)?;
            let object = create::store_new(&mut call, value, options, Tracking::Done)?;
            (StatusCode::CREATED, object)
        }
        other => (StatusCode::OK, other?),
    };
    let mut answer = Answer::json(code, encode::object(&call, &object)?);
    answer.warnings = call.warnings;
    Ok(answer)
}
