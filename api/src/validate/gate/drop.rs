//! What is dropped from an object, by kind.

use serde_json::Value;

use super::{Gates, claim, claim_status, slice};
use crate::validate::view;

/// Which part of an object a request writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All but the status.
    Main,
    /// The status.
    Status,
}

/// Removes the fields of features that are off from `new`, unless `old` uses the
/// feature already. From the status of a claim it removes also what `status.devices`
/// says of devices that are no longer allocated.
///
/// What a strategy resets (the status on create, the spec on a status update) is not
/// done here. Source: `kubernetes/pkg/registry/resource/*/strategy.go`.
pub fn drop_disabled_fields(
    kind: &str,
    part: Part,
    new: &mut Value,
    old: Option<&Value>,
    gates: &Gates,
) {
    match (kind, part) {
        ("ResourceClaim", Part::Main) => claim::drop_from_spec(new, old, "/spec", gates),
        ("ResourceClaim", Part::Status) => claim_status::drop_from_status(new, old, gates),
        ("ResourceClaimTemplate", Part::Main) => {
            claim::drop_from_spec(new, old, "/spec/spec", gates);
        }
        ("ResourceSlice", Part::Main) => slice::drop_from_slice(new, old, gates),
        ("DeviceClass", Part::Main) => {
            let name = "extendedResourceName";
            let is_used =
                old.is_some_and(|old| view::present(view::part(old, "spec"), name).is_some());
            if !gates.extended_resource && !is_used {
                remove(new.pointer_mut("/spec"), name);
            }
        }
        _ => {}
    }
}

/// Removes a field, if there is an object that has it.
pub(super) fn remove(object: Option<&mut Value>, name: &str) {
    if let Some(object) = object.and_then(Value::as_object_mut) {
        object.remove(name);
    }
}

/// The items of a list, to be changed.
pub(super) fn items_mut<'a>(
    object: &'a mut Value,
    pointer: &str,
) -> impl Iterator<Item = &'a mut Value> {
    object
        .pointer_mut(pointer)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
}

/// The items of a list at a JSON pointer.
pub(super) fn items<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    object
        .pointer(pointer)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Whether a field is neither absent, null, nor an empty list or map.
pub(super) fn filled(object: &Value, name: &str) -> bool {
    match view::part(object, name) {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => true,
    }
}

/// Whether a field is set, even to something empty.
pub(super) fn set(object: &Value, name: &str) -> bool {
    view::present(object, name).is_some()
}
