//! A parsed tree against a type, as sigs.k8s.io/json decodes into Go structs.
//!
//! The first wrong type is reported, with Go's struct name and field path; a
//! value that refuses itself (a quantity, a time) ends decoding at once;
//! unknown and duplicate fields are collected in document order.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{Raw, scalar};
use crate::{
    Schemas,
    types::{Field, Node, Omit, TypeId},
};

/// Kubernetes stops collecting there (sigs.k8s.io/json `saveStrictError`).
const MAX_STRICT_ERRORS: usize = 100;

/// What a walk found besides the value.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The first value of a wrong type.
    pub(super) type_error: Option<String>,
    /// Unknown and duplicate fields, in document order.
    pub(super) strict: Vec<String>,
}

/// Decodes `raw` as the struct `id`.
///
/// # Errors
/// The words of a value that refuses itself.
pub(super) fn decode(schemas: &Schemas, id: TypeId, raw: Raw) -> Result<(Value, Findings), String> {
    let node = Node::Struct(id);
    let mut walk = Walk {
        schemas,
        findings: Findings::default(),
        path: String::new(),
        fields: Vec::new(),
        owner: "",
    };
    let go_type = schemas.get(id).go_name();
    let value = walk.value(&node, &format!("v1.{go_type}"), raw)?;
    Ok((value, walk.findings))
}

struct Walk<'a> {
    schemas: &'a Schemas,
    findings: Findings,
    /// Path of strict errors: `spec.devices.requests[0]`.
    path: String,
    /// Path of type errors: field names only, embedded structs included.
    fields: Vec<&'a str>,
    /// Go struct of the innermost field, for type errors.
    owner: &'a str,
}

impl<'a> Walk<'a> {
    fn value(&mut self, node: &'a Node, go_type: &str, raw: Raw) -> Result<Value, String> {
        if raw == Raw::Null {
            return Ok(zero(node));
        }
        match (node, raw) {
            (Node::Struct(id), Raw::Object(entries)) => self.object(*id, entries),
            (Node::Map(map), Raw::Object(entries)) => {
                self.map(&map.value, element(go_type), entries)
            }
            (Node::List(list), Raw::Array(items)) => self.list(&list.item, element(go_type), items),
            (Node::String, Raw::String(text)) => Ok(Value::String(text)),
            (Node::Bytes, Raw::String(text)) => Ok(self.bytes(text)),
            (Node::Bool, Raw::Bool(value)) => Ok(Value::Bool(value)),
            (Node::Int32, Raw::Number(number)) => {
                let fits = number
                    .as_i64()
                    .is_some_and(|value| i32::try_from(value).is_ok());
                Ok(self.number(fits, number, go_type))
            }
            (Node::Int64, Raw::Number(number)) => Ok(self.number(number.is_i64(), number, go_type)),
            (Node::Float, Raw::Number(number)) => Ok(Value::Number(number)),
            (Node::Quantity, raw) => quantity(&raw),
            (Node::IntOrString, raw) => self.int_or_string(raw),
            (Node::Time, raw) => self.time(raw, scalar::time),
            (Node::MicroTime, raw) => self.time(raw, scalar::micro_time),
            (Node::Raw | Node::FieldsV1, raw) => Ok(raw.into_value()),
            (node, raw) => {
                self.type_error(raw.go_kind(), go_type);
                Ok(zero(node))
            }
        }
    }

    fn object(&mut self, id: TypeId, entries: Vec<(String, Raw)>) -> Result<Value, String> {
        let schemas = self.schemas;
        let known = schemas.get(id);
        let outer = (self.path.len(), self.fields.len(), self.owner);
        let mut object = Map::new();
        let mut seen: Vec<&str> = Vec::with_capacity(entries.len());
        for (key, raw) in entries {
            let Some((name, field)) = known.fields.get_key_value(&key) else {
                self.strict_error("unknown", &key);
                continue;
            };
            if seen.contains(&name.as_str()) {
                self.strict_error("duplicate", name);
            }
            seen.push(name);
            if raw == Raw::Null {
                // Go leaves the field as it is; nothing was there.
                object.remove(&key);
                continue;
            }
            self.enter(name);
            if !field.via.is_empty() {
                self.fields.push(&field.via);
            }
            self.fields.push(name);
            self.owner = known.go_name();
            let value = self.value(&field.node, &field.go_type, raw)?;
            self.path.truncate(outer.0);
            self.fields.truncate(outer.1);
            self.owner = outer.2;
            match object.get_mut(&key) {
                // Go decodes a repeated field into the struct or map that it has already.
                Some(earlier @ Value::Object(_)) if value.is_object() => merge(earlier, value),
                _ if is_written(field, &value) => {
                    object.insert(key, value);
                }
                _ => {
                    object.remove(&key);
                }
            }
        }
        Ok(Value::Object(object))
    }

    fn map(
        &mut self,
        node: &'a Node,
        go_type: &str,
        entries: Vec<(String, Raw)>,
    ) -> Result<Value, String> {
        let outer = self.path.len();
        let mut object = Map::new();
        for (key, raw) in entries {
            if object.contains_key(&key) {
                self.strict_error("duplicate", &key);
            }
            self.enter(&key);
            let value = self.value(node, go_type, raw)?;
            self.path.truncate(outer);
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }

    fn list(&mut self, node: &'a Node, go_type: &str, items: Vec<Raw>) -> Result<Value, String> {
        let outer = self.path.len();
        let mut list = Vec::with_capacity(items.len());
        for (index, raw) in items.into_iter().enumerate() {
            let _ = write!(self.path, "[{index}]");
            list.push(self.value(node, go_type, raw)?);
            self.path.truncate(outer);
        }
        Ok(Value::Array(list))
    }

    fn number(&mut self, fits: bool, number: serde_json::Number, go_type: &str) -> Value {
        if fits {
            return Value::Number(number);
        }
        self.type_error(&format!("number {number}"), go_type);
        Value::from(0)
    }

    fn bytes(&mut self, text: String) -> Value {
        use base64::Engine as _;
        match base64::engine::general_purpose::STANDARD.decode(&text) {
            Ok(_) => Value::String(text),
            Err(
                base64::DecodeError::InvalidByte(at, _)
                | base64::DecodeError::InvalidLastSymbol(at, _),
            ) => {
                self.refuse(format!("illegal base64 data at input byte {at}"));
                Value::String(String::new())
            }
            Err(_) => {
                self.refuse(format!("illegal base64 data at input byte {}", text.len()));
                Value::String(String::new())
            }
        }
    }

    fn int_or_string(&mut self, raw: Raw) -> Result<Value, String> {
        match raw {
            Raw::String(text) => Ok(Value::String(text)),
            Raw::Number(number)
                if number
                    .as_i64()
                    .is_some_and(|value| i32::try_from(value).is_ok()) =>
            {
                Ok(Value::Number(number))
            }
            Raw::Number(number) => Err(self.type_error_text(&format!("number {number}"), "int32")),
            raw => Err(self.type_error_text(raw.go_kind(), "int32")),
        }
    }

    fn time(
        &mut self,
        raw: Raw,
        parse: fn(&str) -> Result<String, String>,
    ) -> Result<Value, String> {
        match raw {
            Raw::String(text) => parse(&text).map(Value::String),
            raw => Err(self.type_error_text(raw.go_kind(), "string")),
        }
    }

    fn enter(&mut self, key: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(key);
    }

    fn strict_error(&mut self, kind: &str, key: &str) {
        let dot = if self.path.is_empty() { "" } else { "." };
        let text = format!("{kind} field {:?}", format!("{}{dot}{key}", self.path));
        let strict = &mut self.findings.strict;
        if strict.len() < MAX_STRICT_ERRORS && !strict.contains(&text) {
            strict.push(text);
        }
    }

    fn type_error(&mut self, value: &str, go_type: &str) {
        let text = self.type_error_text(value, go_type);
        self.refuse(text);
    }

    fn refuse(&mut self, text: String) {
        self.findings.type_error.get_or_insert(text);
    }

    fn type_error_text(&self, value: &str, go_type: &str) -> String {
        if self.fields.is_empty() {
            return format!("json: cannot unmarshal {value} into Go value of type {go_type}");
        }
        let (owner, path) = (self.owner, self.fields.join("."));
        format!(
            "json: cannot unmarshal {value} into Go struct field {owner}.{path} of type {go_type}"
        )
    }
}

fn merge(earlier: &mut Value, later: Value) {
    match (earlier, later) {
        (Value::Object(earlier), Value::Object(later)) => {
            for (key, value) in later {
                merge(earlier.entry(key).or_insert(Value::Null), value);
            }
        }
        (earlier, later) => *earlier = later,
    }
}

fn quantity(raw: &Raw) -> Result<Value, String> {
    match raw {
        Raw::String(text) => scalar::quantity(text).map(Value::String),
        Raw::Number(number) => scalar::quantity(&number.to_string()).map(Value::String),
        _ => Err(scalar::NOT_A_QUANTITY.to_owned()),
    }
}

/// `[]v1.Container` -> `v1.Container`, `map[string]string` -> `string`.
fn element(go_type: &str) -> &str {
    if let Some(item) = go_type.strip_prefix("[]") {
        return item.trim_start_matches('*');
    }
    if go_type.starts_with("map[") {
        return go_type.split_once(']').map_or(go_type, |(_, value)| value);
    }
    // A named list or map: all of those hold strings.
    "string"
}

/// What Go has at a place that was null or of a wrong type.
fn zero(node: &Node) -> Value {
    match node {
        Node::String | Node::Bytes => Value::String(String::new()),
        Node::Bool => Value::Bool(false),
        Node::Int32 | Node::Int64 | Node::Float | Node::IntOrString => Value::from(0),
        Node::Quantity => Value::String("0".to_owned()),
        Node::Struct(_) => Value::Object(Map::new()),
        Node::Time
        | Node::MicroTime
        | Node::FieldsV1
        | Node::Raw
        | Node::List(_)
        | Node::Map(_) => Value::Null,
    }
}

/// Whether Go would write this value of this field.
pub(crate) fn is_written(field: &Field, value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(entries) if entries.is_empty() => match field.node {
            Node::Struct(_) => field.pointer || field.omit != Omit::Zero,
            _ => field.omit == Omit::Never,
        },
        Value::Array(items) => field.omit == Omit::Never || !items.is_empty(),
        _ if field.pointer || field.omit == Omit::Never => true,
        _ if matches!(
            field.node,
            Node::IntOrString | Node::Quantity | Node::Raw | Node::FieldsV1
        ) =>
        {
            true
        }
        Value::Bool(value) => *value,
        Value::Number(value) => value.as_f64() != Some(0.0),
        Value::String(value) => !value.is_empty(),
        Value::Object(_) => true,
    }
}
