//! Markers that many fields have. Source: `apimachinery/pkg/api/validate`.

use serde_json::Value;

use super::formats::Format;
use crate::field::{BadValue, FieldError, FieldPath};
use crate::validate::findings::{Findings, Level};
use crate::validate::shape::{self, Shape};
use crate::validate::view;

/// A field of `new`, which is of type `shape`, where `old` was before.
pub(super) struct Parent<'a> {
    pub(super) shape: &'static Shape,
    pub(super) new: &'a Value,
    pub(super) old: Option<&'a Value>,
    pub(super) path: &'a FieldPath<'a>,
}

impl<'a> Parent<'a> {
    /// Whether a field is to be checked.
    pub(super) fn changed(&self, name: &str) -> bool {
        shape::changed(self.shape, name, self.new, self.old)
    }

    /// The old value of a field.
    pub(super) fn old_part(&self, name: &str) -> Option<&'a Value> {
        self.old.map(|old| view::part(old, name))
    }

    /// A text that must be set and have a format.
    pub(super) fn required_text(
        &self,
        name: &str,
        level: Level,
        format: Option<Format>,
        out: &mut Findings,
    ) {
        let (text, path) = (view::text(self.new, name), self.path.child(name));
        if !self.changed(name) {
            return;
        }
        match format {
            _ if text.is_empty() => out.declared(level, "", FieldError::required(&path, "")),
            Some(format) => format(text, &path, level, out),
            None => {}
        }
    }

    /// A text behind a pointer that must have a format.
    pub(super) fn pointer_text(
        &self,
        name: &str,
        level: Level,
        format: Format,
        out: &mut Findings,
    ) {
        if let Some(text) = view::optional_text(self.new, name)
            && self.changed(name)
        {
            format(text, &self.path.child(name), level, out);
        }
    }

    /// A text that is one of an enumeration, if it is set.
    pub(super) fn one_of(&self, name: &str, values: &[&str], out: &mut Findings) {
        let text = view::text(self.new, name);
        if !text.is_empty() && self.changed(name) {
            one_of(text, values, &self.path.child(name), Level::Beta, out);
        }
    }

    /// A text of limited length.
    pub(super) fn max_bytes(&self, name: &str, max: usize, out: &mut Findings) {
        if view::text(self.new, name).len() > max && self.changed(name) {
            let error = FieldError::too_long(&self.path.child(name), max);
            out.declared(Level::Beta, "maxBytes", error);
        }
    }

    /// The items of a list that is to be checked and is not too long.
    pub(super) fn items(
        &self,
        name: &str,
        max: usize,
        level: Level,
        out: &mut Findings,
    ) -> &'a [Value] {
        let items = view::list(self.new, name);
        if items.is_empty() || !self.changed(name) {
            return &[];
        }
        if items.len() > max {
            let error = FieldError::too_many(&self.path.child(name), Some(items.len()), max);
            out.declared(level, "maxItems", error);
            return &[];
        }
        items
    }

    /// A list of texts without repeats.
    pub(super) fn text_set(&self, name: &str, max: usize, out: &mut Findings) {
        let items = self.items(name, max, Level::Beta, out);
        unique(
            items,
            item_text,
            quoted,
            &self.path.child(name),
            Level::Beta,
            out,
        );
    }

    /// Keys of a map, which must have some.
    pub(super) fn required_keys(&self, name: &str, format: Format, out: &mut Findings) {
        if !self.changed(name) {
            return;
        }
        let (entries, path) = (view::entries(self.new, name), self.path.child(name));
        if entries.is_empty() {
            out.declared(Level::Beta, "", FieldError::required(&path, ""));
        }
        let old = self.old_part(name);
        for (key, _) in entries {
            if old.is_none_or(|old| old.get(key).is_none()) {
                format(key, &path, Level::Beta, out);
            }
        }
    }

    /// `skipNodeOperations`.
    pub(super) fn skip_node_operations(&self, out: &mut Findings) {
        const OPERATIONS: [&str; 3] = ["*", "NodePrepareResources", "NodeUnprepareResources"];
        let name = "skipNodeOperations";
        let (items, path) = (
            self.items(name, usize::MAX, Level::Stable, out),
            self.path.child(name),
        );
        unique(items, item_text, BadValue::json, &path, Level::Stable, out);
        let old = self.old_part(name).and_then(Value::as_array);
        for (index, item) in items.iter().enumerate() {
            if old.is_none_or(|old| !old.contains(item)) {
                one_of(
                    item_text(item),
                    &OPERATIONS,
                    &path.index(index),
                    Level::Stable,
                    out,
                );
            }
        }
    }
}

/// A text in a list.
pub(super) fn item_text(item: &Value) -> &str {
    item.as_str().unwrap_or_default()
}

/// A text in a list, as an error shows it.
pub(super) fn quoted(item: &Value) -> BadValue {
    BadValue::from(item_text(item))
}

/// A text that is one of an enumeration.
pub(super) fn one_of(
    text: &str,
    values: &[&str],
    path: &FieldPath<'_>,
    level: Level,
    out: &mut Findings,
) {
    if !values.contains(&text) {
        let error = FieldError::not_supported(path, BadValue::json(&text), values);
        out.declared(level, "", error);
    }
}

/// No two items have the same key; those that repeat one are shown whole.
pub(super) fn unique<'a, K: Ord>(
    items: &'a [Value],
    key: impl Fn(&'a Value) -> K,
    shown: impl Fn(&'a Value) -> BadValue,
    path: &FieldPath<'_>,
    level: Level,
    out: &mut Findings,
) {
    let mut seen = std::collections::BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        if !seen.insert(key(item)) {
            out.declared(
                level,
                "",
                FieldError::duplicate(&path.index(index), shown(item)),
            );
        }
    }
}

/// Each item of a list with keys, unless it is as before.
pub(super) fn each_by_key<'a, K: Ord>(
    items: &'a [Value],
    old: Option<&'a Value>,
    shape: &'static Shape,
    key: impl Fn(&'a Value) -> K,
    path: &FieldPath<'_>,
    out: &mut Findings,
    check: impl Fn(&Parent<'_>, &mut Findings),
) {
    let old = old.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // The first of several items with one key counts.
    let old: std::collections::BTreeMap<K, &Value> =
        old.iter().rev().map(|item| (key(item), item)).collect();
    for (index, new) in items.iter().enumerate() {
        let old = old.get(&key(new)).copied();
        if old.is_none_or(|old| !shape::same(shape, new, old)) {
            check(
                &Parent {
                    shape,
                    new,
                    old,
                    path: &path.index(index),
                },
                out,
            );
        }
    }
}

/// Each item of a list without keys.
pub(super) fn each(
    items: &[Value],
    shape: &'static Shape,
    path: &FieldPath<'_>,
    out: &mut Findings,
    check: impl Fn(&Parent<'_>, &mut Findings),
) {
    for (index, new) in items.iter().enumerate() {
        check(
            &Parent {
                shape,
                new,
                old: None,
                path: &path.index(index),
            },
            out,
        );
    }
}
