//! Lists and maps whose size is limited.

use std::collections::BTreeSet;

use serde_json::Value;

use super::findings::Findings;
use super::view;
use crate::field::{FieldError, FieldPath};

/// Which checks of a list a marker covers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    Nothing,
    Size,
    SizeAndUniqueness,
}

/// Checks each item, unless there are more than `max`.
pub(super) fn each(
    items: &[Value],
    max: usize,
    path: &FieldPath<'_>,
    cover: Cover,
    out: &mut Findings,
    mut check: impl FnMut(&Value, &FieldPath<'_>, &mut Findings),
) -> bool {
    if items.len() > max {
        let error = FieldError::too_many(path, Some(items.len()), max);
        if cover == Cover::Nothing {
            out.add(error);
        } else {
            out.covered("maxItems", error);
        }
        return false;
    }
    for (index, item) in items.iter().enumerate() {
        check(item, &path.index(index), out);
    }
    true
}

/// As [`each`], and no two items have the same key.
pub(super) fn each_unique<'a>(
    items: &'a [Value],
    max: usize,
    path: &FieldPath<'_>,
    cover: Cover,
    out: &mut Findings,
    key: impl Fn(&'a Value) -> String,
    check: impl FnMut(&Value, &FieldPath<'_>, &mut Findings),
) {
    if !each(items, max, path, cover, out, check) {
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let key = key(item);
        if seen.contains(&key) {
            let error = FieldError::duplicate(&path.index(index), &key);
            if cover == Cover::SizeAndUniqueness {
                out.covered("", error);
            } else {
                out.add(error);
            }
        } else {
            seen.insert(key);
        }
    }
}

/// A text in a list, as a key.
pub(super) fn own_text(item: &Value) -> String {
    item.as_str().unwrap_or_default().to_owned()
}

/// Checks each entry of a map, the key at the path of the map, the value at its own.
/// Long keys are shortened in paths to about `shown` bytes.
pub(super) fn each_entry(
    object: &Value,
    name: &str,
    shown: usize,
    path: &FieldPath<'_>,
    out: &mut Findings,
    mut check: impl FnMut(&str, &Value, &FieldPath<'_>, &mut Findings),
) {
    for (key, value) in view::entries(object, name) {
        let short = shortened(key, shown);
        check(key, value, &path.key(&short), out);
    }
}

fn shortened(key: &str, max: usize) -> String {
    let max = max.max(16);
    if key.len() <= max {
        return key.to_owned();
    }
    let remaining = max - "...".len();
    let mut start = remaining.div_ceil(2);
    while !key.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = key.len() - remaining / 2;
    while !key.is_char_boundary(end) {
        end += 1;
    }
    format!("{}...{}", &key[..start], &key[end..])
}
