//! An object without some of its paths (structured-merge-diff `typed/remove.go`).

use serde_json::{Map, Value};

use super::{
    set::{Set, field_element},
    shape::{Shape, item_element, shape},
};
use crate::{Schemas, types::Node};

/// Removes the paths of a set; what becomes empty is `null`, as in Kubernetes.
pub(super) fn remove(schemas: &Schemas, node: &Node, value: &Value, gone: &Set) -> Value {
    match (shape(schemas, node), value) {
        (shape @ (Shape::Struct(_) | Shape::Map(_)), Value::Object(object)) => {
            let mut kept = Map::new();
            for (key, value) in object {
                let element = field_element(key);
                if gone.has(&element) {
                    continue;
                }
                let value = match gone.below(&element) {
                    Some(below) => remove(schemas, shape.child(key), value, below),
                    None => value.clone(),
                };
                kept.insert(key.clone(), value);
            }
            if kept.is_empty() {
                Value::Null
            } else {
                Value::Object(kept)
            }
        }
        (Shape::List(list), Value::Array(items)) => {
            let mut kept = Vec::with_capacity(items.len());
            for item in items {
                let element = item_element(schemas, list, item).unwrap_or_else(|_| "".into());
                if gone.has(&element) {
                    continue;
                }
                kept.push(match gone.below(&element) {
                    Some(below) => remove(schemas, &list.item, item, below),
                    None => item.clone(),
                });
            }
            if kept.is_empty() {
                Value::Null
            } else {
                Value::Array(kept)
            }
        }
        // An atomic place that only some paths of are to be removed goes as a whole.
        (Shape::Leaf, Value::Object(_) | Value::Array(_)) => Value::Null,
        (_, value) => value.clone(),
    }
}
