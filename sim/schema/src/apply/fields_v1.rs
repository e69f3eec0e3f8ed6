//! Sets as `metadata.managedFields[].fieldsV1`, and paths as error texts have them.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::set::{Element, Set};

/// `{"f:spec":{".":{},"f:replicas":{}}}`
pub(super) fn to_value(set: &Set) -> Value {
    let mut object = Map::new();
    for (element, member, below) in set.iter() {
        let mut inner = match to_value(below) {
            Value::Object(inner) => inner,
            _ => Map::new(),
        };
        if member && !below.is_empty() {
            inner.insert(".".to_owned(), Value::Object(Map::new()));
        }
        object.insert(element.to_string(), Value::Object(inner));
    }
    Value::Object(object)
}

/// Reads `fieldsV1`; what is no path element is refused as a whole.
pub(super) fn from_value(value: &Value) -> Result<Set, String> {
    let Value::Object(entries) = value else {
        return Err("fieldsV1 is not an object".to_owned());
    };
    let mut set = Set::default();
    for (key, inner) in entries {
        if key == "." {
            continue;
        }
        let element = canonical(key)?;
        let below = from_value(inner)?;
        let explicit = inner.get(".").is_some();
        set.insert_entry(element, explicit || below.is_empty(), below);
    }
    Ok(set)
}

/// The same text that this module writes for an element: keys sorted, no spaces.
fn canonical(key: &str) -> Result<Element, String> {
    let (kind, rest) = key
        .split_once(':')
        .ok_or_else(|| format!("missing colon: {key}"))?;
    match kind {
        "f" => Ok(key.into()),
        "k" | "v" => {
            let value: Value = serde_json::from_str(rest).map_err(|error| error.to_string())?;
            Ok(format!("{kind}:{value}").into())
        }
        "i" => {
            let index: usize = rest.parse().map_err(|_| format!("not an index: {rest}"))?;
            Ok(format!("i:{index}").into())
        }
        _ => Err("unknown path element type".to_owned()),
    }
}

/// `.spec.containers[name="a"].image`
pub(super) fn print_path(path: &[Element]) -> String {
    path.iter().map(|element| print_element(element)).collect()
}

/// `.name`, `[name="a",x=1]`, `[="x"]`
pub(super) fn print_element(element: &str) -> String {
    let (kind, rest) = element.split_once(':').unwrap_or(("f", element));
    let value: Value = match kind {
        "k" | "v" => serde_json::from_str(rest).unwrap_or_default(),
        _ => Value::Null,
    };
    match (kind, value) {
        ("k", Value::Object(keys)) => {
            let keys: Vec<String> = keys
                .iter()
                .map(|(key, value)| format!("{key}={}", print_value(value)))
                .collect();
            format!("[{}]", keys.join(","))
        }
        ("v", value) => format!("[={}]", print_value(&value)),
        ("i", _) => format!("[{rest}]"),
        _ => format!(".{rest}"),
    }
}

/// A value as structured-merge-diff's `value.ToString`.
fn print_value(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(print_value).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(entries) => entries
            .iter()
            .fold(String::new(), |mut text, (key, entry)| {
                let _ = write!(text, "{key}={}", print_value(entry));
                text
            }),
        other => other.to_string(),
    }
}
