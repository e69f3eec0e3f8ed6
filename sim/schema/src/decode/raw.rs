//! JSON or YAML text as a tree that keeps key order and duplicate keys.
//!
//! `serde_json::Value` keeps neither, and both are in the error texts of
//! strict decoding (sigs.k8s.io/json reports in document order).

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

/// A parsed document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Raw {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Raw>),
    /// In document order, duplicates included.
    Object(Vec<(String, Raw)>),
}

impl Raw {
    /// The last value of a key: what Go's decoder ends with.
    pub(crate) fn get(&self, key: &str) -> Option<&Raw> {
        match self {
            Raw::Object(entries) => entries
                .iter()
                .rev()
                .find(|(known, _)| known == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// What Go's type errors call this value.
    pub(crate) fn go_kind(&self) -> &'static str {
        match self {
            Raw::Null => "null",
            Raw::Bool(_) => "bool",
            Raw::Number(_) => "number",
            Raw::String(_) => "string",
            Raw::Array(_) => "array",
            Raw::Object(_) => "object",
        }
    }

    /// The tree as an untyped value; of duplicate keys the last stays.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Raw::Null => Value::Null,
            Raw::Bool(value) => Value::Bool(value),
            Raw::Number(value) => Value::Number(value),
            Raw::String(value) => Value::String(value),
            Raw::Array(items) => items.into_iter().map(Raw::into_value).collect(),
            Raw::Object(entries) => Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key, value.into_value()))
                    .collect(),
            ),
        }
    }
}

impl From<Value> for Raw {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Raw::Null,
            Value::Bool(value) => Raw::Bool(value),
            Value::Number(value) => Raw::Number(value),
            Value::String(value) => Raw::String(value),
            Value::Array(items) => Raw::Array(items.into_iter().map(Raw::from).collect()),
            Value::Object(entries) => Raw::Object(from_map(entries)),
        }
    }
}

fn from_map(entries: Map<String, Value>) -> Vec<(String, Raw)> {
    entries
        .into_iter()
        .map(|(key, value)| (key, Raw::from(value)))
        .collect()
}

/// Parses JSON text.
pub(crate) fn parse_json(bytes: &[u8]) -> Result<Raw, serde_json::Error> {
    serde_json::from_slice(bytes)
}

/// Parses YAML text as sigs.k8s.io/yaml does; duplicate keys are kept.
pub(crate) fn parse_yaml(bytes: &[u8]) -> Result<Raw, serde_saphyr::Error> {
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::PassThrough,
        legacy_octal_numbers: true,
    };
    serde_saphyr::from_slice_with_options(bytes, options)
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Number::from_f64(value).map_or(Raw::Null, Raw::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Object(entries))
    }
}
