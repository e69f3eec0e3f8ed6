//! The seam to `drakit_sim_schema`: its errors in the words of a `metav1.Status`.

use drakit_sim_schema::{DecodeError, FieldValidation, GroupVersionKind, MediaType};
use http::header::CONTENT_TYPE;
use drakit_sim_store::Object;
use serde_json::Value;

use crate::app::App;
use crate::call::Call;
use crate::catalogue::Kind;
use crate::failure::Failure;
use crate::verbs::update::Part;

/// Media types that object bodies may have.
const READ: [&str; 3] =
    ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

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
    let header = call.headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
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

/// Records who set which field of a new object.
pub(crate) fn track_create(_app: &App, _kind: &Kind, _value: &mut Value, _manager: &str) {}

/// Records who changed which field.
pub(crate) fn track_update(
    _app: &App,
    _kind: &Kind,
    _part: Part,
    _old: &Object,
    _value: &mut Value,
    _manager: &str,
) {
}
