//! An applied configuration against its type (structured-merge-diff `typed/validate.go`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::{fields_v1::print_element, shape::item_element};
use crate::{
    Schemas,
    types::{List, ListKind, Node, TypeId},
};

/// Every way in which a configuration does not fit, as one text; `None` when it fits.
pub(super) fn validate(schemas: &Schemas, id: TypeId, config: &Value) -> Option<String> {
    let mut walk = Walk {
        schemas,
        path: String::new(),
        errors: Vec::new(),
    };
    walk.visit(&Node::Struct(id), config);
    match walk.errors.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        errors => Some(format!("errors:\n  {}", errors.join("\n  "))),
    }
}

struct Walk<'a> {
    schemas: &'a Schemas,
    path: String,
    errors: Vec<String>,
}

impl Walk<'_> {
    fn visit(&mut self, node: &Node, value: &Value) {
        if value.is_null() {
            return;
        }
        match (node, value) {
            (Node::Struct(id), Value::Object(object)) => {
                for (key, value) in object {
                    let Some(field) = self.schemas.field(*id, key) else {
                        self.error_at(&format!(".{key}"), "field not declared in schema");
                        return;
                    };
                    self.below(&format!(".{key}"), &field.node, value);
                }
            }
            (Node::Map(map), Value::Object(object)) => {
                for (key, value) in object {
                    self.below(&format!(".{key}"), &map.value, value);
                }
            }
            (Node::List(list), Value::Array(items)) => self.list(list, items),
            (Node::Struct(_) | Node::Map(_), other) => self.wrong("map", other),
            (Node::List(_), other) => self.wrong("list", other),
            (Node::Raw | Node::FieldsV1, _)
            | (Node::String | Node::Bytes | Node::Time | Node::MicroTime, Value::String(_))
            | (Node::Int32 | Node::Int64 | Node::Float, Value::Number(_))
            | (Node::Bool, Value::Bool(_))
            | (
                Node::Quantity | Node::IntOrString,
                Value::String(_) | Value::Number(_) | Value::Bool(_),
            ) => {}
            (Node::String | Node::Bytes | Node::Time | Node::MicroTime, other) => {
                let text = format!(
                    "expected string, got &value.valueUnstructured{{Value:{}}}",
                    go_syntax(other)
                );
                self.error(&text);
            }
            (Node::Int32 | Node::Int64 | Node::Float, other) => {
                self.error(&format!(
                    "expected numeric (int or float), got {}",
                    go_type(other)
                ));
            }
            (Node::Bool, other) => self.wrong("boolean", other),
            (Node::Quantity | Node::IntOrString, other) => self.wrong("any scalar", other),
        }
    }

    fn list(&mut self, list: &List, items: &[Value]) {
        let mut seen = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            if list.kind == ListKind::Atomic {
                self.below(&format!("[{index}]"), &list.item, item);
                continue;
            }
            match item_element(self.schemas, list, item) {
                Err(cause) => {
                    self.error(&format!("element {index}: {cause}"));
                    return;
                }
                Ok(element) => {
                    let printed = print_element(&element);
                    if !seen.insert(element) {
                        self.error(&format!("duplicate entries for key {printed}"));
                    }
                    self.below(&printed, &list.item, item);
                }
            }
        }
    }

    fn below(&mut self, step: &str, node: &Node, value: &Value) {
        let length = self.path.len();
        self.path.push_str(step);
        self.visit(node, value);
        self.path.truncate(length);
    }

    fn wrong(&mut self, expected: &str, found: &Value) {
        self.error(&format!(
            "expected {expected}, got &{{{}}}",
            crate::go_print::value(found)
        ));
    }

    fn error(&mut self, text: &str) {
        self.error_at("", text);
    }

    fn error_at(&mut self, step: &str, text: &str) {
        let path = format!("{}{step}", self.path);
        self.errors.push(if path.is_empty() {
            text.to_owned()
        } else {
            format!("{path}: {text}")
        });
    }
}

/// A value as Go's `%#v` prints it.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Object(_) => format!(
            "map[string]interface {{}}{{{}}}",
            crate::go_print::value(value)
        ),
        Value::Array(_) => format!("[]interface {{}}{{{}}}", crate::go_print::value(value)),
        other => other.to_string(),
    }
}

/// The Go type of a decoded value.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
