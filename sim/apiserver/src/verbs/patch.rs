//! `patch`: JSON patch, merge patch, strategic merge patch and server-side apply.

use axum::body::Body;
use drakit_api::{FieldError, FieldPath};
use drakit_sim_schema::{Decoded, FieldValidation, GroupVersionKind, PatchError, patch};
use drakit_sim_store::Expect;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::call::Call;
use crate::failure::{Cause, Failure};
use crate::negotiate::content_type;
use crate::query::invalid_option;
use crate::respond::Answer;
use crate::types::Tracking;
use crate::verbs::options::WriteOptions;
use crate::verbs::update::{Part, finish, replace};
use crate::verbs::write;
use crate::{body, encode};

/// Media types of patches.
const ACCEPTED: [&str; 4] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

/// How a patch is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatchKind {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl PatchKind {
    /// From the Content-Type.
    pub(crate) fn read(headers: &HeaderMap) -> Result<Self, Failure> {
        match content_type(headers).as_str() {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/strategic-merge-patch+json" => Ok(Self::Strategic),
            "application/apply-patch+yaml" => Ok(Self::Apply),
            _ => Err(Failure::unsupported_media_type(&ACCEPTED)),
        }
    }
}

impl From<PatchError> for Failure {
    fn from(error: PatchError) -> Self {
        let mut failure = Self::bad_request(error.to_string());
        failure.code = error.code();
        failure.reason = error.reason();
        if let PatchError::Rejected { cause } = error {
            let cause = Cause {
                kind: "UnexpectedServerResponse".into(),
                message: cause,
                field: String::new(),
            };
            failure = failure.with_causes(vec![cause]);
        }
        failure
    }
}

/// Answers a patch of an object.
pub(crate) async fn run(call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    part(call, body, Part::Main).await
}

/// Answers a patch of a part.
pub(crate) async fn part(mut call: Call<'_>, body: Body, part: Part) -> Result<Answer, Failure> {
    let kind = PatchKind::read(call.headers)?;
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "PatchOptions")?;
    let force = call.query.flag("force");
    if kind == PatchKind::Apply {
        return crate::verbs::apply::run(call, &bytes, part, &options, force == Some(true));
    }
    if force.is_some() {
        let why = "may not be specified for non-apply patch";
        let error = FieldError::forbidden(&FieldPath::new("force"), why);
        return Err(invalid_option("PatchOptions", &error));
    }
    let gvk = call.kind.schema.gvk();
    let (app, resource) = (call.app, call.kind);
    let mut warnings = Vec::new();
    let object = replace(
        &call.store(options.dry_run),
        resource,
        &call.key(),
        &Expect::any(),
        part,
        |old| {
            let patched = plain(&call, kind, &gvk, old, &bytes)?;
            let decoded = checked(&call, &gvk, patched, options.validation, || {
                shown(&call, kind, &gvk, old, &bytes)
            })?;
            warnings = decoded.warnings;
            let mut value = decoded.object;
            check_identity(&call, old, &mut value)?;
            finish(
                app,
                resource,
                part,
                old,
                value,
                Tracking::By(&options.manager),
            )
        },
    )?;
    call.warnings.append(&mut warnings);
    let mut answer = Answer::json(StatusCode::OK, encode::object(&call, &object)?);
    answer.warnings = call.warnings;
    Ok(answer)
}

/// Applies a patch that is not an apply.
pub(crate) fn plain(
    call: &Call<'_>,
    kind: PatchKind,
    gvk: &GroupVersionKind,
    current: &Value,
    bytes: &[u8],
) -> Result<Value, Failure> {
    Ok(match kind {
        PatchKind::Json => patch::json(current, bytes)?,
        PatchKind::Merge => patch::merge(current, bytes)?,
        PatchKind::Strategic => call.app.schemas.strategic_merge(gvk, current, bytes)?,
        PatchKind::Apply => return Err(Failure::unsupported_media_type(&ACCEPTED[..3])),
    })
}

/// Checks the result of a patch as a body is checked. What does not fit is refused in the words that
/// patches get, with `shown` as the value.
fn checked(
    call: &Call<'_>,
    gvk: &GroupVersionKind,
    patched: Value,
    validation: FieldValidation,
    shown: impl FnOnce() -> String,
) -> Result<Decoded, Failure> {
    call.app
        .schemas
        .check(gvk, patched, validation)
        .map_err(|error| {
            let path = FieldPath::new("patch");
            Failure::invalid(
                "",
                "",
                &[FieldError::invalid(&path, shown().as_str(), error.cause())],
            )
        })
}

/// What a refused patch shows: its result, or the patch itself where Kubernetes merges by type.
fn shown(
    call: &Call<'_>,
    kind: PatchKind,
    gvk: &GroupVersionKind,
    current: &Value,
    bytes: &[u8],
) -> String {
    match kind {
        PatchKind::Json | PatchKind::Merge => plain(call, kind, gvk, current, bytes)
            .map(|v| v.to_string())
            .unwrap_or_default(),
        PatchKind::Strategic | PatchKind::Apply => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A patch cannot move an object, and its resourceVersion must be the stored one.
pub(crate) fn check_identity(
    call: &Call<'_>,
    old: &Value,
    value: &mut Value,
) -> Result<(), Failure> {
    write::check_name(call, value)?;
    write::check_namespace(call, value)?;
    let version = write::text(value, "resourceVersion");
    if !matches!(version, "" | "0") && version != write::text(old, "resourceVersion") {
        return Err(stale(call));
    }
    let uid = write::text(value, "uid");
    if !uid.is_empty() && uid != write::text(old, "uid") {
        let why = format!(
            "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
            write::text(old, "uid")
        );
        return Err(Failure::conflict(&call.kind.qualified, call.name(), why));
    }
    Ok(())
}

fn stale(call: &Call<'_>) -> Failure {
    let why = "the object has been modified; please apply your changes to the latest version and try again";
    Failure::conflict(&call.kind.qualified, call.name(), why)
}
