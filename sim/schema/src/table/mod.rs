//! Server-side printing: what `kubectl get` shows (`pkg/printers/internalversion/printers.go`).
//! * `columns`: the columns of each resource;
//! * `cells`: one object's cells, by resource;
//! * `pods`, `workloads`, `cluster`, `devices`: the cells that take thought;
//! * `duration`: ages as humans read them;
//! * `selectors`: label maps and selectors as text.

mod cells;
mod cluster;
mod columns;
mod devices;
mod duration;
mod pods;
mod selectors;
mod workloads;

pub use cells::{cells, conditions};
pub use columns::{Column, columns};
pub use duration::human_duration;

use jiff::Timestamp;
use serde_json::Value;

/// A text in an object; empty when absent.
fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// A number in an object; 0 when absent.
fn number(object: &Value, pointer: &str) -> i64 {
    object
        .pointer(pointer)
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// A list in an object; empty when absent.
fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object
        .pointer(pointer)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn or_else<'a>(text: &'a str, instead: &'a str) -> &'a str {
    if text.is_empty() { instead } else { text }
}

/// The time since a timestamp in an object, `<unknown>` when it has none.
fn since(object: &Value, pointer: &str, now: Timestamp) -> String {
    match text(object, pointer).parse::<Timestamp>() {
        Ok(then) => human_duration(now.as_second() - then.as_second()),
        Err(_) => "<unknown>".to_owned(),
    }
}

/// The age of an object.
fn age(object: &Value, now: Timestamp) -> String {
    since(object, "/metadata/creationTimestamp", now)
}
