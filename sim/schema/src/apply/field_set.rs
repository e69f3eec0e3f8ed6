//! The set of paths that an object has (structured-merge-diff `typed/tofieldset.go`).

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    set::{Element, Set, field_element},
    shape::{Shape, item_element, shape},
};
use crate::{Schemas, types::Node};

/// Every path of an object.
pub(super) fn field_set(schemas: &Schemas, node: &Node, value: &Value) -> Set {
    let mut set = Set::default();
    Walk {
        schemas,
        set: &mut set,
        path: Vec::new(),
    }
    .visit(node, value);
    set
}

struct Walk<'a> {
    schemas: &'a Schemas,
    set: &'a mut Set,
    path: Vec<Element>,
}

impl Walk<'_> {
    fn visit(&mut self, node: &Node, value: &Value) {
        let schemas = self.schemas;
        match (shape(schemas, node), value) {
            (Shape::Leaf, _) => self.set.insert(&self.path),
            (shape @ (Shape::Struct(_) | Shape::Map(_)), Value::Object(object)) => {
                for (key, value) in object {
                    self.path.push(field_element(key));
                    self.visit(shape.child(key), value);
                    let empty =
                        value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
                    if empty || !shape.names(key) {
                        self.set.insert(&self.path);
                    }
                    self.path.pop();
                }
            }
            (Shape::List(list), Value::Array(items)) => {
                let mut seen: BTreeMap<Element, Option<&Value>> = BTreeMap::new();
                for item in items {
                    if let Ok(element) = item_element(schemas, list, item) {
                        seen.entry(element)
                            .and_modify(|known| *known = None)
                            .or_insert(Some(item));
                    }
                }
                for (element, item) in seen {
                    self.path.push(element);
                    // Of duplicates only the identity is tracked.
                    if let Some(item) = item {
                        self.visit(&list.item, item);
                    }
                    self.set.insert(&self.path);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }
}

/// Adds the fields that lead to other paths, where the type names them: with `spec.x` also
/// `spec` (`EnsureNamedFieldsAreMembers`).
pub(super) fn with_named_fields(schemas: &Schemas, node: &Node, set: &Set) -> Set {
    let shape = shape(schemas, node);
    let mut full = Set::default();
    for (element, member, below) in set.iter() {
        let (named, child) = match (element.strip_prefix("f:"), &shape) {
            (Some(key), shape) => (shape.names(key), shape.child(key)),
            (None, Shape::List(list)) => (false, &list.item),
            (None, _) => (false, &Node::Raw),
        };
        let inner = with_named_fields(schemas, child, below);
        full.insert_entry(
            element.clone(),
            member || (named && !below.is_empty()),
            inner,
        );
    }
    full
}
