//! Reading a decoded object: a missing field is Go's zero value.

use serde_json::{Map, Value};

static NULL: Value = Value::Null;

/// The field, unless it is absent or null: a Go pointer, slice or map that is not nil.
pub(super) fn present<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

/// The field, or null.
pub(super) fn part<'a>(object: &'a Value, name: &str) -> &'a Value {
    object.get(name).unwrap_or(&NULL)
}

/// A text, or the empty one.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    part(object, name).as_str().unwrap_or_default()
}

/// A text behind a pointer.
pub(super) fn optional_text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    part(object, name).as_str()
}

/// A number, or zero.
pub(super) fn number(object: &Value, name: &str) -> i64 {
    part(object, name).as_i64().unwrap_or_default()
}

/// A bool behind a pointer.
pub(super) fn flag(object: &Value, name: &str) -> Option<bool> {
    part(object, name).as_bool()
}

/// The items of a list, none if it is absent.
pub(super) fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    part(object, name).as_array().map_or(&[], Vec::as_slice)
}

/// The texts in a list.
pub(super) fn texts<'a>(object: &'a Value, name: &str) -> impl Iterator<Item = &'a str> + Clone {
    list(object, name)
        .iter()
        .map(|item| item.as_str().unwrap_or_default())
}

/// The entries of a map in the order of their keys, none if it is absent.
pub(super) fn entries<'a>(object: &'a Value, name: &str) -> Vec<(&'a str, &'a Value)> {
    let Some(map) = part(object, name).as_object() else {
        return Vec::new();
    };
    sorted(map)
}

/// The entries of a map in the order of their keys, however `serde_json` holds them.
pub(super) fn sorted(map: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut entries: Vec<(&str, &Value)> = map
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}
