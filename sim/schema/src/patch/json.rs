//! JSON patch (RFC 6902) and JSON merge patch (RFC 7396).

use json_patch::PatchOperation;
use serde_json::Value;

use super::error::{MAX_OPERATIONS, PatchError};
use crate::decode::parse_yaml;

/// Applies a JSON patch.
///
/// # Errors
/// When the body is not one, or does not apply.
pub fn json(current: &Value, body: &[u8]) -> Result<Value, PatchError> {
    let operations: Vec<PatchOperation> =
        serde_json::from_slice(body).map_err(|error| PatchError::Decoding(error.to_string()))?;
    if operations.len() > MAX_OPERATIONS {
        return Err(PatchError::TooLarge(operations.len()));
    }
    let mut patched = current.clone();
    json_patch::patch(&mut patched, &operations).map_err(|error| PatchError::Rejected {
        cause: error.to_string(),
    })?;
    Ok(patched)
}

/// Applies a JSON merge patch.
///
/// # Errors
/// When the body is not a JSON object.
pub fn merge(current: &Value, body: &[u8]) -> Result<Value, PatchError> {
    let patch: Value =
        serde_json::from_slice(body).map_err(|error| PatchError::Decoding(error.to_string()))?;
    if !patch.is_object() {
        return Err(PatchError::Malformed("Invalid JSON Patch".to_owned()));
    }
    let mut patched = current.clone();
    json_patch::merge(&mut patched, &patch);
    Ok(patched)
}

/// Reads the body of a server-side apply request, YAML or JSON, as it is: unlike a decoded
/// object it keeps unknown fields, which [`crate::Schemas::apply`] refuses.
///
/// # Errors
/// When the body is neither, or not an object.
pub fn configuration(body: &[u8]) -> Result<Value, PatchError> {
    let raw = parse_yaml(body).map_err(|error| {
        PatchError::Decoding(format!("error converting YAML to JSON: yaml: {error}"))
    })?;
    match raw.into_value() {
        value @ Value::Object(_) => Ok(value),
        other => {
            let cause = format!("expected an object, got {}", crate::go_print::value(&other));
            Err(PatchError::Decoding(cause))
        }
    }
}
