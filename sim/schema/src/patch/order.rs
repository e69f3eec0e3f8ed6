//! Where merged items go (apimachinery `strategicpatch.normalizeElementOrder`): items of the
//! patch in the patch's order, items that only the server knows in theirs, woven as the
//! original list suggests.

use serde_json::Value;

/// The value that identifies an item: itself, or its merge key.
pub(super) fn identity<'a>(item: &'a Value, merge_key: &str) -> &'a Value {
    if merge_key.is_empty() {
        item
    } else {
        &item[merge_key]
    }
}

/// Orders `merged`.
pub(super) fn weave(
    merged: Vec<Value>,
    patch_order: &[Value],
    original: &[Value],
    merge_key: &str,
) -> Vec<Value> {
    let position = |order: &[Value], item: &Value| {
        order
            .iter()
            .position(|known| identity(known, merge_key) == identity(item, merge_key))
    };
    let (mut patched, mut server_only): (Vec<Value>, Vec<Value>) = merged
        .into_iter()
        .partition(|item| position(patch_order, item).is_some());
    patched.sort_by_key(|item| position(patch_order, item));
    server_only.sort_by_key(|item| position(original, item).unwrap_or(usize::MAX));
    let mut woven = Vec::with_capacity(patched.len() + server_only.len());
    let (mut left, mut right) = (
        server_only.into_iter().peekable(),
        patched.into_iter().peekable(),
    );
    loop {
        let server_first = match (left.peek(), right.peek()) {
            (Some(server), Some(patch)) => {
                matches!((position(original, server), position(original, patch)), (Some(a), Some(b)) if a < b)
            }
            (server, _) => server.is_some(),
        };
        let next = if server_first {
            left.next()
        } else {
            right.next()
        };
        match next {
            Some(item) => woven.push(item),
            None => return woven,
        }
    }
}
