//! Equality and order (cel-go `common/types`).

use std::cmp::Ordering;

use super::{Held, List, Map, Value};
use crate::EvalError;

/// `==`. Comparing a Kubernetes type with another type is an error, comparing others is false.
pub(crate) fn equal(one: &Value<'_>, other: &Value<'_>) -> Result<bool, EvalError> {
    Ok(match (one, other) {
        (Value::String(a), Value::String(b)) => **a == **b,
        (Value::Int(a), Value::Int(b)) | (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Null, Value::Null) => true,
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::List(a), Value::List(b)) => equal_lists(a, b),
        (Value::Map(a), Value::Map(b)) => equal_maps(a, b),
        (Value::Optional(a), Value::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => equal(a, b)?,
            (None, None) => true,
            _ => false,
        },
        (Value::Quantity(_), Value::Quantity(Held::Computed(_))) => {
            return Err(EvalError::no_such_overload());
        }
        (Value::Quantity(a), Value::Quantity(b)) => **a == **b,
        (Value::Semver(a), Value::Semver(b)) => (**a).cmp(&**b) == Ordering::Equal,
        (Value::Ip(a), Value::Ip(b)) => a == b,
        (Value::Cidr(a), Value::Cidr(b)) => a == b,
        (Value::Url(a), Value::Url(b)) => a == b,
        (Value::Format(a), Value::Format(b)) => a.name == b.name,
        (
            Value::Quantity(_)
            | Value::Semver(_)
            | Value::Ip(_)
            | Value::Cidr(_)
            | Value::Url(_)
            | Value::Format(_),
            _,
        ) => return Err(EvalError::no_such_overload()),
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a == b,
        _ => numbers(one, other) == Some(Ordering::Equal),
    })
}

fn equal_lists(one: &List<'_>, other: &List<'_>) -> bool {
    if one.len() != other.len() {
        return false;
    }
    for (a, b) in one.iter().zip(other.iter()) {
        // cel-go goes on after an element that cannot be compared.
        if !equal(&a, &b).unwrap_or(true) {
            return false;
        }
    }
    true
}

fn equal_maps(one: &Map<'_>, other: &Map<'_>) -> bool {
    if one.len() != other.len() {
        return false;
    }
    for (key, value) in one.iter() {
        let Some(there) = other.find(&key) else {
            return false;
        };
        if !equal(&value, &there).unwrap_or(true) {
            return false;
        }
    }
    true
}

/// `<` and its kind.
pub(crate) fn compare(one: &Value<'_>, other: &Value<'_>) -> Result<Ordering, EvalError> {
    Ok(match (one, other) {
        (Value::Int(a), Value::Int(b)) | (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => (**a).cmp(&**b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        (Value::Double(nan), _) | (_, Value::Double(nan)) if nan.is_nan() => {
            return Err(EvalError::other("NaN values cannot be ordered"));
        }
        _ => return numbers(one, other).ok_or_else(EvalError::no_such_overload),
    })
}

/// The order of two numbers of any kinds. `None` when one is no number, or not a number.
pub(crate) fn numbers(one: &Value<'_>, other: &Value<'_>) -> Option<Ordering> {
    match (one, other) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Double(a), Value::Int(b)) => double_int(*a, *b),
        (Value::Int(a), Value::Double(b)) => double_int(*b, *a).map(Ordering::reverse),
        (Value::Double(a), Value::Uint(b)) => double_uint(*a, *b),
        (Value::Uint(a), Value::Double(b)) => double_uint(*b, *a).map(Ordering::reverse),
        _ => None,
    }
}

/// cel-go compares in floating point after a range check (`common/types/compare.go`).
#[expect(
    clippy::cast_precision_loss,
    reason = "so does cel-go, and results must be equal"
)]
fn double_int(double: f64, int: i64) -> Option<Ordering> {
    double.partial_cmp(&(int as f64))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "so does cel-go, and results must be equal"
)]
fn double_uint(double: f64, uint: u64) -> Option<Ordering> {
    double.partial_cmp(&(uint as f64))
}

/// A total order of map keys in which equal keys are equal: bools, numbers, strings, then the rest.
pub(super) fn compare_keys(one: &Value<'_>, other: &Value<'_>) -> Option<Ordering> {
    let rank = |value: &Value<'_>| match value {
        Value::Bool(_) => 0,
        Value::Int(_) | Value::Uint(_) | Value::Double(_) => 1,
        Value::String(_) => 2,
        _ => 3,
    };
    match rank(one).cmp(&rank(other)) {
        Ordering::Equal => {}
        order => return Some(order),
    }
    match (one, other) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some((**a).cmp(&**b)),
        _ => numbers(one, other),
    }
}
