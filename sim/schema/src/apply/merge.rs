//! An applied configuration over a live object (structured-merge-diff `typed/merge.go`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value};

use super::{
    set::Element,
    shape::{Shape, item_element, shape},
};
use crate::{
    Schemas,
    types::{List, Node},
};

/// Merges `config` over `live`; both have been validated.
pub(super) fn merge(schemas: &Schemas, node: &Node, live: &Value, config: &Value) -> Value {
    match shape(schemas, node) {
        Shape::Leaf => config.clone(),
        shape @ (Shape::Struct(_) | Shape::Map(_)) => {
            let empty = Map::new();
            let left = live.as_object().unwrap_or(&empty);
            let right = config.as_object().unwrap_or(&empty);
            if left.is_empty() && right.is_empty() {
                return config.clone();
            }
            let mut merged = left.clone();
            for (key, value) in right {
                let value = match left.get(key) {
                    Some(before) => merge(schemas, shape.child(key), before, value),
                    None => value.clone(),
                };
                merged.insert(key.clone(), value);
            }
            Value::Object(merged)
        }
        Shape::List(list) => {
            let left = live.as_array().map_or(&[][..], Vec::as_slice);
            let right = config.as_array().map_or(&[][..], Vec::as_slice);
            if left.is_empty() && right.is_empty() {
                return config.clone();
            }
            Value::Array(merge_lists(schemas, list, left, right))
        }
    }
}

/// Items of the configuration keep their order; items that only the live list has stay where
/// they are between them.
fn merge_lists(schemas: &Schemas, list: &List, left: &[Value], right: &[Value]) -> Vec<Value> {
    let index = |items: &[Value]| -> Vec<Element> {
        items
            .iter()
            .map(|item| item_element(schemas, list, item).unwrap_or_else(|_| "".into()))
            .collect()
    };
    let (left_keys, right_keys) = (index(left), index(right));
    let mut live: BTreeMap<&Element, Option<&Value>> = BTreeMap::new();
    for (key, item) in left_keys.iter().zip(left) {
        // Duplicates of a live list are not merged with.
        live.entry(key)
            .and_modify(|known| *known = None)
            .or_insert(Some(item));
    }
    let shared = right_keys
        .iter()
        .filter(|key| live.contains_key(key))
        .collect();
    let order = Order {
        left: &left_keys,
        right: &right_keys,
        shared,
    };
    let take = |step| match step {
        Step::Live(at) => left[at].clone(),
        Step::Config(at) => match live.get(&right_keys[at]).copied().flatten() {
            Some(before) => merge(schemas, &list.item, before, &right[at]),
            None => right[at].clone(),
        },
    };
    order.steps().into_iter().map(take).collect()
}

/// Where the next item of a merged list comes from.
enum Step {
    /// An item that only the live list has.
    Live(usize),
    /// An item of the configuration, merged with its live one.
    Config(usize),
}

/// The identities of both lists, and those of the configuration that the live list has, too.
struct Order<'a> {
    left: &'a [Element],
    right: &'a [Element],
    shared: VecDeque<&'a Element>,
}

impl Order<'_> {
    fn steps(mut self) -> Vec<Step> {
        let in_config: BTreeSet<&Element> = self.right.iter().collect();
        let mut taken: BTreeSet<&Element> = BTreeSet::new();
        let mut steps = Vec::with_capacity(self.left.len().max(self.right.len()));
        let (mut l, mut r) = (0, 0);
        while l < self.left.len() || r < self.right.len() {
            match (self.left.get(l), self.right.get(r)) {
                (Some(key), Some(next)) if key == next => l += 1,
                // A shared item that is not the next one comes when its turn is.
                (Some(key), Some(_)) if in_config.contains(key) && self.comes_later(key) => {
                    l += 1;
                    continue;
                }
                (Some(key), _) if !in_config.contains(key) => {
                    steps.push(Step::Live(l));
                    l += 1;
                    continue;
                }
                (Some(key), _) if taken.contains(key) => l += 1,
                _ => {}
            }
            if let Some(key) = self.right.get(r) {
                taken.insert(key);
                steps.push(Step::Config(r));
                if self.shared.front() == Some(&key) {
                    self.shared.pop_front();
                }
                r += 1;
            }
        }
        steps
    }

    fn comes_later(&self, key: &Element) -> bool {
        self.shared.front().is_some_and(|next| *next != key)
    }
}
