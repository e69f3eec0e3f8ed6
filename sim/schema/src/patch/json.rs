//! JSON patch (RFC 6902) and JSON merge patch (RFC 7396).

use json_patch::PatchOperation;
use serde_json::Value;

use super::error::{MAX_OPERATIONS, PatchError};

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
