//! What changed between two objects (structured-merge-diff `typed/compare.go`).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    set::{Element, Set, field_element},
    shape::{Shape, item_element, shape},
};
use crate::{
    Schemas,
    types::{List, Node},
};

/// Paths by what happened to them; no path is in two of the sets.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) removed: Set,
    pub(super) modified: Set,
    pub(super) added: Set,
}

impl Comparison {
    /// Leaves out fields and all that lies below them.
    pub(super) fn without(self, ignored: &Set) -> Self {
        Self {
            removed: self.removed.recursive_difference(ignored),
            modified: self.modified.recursive_difference(ignored),
            added: self.added.recursive_difference(ignored),
        }
    }
}

/// Compares two objects of one type.
pub(super) fn compare(schemas: &Schemas, node: &Node, before: &Value, after: &Value) -> Comparison {
    let mut walk = Walk {
        schemas,
        found: Comparison::default(),
        path: Vec::new(),
    };
    walk.visit(node, Some(before), Some(after));
    walk.found
}

struct Walk<'a> {
    schemas: &'a Schemas,
    found: Comparison,
    path: Vec<Element>,
}

impl Walk<'_> {
    fn visit(&mut self, node: &Node, before: Option<&Value>, after: Option<&Value>) {
        let in_leaf = match shape(self.schemas, node) {
            Shape::Leaf => true,
            shape @ (Shape::Struct(_) | Shape::Map(_)) => self.maps(shape, before, after),
            Shape::List(list) => self.lists(list, before, after),
        };
        match (before, after) {
            (None, _) => self.found.added.insert(&self.path),
            (_, None) => self.found.removed.insert(&self.path),
            (Some(before), Some(after)) if in_leaf && before != after => {
                self.found.modified.insert(&self.path);
            }
            _ => {}
        }
    }

    /// Returns whether both sides are empty, and so compared as a whole.
    fn maps(&mut self, shape: Shape<'_>, before: Option<&Value>, after: Option<&Value>) -> bool {
        let empty = Map::new();
        let left = before.and_then(Value::as_object).unwrap_or(&empty);
        let right = after.and_then(Value::as_object).unwrap_or(&empty);
        if left.is_empty() && right.is_empty() {
            return true;
        }
        for (key, value) in left {
            self.child(
                field_element(key),
                shape.child(key),
                Some(value),
                right.get(key),
            );
        }
        for (key, value) in right.iter().filter(|(key, _)| !left.contains_key(*key)) {
            self.child(field_element(key), shape.child(key), None, Some(value));
        }
        false
    }

    fn lists(&mut self, list: &List, before: Option<&Value>, after: Option<&Value>) -> bool {
        let left = before
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let right = after
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        if left.is_empty() && right.is_empty() {
            return true;
        }
        let mut items: BTreeMap<Element, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
        for item in left {
            if let Ok(element) = item_element(self.schemas, list, item) {
                items.entry(element).or_default().0.push(item);
            }
        }
        for item in right {
            if let Ok(element) = item_element(self.schemas, list, item) {
                items.entry(element).or_default().1.push(item);
            }
        }
        for (element, (left, right)) in items {
            self.items(element, list, &left, &right);
        }
        false
    }

    /// Items of one identity; duplicates are compared as a whole.
    fn items(&mut self, element: Element, list: &List, left: &[&Value], right: &[&Value]) {
        match (left, right) {
            ([] | [_], [] | [_]) => {
                self.child(
                    element,
                    &list.item,
                    left.first().copied(),
                    right.first().copied(),
                );
            }
            ([_, _, ..], [_, _, ..]) => {
                if left != right {
                    self.mark(element, |found| &mut found.modified);
                }
            }
            ([_, _, ..], _) => {
                if let Some(item) = right.first() {
                    self.child(element.clone(), &list.item, None, Some(item));
                }
                self.mark(element, |found| &mut found.removed);
            }
            (_, [_, _, ..]) => {
                if let Some(item) = left.first() {
                    self.child(element.clone(), &list.item, Some(item), None);
                }
                self.mark(element, |found| &mut found.added);
            }
        }
    }

    fn child(
        &mut self,
        element: Element,
        node: &Node,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        self.path.push(element);
        self.visit(node, before, after);
        self.path.pop();
    }

    fn mark(&mut self, element: Element, which: fn(&mut Comparison) -> &mut Set) {
        self.path.push(element);
        which(&mut self.found).insert(&self.path);
        self.path.pop();
    }
}
