//! Whether two values mean the same.

use serde_json::Value;

use super::types::Shape;
use crate::Quantity;
use crate::validate::view;

/// Go's `equality.Semantic.DeepEqual` for two values of a type: quantities by
/// amount, an empty list or map equals an unset one.
pub(in crate::validate) fn same(shape: &Shape, a: &Value, b: &Value) -> bool {
    match shape {
        Shape::Text => a.as_str().unwrap_or_default() == b.as_str().unwrap_or_default(),
        Shape::Int => a.as_i64().unwrap_or_default() == b.as_i64().unwrap_or_default(),
        Shape::Bool => a.as_bool().unwrap_or_default() == b.as_bool().unwrap_or_default(),
        Shape::Quantity => a == b || amount(a) == amount(b),
        Shape::Raw => a == b,
        Shape::List(item) => {
            let [a, b] = [a, b].map(|list| list.as_array().map_or(&[][..], Vec::as_slice));
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(item, a, b))
        }
        Shape::Map(item) => match (a.as_object(), b.as_object()) {
            (Some(a), Some(b)) => {
                let is_same = |(key, a)| b.get(key).is_some_and(|b| same(item, a, b));
                a.len() == b.len() && a.iter().all(is_same)
            }
            (Some(one), None) | (None, Some(one)) => one.is_empty(),
            (None, None) => true,
        },
        Shape::Struct(fields) => fields.iter().all(|field| {
            let [one, other] = [a, b].map(|object| view::present(object, field.wire));
            let both = one.is_some() == other.is_some();
            (both || !field.pointer)
                && same(
                    field.shape,
                    view::part(a, field.wire),
                    view::part(b, field.wire),
                )
        }),
    }
}

/// Whether a field must be validated: it has no old value, or differs from it.
pub(in crate::validate) fn changed(
    shape: &Shape,
    name: &str,
    new: &Value,
    old: Option<&Value>,
) -> bool {
    let (Some(old), Shape::Struct(fields)) = (old, shape) else {
        return true;
    };
    let Some(field) = fields.iter().find(|field| field.wire == name) else {
        return true;
    };
    let is_set = |object| view::present(object, name).is_some();
    (field.pointer && is_set(new) != is_set(old))
        || !same(field.shape, view::part(new, name), view::part(old, name))
}

fn amount(value: &Value) -> Option<Quantity> {
    match value {
        Value::Null => Some(Quantity::from(0)),
        Value::String(text) => Quantity::parse(text).ok(),
        other => Quantity::parse(&other.to_string()).ok(),
    }
}
