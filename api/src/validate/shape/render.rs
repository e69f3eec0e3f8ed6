//! How Go shows a value in an error.

use serde_json::Value;

use super::types::{Field, Shape};
use crate::Quantity;
use crate::field::BadValue;
use crate::validate::view;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// The types of `resource.k8s.io/v1`.
    Wire,
    /// The types inside the API server: no JSON tags, nothing omitted.
    Internal,
}

/// A value of a `v1` type.
pub(in crate::validate) fn wire_json(shape: &Shape, value: &Value) -> BadValue {
    BadValue::Plain(json(shape, value, Style::Wire))
}

/// A value of an internal type, which hand-written validation shows.
pub(in crate::validate) fn internal_json(shape: &Shape, value: &Value) -> BadValue {
    BadValue::Plain(json(shape, value, Style::Internal))
}

fn json(shape: &Shape, value: &Value, style: Style) -> String {
    match shape {
        Shape::Text => quote(value.as_str().unwrap_or_default()),
        Shape::Int => value.as_i64().unwrap_or_default().to_string(),
        Shape::Bool => value.as_bool().unwrap_or_default().to_string(),
        Shape::Quantity => quote(&amount(value)),
        Shape::Raw => escaped(&value.to_string()),
        Shape::List(item) => value.as_array().map_or_else(
            || "null".to_owned(),
            |list| {
                let items: Vec<String> =
                    list.iter().map(|value| json(item, value, style)).collect();
                format!("[{}]", items.join(","))
            },
        ),
        Shape::Map(item) => value.as_object().map_or_else(
            || "null".to_owned(),
            |map| {
                let entry = |(key, value): (&str, &Value)| {
                    format!("{}:{}", quote(key), json(item, value, style))
                };
                let entries: Vec<String> = view::sorted(map).into_iter().map(entry).collect();
                format!("{{{}}}", entries.join(","))
            },
        ),
        Shape::Struct(fields) => {
            let shown: Vec<String> = fields
                .iter()
                .filter_map(|field| entry(field, value, style))
                .collect();
            format!("{{{}}}", shown.join(","))
        }
    }
}

fn entry(field: &Field, object: &Value, style: Style) -> Option<String> {
    let value = view::part(object, field.wire);
    let omits = style == Style::Wire || field.tagged;
    if omits && !field.always && is_empty(field, value) {
        return None;
    }
    let name = if omits { field.wire } else { field.go };
    let shown = if field.pointer && value.is_null() {
        "null".to_owned()
    } else {
        json(field.shape, value, style)
    };
    Some(format!("\"{name}\":{shown}"))
}

fn is_empty(field: &Field, value: &Value) -> bool {
    if field.pointer {
        return value.is_null();
    }
    match field.shape {
        Shape::Text => value.as_str().unwrap_or_default().is_empty(),
        Shape::Int => value.as_i64().unwrap_or_default() == 0,
        Shape::Bool => !value.as_bool().unwrap_or_default(),
        Shape::List(_) => value.as_array().is_none_or(Vec::is_empty),
        Shape::Map(_) => value.as_object().is_none_or(serde_json::Map::is_empty),
        Shape::Quantity | Shape::Raw | Shape::Struct(_) => false,
    }
}

fn amount(value: &Value) -> String {
    let text = match value {
        Value::Null => return "0".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Quantity::parse(&text).map_or(text, |quantity| quantity.to_string())
}

fn quote(text: &str) -> String {
    escaped(&Value::from(text).to_string())
}

/// What Go escapes and Rust does not; these letters stand only in strings.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The internal `ResourceClaimTemplateSpec`, whose metadata is embedded.
pub(in crate::validate) fn template_spec_json(spec: &Value) -> BadValue {
    let meta = view::part(spec, "metadata");
    let flat = serde_json::json!({
        "labels": view::part(meta, "labels"),
        "annotations": view::part(meta, "annotations"),
        "spec": view::part(spec, "spec"),
    });
    internal_json(&super::RESOURCE_CLAIM_TEMPLATE_SPEC, &flat)
}
