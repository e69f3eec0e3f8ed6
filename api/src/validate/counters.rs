//! Counters of counter sets, offered or consumed.

use serde_json::Value;

use super::findings::Findings;
use super::view;
use crate::field::{FieldError, FieldPath};
use crate::names::check;

const SHORT_NAME: &str = "format=k8s-short-name";

/// An object that names a counter set in the field `name` and has 1 to `max` counters.
pub(super) fn counters(
    object: &Value,
    name: &str,
    max: usize,
    path: &FieldPath<'_>,
    out: &mut Findings,
) {
    let (set, at_set) = (view::text(object, name), path.child(name));
    if set.is_empty() {
        out.covered("", FieldError::required(&at_set, ""));
    } else {
        out.all_covered(SHORT_NAME, check::dns1123_label(set, &at_set));
    }
    let (counters, path) = (view::entries(object, "counters"), path.child("counters"));
    if counters.is_empty() {
        out.covered("", FieldError::required(&path, ""));
    } else if counters.len() > max {
        out.add(FieldError::too_many(&path, Some(counters.len()), max));
    } else {
        for (counter, _) in counters {
            out.all_covered(SHORT_NAME, check::dns1123_label(counter, &path));
        }
    }
}
