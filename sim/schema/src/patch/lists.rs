//! Strategic merge patch of lists.

use serde_json::{Map, Value};

use super::{
    PatchError,
    order::{identity, weave},
    strategic::{DIRECTIVE, Merger, malformed, unknown_directive, without_directives},
};
use crate::types::{Field, Node};

/// Merges a list whose strategy is to merge.
pub(super) fn merge(
    merger: &Merger<'_>,
    field: &Field,
    original: Vec<Value>,
    patch: Vec<Value>,
) -> Result<Vec<Value>, PatchError> {
    if original.is_empty() && patch.is_empty() {
        return Ok(original);
    }
    check_items(original.iter().chain(&patch))?;
    let key = field.merge_key.as_str();
    if !original.iter().chain(&patch).any(Value::is_object) {
        let mut union = original.clone();
        union.extend(
            patch
                .iter()
                .filter(|item| !original.contains(item))
                .cloned(),
        );
        union.dedup();
        return Ok(weave(union, &patch, &original, ""));
    }
    if key.is_empty() {
        let name = field.go_type.trim_start_matches("[]");
        return Err(PatchError::Unmergeable(format!(
            "cannot merge lists without merge key for {name}"
        )));
    }
    let (original, patch) = apply_directives(original, patch, key)?;
    let result = merge_items(merger, &item_node(field), original.clone(), &patch, key)?;
    Ok(weave(result, &patch, &original, key))
}

/// Merges a list whose order the patch says; `None` when there is no such list.
pub(super) fn merge_in_order(
    merger: &Merger<'_>,
    field: Option<&Field>,
    original: Option<Vec<Value>>,
    patch: Option<Vec<Value>>,
    order: &[Value],
) -> Result<Option<Vec<Value>>, PatchError> {
    let key = field.map_or("", |field| field.merge_key.as_str());
    check_order(patch.as_deref().unwrap_or_default(), order, key)?;
    let before = original.clone().unwrap_or_default();
    let result = match (original, patch) {
        (None, None) => return Ok(None),
        (Some(original), None) => original,
        (None, Some(patch)) => patch.into_iter().filter_map(without_directives).collect(),
        (Some(original), Some(patch)) => match field {
            Some(field) if field.strategy.merge => merge(merger, field, original, patch)?,
            _ => patch,
        },
    };
    for item in result.iter().chain(order) {
        if !key.is_empty() && item[key].is_null() {
            return Err(PatchError::no_merge_key(item, key));
        }
    }
    Ok(Some(weave(result, order, &before, key)))
}

/// `$deleteFromPrimitiveList/<field>`.
pub(super) fn remove_scalars(
    original: &mut Map<String, Value>,
    name: &str,
    gone: &Value,
) -> Result<(), PatchError> {
    let Value::Array(gone) = gone else {
        return Err(malformed("primitive list"));
    };
    if let Some(Value::Array(items)) = original.get_mut(name) {
        items.retain(|item| !gone.contains(item));
    }
    Ok(())
}

fn item_node(field: &Field) -> Node {
    match &field.node {
        Node::List(list) => list.item.clone(),
        _ => Node::Raw,
    }
}

fn check_items<'a>(items: impl Iterator<Item = &'a Value>) -> Result<(), PatchError> {
    let mut kinds = items.map(std::mem::discriminant).peekable();
    let first = kinds.peek().copied();
    if first == Some(std::mem::discriminant(&Value::Array(Vec::new()))) {
        let cause = "lists of lists are not supported".to_owned();
        return Err(PatchError::Rejected { cause });
    }
    if kinds.any(|kind| Some(kind) != first) {
        return Err(PatchError::Unmergeable(
            "list element types are not identical".to_owned(),
        ));
    }
    Ok(())
}

/// Items with `$patch`: deletions are done, a replacement empties the original.
fn apply_directives(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let mut plain = Vec::with_capacity(patch.len());
    let mut replace = false;
    for item in patch {
        let Some(directive) = item.get(DIRECTIVE).cloned() else {
            plain.push(item);
            continue;
        };
        match (directive.as_str().unwrap_or_default(), item) {
            ("delete", item) if item[key].is_null() => {
                return Err(PatchError::no_merge_key(&item, key));
            }
            ("delete", item) => original.retain(|known| known[key] != item[key]),
            ("replace", _) => replace = true,
            ("merge", _) => {
                let cause = "merging lists cannot yet be specified in the patch".to_owned();
                return Err(PatchError::Unmergeable(cause));
            }
            (other, Value::Object(item)) => return Err(unknown_directive(other, item)),
            (_, _) => {}
        }
    }
    Ok(if replace {
        (plain, Vec::new())
    } else {
        (original, plain)
    })
}

fn merge_items(
    merger: &Merger<'_>,
    node: &Node,
    mut items: Vec<Value>,
    patch: &[Value],
    key: &str,
) -> Result<Vec<Value>, PatchError> {
    for item in patch {
        let (Value::Object(changes), false) = (item, item[key].is_null()) else {
            return Err(PatchError::no_merge_key(item, key));
        };
        match items.iter_mut().find(|known| known[key] == item[key]) {
            Some(Value::Object(known)) => {
                *known = merger.object(node, std::mem::take(known), changes.clone())?;
            }
            _ => items.push(item.clone()),
        }
    }
    Ok(items)
}

/// The items of the patch are in the order that the patch asks for.
fn check_order(patch: &[Value], order: &[Value], key: &str) -> Result<(), PatchError> {
    if order.is_empty() {
        return Ok(());
    }
    let mut wanted = order.iter();
    for item in patch.iter().filter(|item| item.get(DIRECTIVE).is_none()) {
        if !wanted.any(|known| identity(known, key) == identity(item, key)) {
            let print = |list: &[Value]| crate::go_print::value(&Value::Array(list.to_vec()));
            return Err(PatchError::Unmergeable(format!(
                "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                print(patch),
                print(order)
            )));
        }
    }
    Ok(())
}
