//! `status.conditions`. The markers on them are of alpha level.
//!
//! Source: `apimachinery/pkg/apis/meta/v1/validation/validation.go`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::findings::Findings;
use super::view;
use crate::field::{BadValue, FieldError, FieldPath};
use crate::names::check;

const REASON_MAX_LENGTH: usize = 1024;
const MESSAGE_MAX_LENGTH: usize = 32 * 1024;
const REASON_RULE: &str = "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/// `conditions` of `object`.
pub(super) fn conditions(object: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("conditions");
    let mut types = BTreeSet::new();
    for (index, item) in view::list(object, "conditions").iter().enumerate() {
        let path = path.index(index);
        let kind = view::text(item, "type");
        if !types.insert(kind) {
            out.add(FieldError::duplicate(&path, kind));
        }
        condition(item, &path, out);
    }
}

fn condition(condition: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    match view::text(condition, "type") {
        "" => out.add(FieldError::required(&path.child("type"), "is required")),
        kind => out.all(check::label_key(kind, &path.child("type"))),
    }
    match view::text(condition, "status") {
        "" => out.add(FieldError::required(&path.child("status"), "")),
        "True" | "False" | "Unknown" => {}
        status => out.add(FieldError::not_supported(
            &path.child("status"),
            BadValue::json(&status),
            &["False", "True", "Unknown"],
        )),
    }
    let generation = view::number(condition, "observedGeneration");
    if generation < 0 {
        let path = path.child("observedGeneration");
        out.add(FieldError::invalid(
            &path,
            generation,
            "must be greater than or equal to zero",
        ));
    }
    if view::text(condition, "lastTransitionTime").is_empty() {
        out.add(FieldError::required(&path.child("lastTransitionTime"), ""));
    }
    let reason = view::text(condition, "reason");
    if reason.is_empty() {
        out.add(FieldError::required(&path.child("reason"), ""));
    } else {
        if !is_reason(reason) {
            out.add(FieldError::invalid(
                &path.child("reason"),
                reason,
                REASON_RULE,
            ));
        }
        if reason.len() > REASON_MAX_LENGTH {
            out.add(FieldError::too_long(
                &path.child("reason"),
                REASON_MAX_LENGTH,
            ));
        }
    }
    if view::text(condition, "message").len() > MESSAGE_MAX_LENGTH {
        out.add(FieldError::too_long(
            &path.child("message"),
            MESSAGE_MAX_LENGTH,
        ));
    }
}

fn is_reason(reason: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_,:".contains(&byte);
    let is_last = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    reason.bytes().all(is_inner)
        && reason
            .as_bytes()
            .first()
            .is_some_and(u8::is_ascii_alphabetic)
        && reason.as_bytes().last().is_some_and(is_last)
}
