//! The seam to `drakit_sim_schema`: its errors in the words of a `metav1.Status`.

use drakit_sim_schema::{
    ApplyError, DecodeError, FieldValidation, GroupVersionKind, Manager, MediaType,
};
use http::header::CONTENT_TYPE;
use serde_json::Value;

use crate::app::App;
use crate::call::Call;
use crate::catalogue::Kind;
use crate::failure::{Cause, Failure};
use crate::verbs::update::Part;

/// Media types that object bodies may have.
const READ: [&str; 3] = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
];

impl From<ApplyError> for Failure {
    fn from(error: ApplyError) -> Self {
        let message = error.to_string();
        match error {
            ApplyError::Conflicts(conflicts) => {
                let causes = conflicts
                    .iter()
                    .map(|conflict| Cause {
                        kind: "FieldManagerConflict".into(),
                        message: conflict.message(),
                        field: conflict.field.clone(),
                    })
                    .collect();
                Self::apply_conflict(message, causes)
            }
            ApplyError::BadRequest(_) => Self::bad_request(message),
            ApplyError::Untyped(_) => Self::untyped(message),
        }
    }
}

impl From<DecodeError> for Failure {
    fn from(error: DecodeError) -> Self {
        Self::bad_request(error.to_string())
    }
}

/// Decodes the body of a request as `expected`; what was dropped becomes a warning.
pub(crate) fn decode(
    call: &mut Call<'_>,
    expected: &GroupVersionKind,
    body: &[u8],
    validation: FieldValidation,
) -> Result<Value, Failure> {
    let header = call
        .headers
        .get(CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .unwrap_or_default();
    let media = MediaType::from_content_type(header)
        .ok_or_else(|| Failure::unsupported_media_type(&READ))?;
    let decoded = call.app.schemas.decode(expected, body, media, validation)?;
    call.warnings.extend(decoded.warnings);
    Ok(decoded.object)
}

/// Fills in what the client left out, and brings the object into the form that Go would write.
pub(crate) fn default(app: &App, kind: &Kind, value: &mut Value) {
    let gvk = kind.schema.gvk();
    app.schemas.default(&gvk, value, app.store.clock().now());
    app.schemas.canonicalize(&gvk, value);
}

/// Who is to be recorded in an object's managed fields.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tracking<'a> {
    /// This manager, for what it changes.
    By(&'a str),
    /// Nobody: an apply has recorded its manager already.
    Done,
}

/// Records who set which field. `old` is `None` for a new object.
pub(crate) fn track(
    app: &App,
    kind: &Kind,
    part: Part,
    old: Option<&Value>,
    value: &mut Value,
    tracking: Tracking<'_>,
) {
    if let Tracking::By(name) = tracking {
        let time = app.store.clock().now_seconds();
        let manager = Manager {
            name,
            subresource: part.subresource(),
            time: &time,
        };
        app.schemas
            .track_update(&kind.schema.gvk(), old, value, &manager);
    }
}
