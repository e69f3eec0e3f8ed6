//! Taints, tolerations and device taint rules.

use serde_json::Value;

use super::formats;
use super::markers::{self, Parent};
use crate::field::FieldPath;
use crate::validate::findings::{Findings, Level};
use crate::validate::taint::{EFFECTS, OPERATORS};
use crate::validate::{shape, view};

/// A `DeviceTaintRule`.
pub(in crate::validate) fn device_taint_rule(new: &Value, old: Option<&Value>) -> Findings {
    let mut out = Findings::default();
    let [new, old] = [Some(new), old]
        .map(|object| object.map(|object| view::part(view::part(object, "spec"), "taint")));
    if let Some(new) = new {
        let path = FieldPath::new("spec");
        let path = &path.child("taint");
        taint(
            &Parent {
                shape: &shape::DEVICE_TAINT,
                new,
                old,
                path,
            },
            &mut out,
        );
    }
    out
}

/// A taint.
pub(super) fn taint(taint: &Parent<'_>, out: &mut Findings) {
    taint.required_text("effect", Level::Beta, None, out);
    taint.one_of("effect", &EFFECTS, out);
}

/// `tolerations` of a request or result.
pub(super) fn tolerations(parent: &Parent<'_>, out: &mut Findings) {
    let tolerations = parent.items("tolerations", usize::MAX, Level::Beta, out);
    let path = parent.path.child("tolerations");
    markers::each(
        tolerations,
        &shape::DEVICE_TOLERATION,
        &path,
        out,
        |toleration, out| {
            let key = view::text(toleration.new, "key");
            if !key.is_empty() {
                formats::label_key(key, &toleration.path.child("key"), Level::Beta, out);
            }
            toleration.required_text("operator", Level::Beta, None, out);
            toleration.one_of("operator", &OPERATORS, out);
            toleration.one_of("effect", &EFFECTS, out);
        },
    );
}
