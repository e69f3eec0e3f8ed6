//! By kind.

use serde_json::Value;

use super::checks::Checks;
use super::{claim, claim_status, class, slice, taint_rule};
use crate::field::FieldError;

/// What is wrong with a new object, after defaulting and
/// [`drop_disabled_fields`](super::drop_disabled_fields); `None` if the kind is not
/// known here.
pub fn create(kind: &str, new: &Value, checks: &Checks<'_>) -> Option<Vec<FieldError>> {
    Some(match kind {
        "ResourceClaim" => claim::resource_claim(new, checks),
        "ResourceClaimTemplate" => claim::resource_claim_template(new, checks),
        "ResourceSlice" => slice::resource_slice(new, None, checks),
        "DeviceClass" => class::device_class(new, checks),
        "DeviceTaintRule" => taint_rule::device_taint_rule(new),
        _ => return None,
    })
}

/// What is wrong with an object that replaces `old`; as [`create`].
pub fn update(
    kind: &str,
    new: &Value,
    old: &Value,
    checks: &Checks<'_>,
) -> Option<Vec<FieldError>> {
    Some(match kind {
        "ResourceClaim" => claim::resource_claim_update(new, old),
        "ResourceClaimTemplate" => claim::resource_claim_template_update(new, old, checks),
        "ResourceSlice" => slice::resource_slice(new, Some(old), checks),
        "DeviceClass" => class::device_class_update(new, old, checks),
        "DeviceTaintRule" => taint_rule::device_taint_rule_update(new, old),
        _ => return None,
    })
}

/// What is wrong with an object whose status replaces that of `old`; as [`create`].
pub fn status_update(
    kind: &str,
    new: &Value,
    old: &Value,
    _checks: &Checks<'_>,
) -> Option<Vec<FieldError>> {
    Some(match kind {
        "ResourceClaim" => claim_status::resource_claim_status_update(new, old),
        "DeviceTaintRule" => taint_rule::device_taint_rule_status_update(new, old),
        _ => return None,
    })
}
