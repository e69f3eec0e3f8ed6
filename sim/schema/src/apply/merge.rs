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
    let index = |items: &'_ [Value]| -> Vec<Element> {
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
    let in_config: BTreeSet<&Element> = right_keys.iter().collect();
    let mut shared: VecDeque<&Element> = right_keys
        .iter()
        .filter(|key| live.contains_key(key))
        .collect();
    let mut next_shared = shared.pop_front();
    let mut taken: BTreeSet<&Element> = BTreeSet::new();
    let mut merged = Vec::with_capacity(left.len().max(right.len()));
    let item = |at: usize| match live.get(&right_keys[at]).copied().flatten() {
        Some(before) => merge(schemas, &list.item, before, &right[at]),
        None => right[at].clone(),
    };
    let (mut l, mut r) = (0, 0);
    while l < left.len() || r < right.len() {
        if l < left.len() && r < right.len() {
            let key = &left_keys[l];
            if *key == right_keys[r] {
                taken.insert(key);
                merged.push(item(r));
                l += 1;
                r += 1;
                next_shared = shared.pop_front();
                continue;
            }
            if in_config.contains(key) && next_shared.is_some_and(|next| next != key) {
                l += 1;
                continue;
            }
        }
        if l < left.len() {
            let key = &left_keys[l];
            if !in_config.contains(key) {
                merged.push(left[l].clone());
                l += 1;
                continue;
            }
            if taken.contains(key) {
                l += 1;
            }
        }
        if r < right.len() {
            let key = &right_keys[r];
            taken.insert(key);
            merged.push(item(r));
            r += 1;
            if next_shared == Some(key) {
                next_shared = shared.pop_front();
            }
        }
    }
    merged
}
