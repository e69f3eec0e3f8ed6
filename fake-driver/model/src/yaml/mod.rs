//! A YAML document as a tree in which every value and key knows its line and column.
//!
//! * [`load`]: text to tree; finds broken YAML, duplicate keys, unsupported tags.
//! * [`reader`]: strict typed access that collects every problem.

mod load;
pub(crate) mod reader;

pub(crate) use load::load;

/// Where a value starts: line and column, both from 1, column in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// One YAML value.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) at: Position,
    pub(crate) value: Value,
}

/// What a YAML value is.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Any scalar. The text is kept as written, so that `1.10` stays a version and `80Gi` a quantity.
    Scalar {
        text: String,
        /// Written in quotes (or tagged `!!str`), so always a string.
        quoted: bool,
    },
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One `key: value`.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: Position,
    pub(crate) key: String,
    pub(crate) value: Node,
}

impl Value {
    /// What a person would call it, for error texts.
    pub(crate) fn describe(&self) -> String {
        match self {
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a map".to_owned(),
            Value::Scalar {
                quoted: false,
                text,
            } if is_null(text) => "empty".to_owned(),
            Value::Scalar {
                quoted: false,
                text,
            } if as_bool(text).is_some() => {
                format!("the boolean {text}")
            }
            Value::Scalar {
                quoted: false,
                text,
            } if looks_like_number(text) => {
                format!("the number {text}")
            }
            Value::Scalar { text, .. } => format!("the text {text:?}"),
        }
    }
}

/// YAML's null, in any of its spellings.
pub(crate) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Booleans as Go's sigs.k8s.io/yaml reads them, so that a fleet file follows the rules of a manifest.
pub(crate) fn as_bool(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// A plain scalar that YAML would turn into a number.
pub(crate) fn looks_like_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && text.parse::<f64>().is_ok()
        || digits.starts_with("0x") && i64::from_str_radix(&digits[2..], 16).is_ok()
}
