//! Defaulting, as `RegisterDefaults` of each API group in Kubernetes does it:
//! * `walk`: every struct of an object: the defaults that its OpenAPI document names, then its own rules;
//! * `pods`, `workloads`, `core`, `groups`: the rules that are Go code (`pkg/apis/*/v1/defaults.go`).

mod core;
mod groups;
mod pods;
mod walk;
mod workloads;

use serde_json::{Map, Value};

/// An object's fields.
type Object = Map<String, Value>;

/// Sets a field that is not there, or is the empty text that Go does not tell from "not there".
fn set(object: &mut Object, name: &str, value: impl Into<Value>) {
    let empty = match object.get(name) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(_) => false,
    };
    if empty {
        object.insert(name.to_owned(), value.into());
    }
}

/// A text field, empty when absent.
fn text<'a>(object: &'a Object, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The struct at a field, made when absent.
fn child<'a>(object: &'a mut Object, name: &str) -> Option<&'a mut Object> {
    let value = object.entry(name).or_insert(Value::Null);
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

/// The items of a list field that are objects.
fn items<'a>(object: &'a mut Object, name: &str) -> impl Iterator<Item = &'a mut Object> {
    let list = object.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}
