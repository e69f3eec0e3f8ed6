//! Rules about metadata that every write of a client goes through.

use serde_json::Value;

use crate::call::Call;
use crate::failure::Failure;

/// `metadata.<field>` as text, empty when absent.
pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value
        .get("metadata")
        .and_then(|m| m.get(field))
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Fills in the namespace of the path, and refuses another one
/// (`EnsureObjectNamespaceMatchesRequestNamespace`).
pub(crate) fn check_namespace(call: &Call<'_>, value: &mut Value) -> Result<(), Failure> {
    let own = text(value, "namespace");
    let wanted = call.namespace();
    if !call.kind.schema.namespaced {
        if own.is_empty() {
            return Ok(());
        }
        // Objects without namespaces may carry one by mistake; it is dropped.
        if let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            meta.remove("namespace");
        }
        return Ok(());
    }
    if wanted.is_empty() {
        return Err(call.not_supported("create"));
    }
    if !own.is_empty() && own != wanted {
        return Err(Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    value["metadata"]["namespace"] = Value::from(wanted);
    Ok(())
}

/// The name in the body must be the name in the path, or absent.
pub(crate) fn check_name(call: &Call<'_>, value: &mut Value) -> Result<(), Failure> {
    let own = text(value, "name");
    if own.is_empty() {
        value["metadata"]["name"] = Value::from(call.name());
    } else if own != call.name() {
        return Err(Failure::bad_request(format!(
            "the name of the object ({own}) does not match the name on the URL ({})",
            call.name()
        )));
    }
    Ok(())
}

/// Metadata that only the server writes (`WipeObjectMetaSystemFields`).
pub(crate) fn wipe_system_metadata(value: &mut Value) {
    if let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in [
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
        ] {
            meta.remove(field);
        }
    }
}
