//! Arithmetic, order, membership, size.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Outcome;
use super::time::{add_to_timestamp, timestamp_difference};
use crate::EvalError;
use crate::plan::Call;
use crate::value::{List, Text, Value, compare, equal};

fn overflow() -> EvalError {
    EvalError::other("integer overflow")
}

pub(super) fn not<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Bool(value)] => Ok(Value::Bool(!*value)),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn negate<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Int(value)] => value.checked_neg().map(Value::Int).ok_or_else(overflow),
        [Value::Double(value)] => Ok(Value::Double(-*value)),
        [Value::Duration(value)] => value
            .checked_neg()
            .map(Value::Duration)
            .ok_or_else(overflow),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn add<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let [one, other] = args else {
        return Err(EvalError::no_such_overload());
    };
    match (&mut *one, &*other) {
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int).ok_or_else(overflow),
        (Value::Uint(a), Value::Uint(b)) => a
            .checked_add(*b)
            .map(Value::Uint)
            .ok_or_else(|| EvalError::other("unsigned integer overflow")),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(*a + *b)),
        (Value::String(a), Value::String(b)) => {
            let mut joined = String::with_capacity(a.len() + b.len());
            joined.push_str(a);
            joined.push_str(b);
            Ok(Value::String(Text::Shared(joined.into())))
        }
        (Value::Bytes(a), Value::Bytes(b)) => Ok(Value::Bytes([&**a, &**b].concat().into())),
        (Value::List(a), Value::List(b)) => {
            let a = std::mem::replace(a, List::Bools(&[]));
            Ok(Value::List(concatenate(a, b)))
        }
        (Value::Duration(a), Value::Duration(b)) => {
            a.checked_add(*b).map(Value::Duration).ok_or_else(overflow)
        }
        (Value::Timestamp(a), Value::Duration(b)) => add_to_timestamp(*a, *b),
        (Value::Duration(a), Value::Timestamp(b)) => add_to_timestamp(*b, *a),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// Appends in place when nobody else has the list.
fn concatenate<'a>(one: List<'a>, other: &List<'a>) -> List<'a> {
    let mut values = match one {
        List::Values(values) => values,
        borrowed => Arc::new(borrowed.iter().collect()),
    };
    Arc::make_mut(&mut values).extend(other.iter());
    List::Values(values)
}

pub(super) fn subtract<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Int(a), Value::Int(b)] => a.checked_sub(*b).map(Value::Int).ok_or_else(overflow),
        [Value::Uint(a), Value::Uint(b)] => a
            .checked_sub(*b)
            .map(Value::Uint)
            .ok_or_else(|| EvalError::other("unsigned integer overflow")),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(*a - *b)),
        [Value::Duration(a), Value::Duration(b)] => {
            a.checked_sub(*b).map(Value::Duration).ok_or_else(overflow)
        }
        [Value::Timestamp(a), Value::Duration(b)] => {
            add_to_timestamp(*a, b.checked_neg().ok_or_else(overflow)?)
        }
        [Value::Timestamp(a), Value::Timestamp(b)] => timestamp_difference(*a, *b),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn multiply<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Int(a), Value::Int(b)] => a.checked_mul(*b).map(Value::Int).ok_or_else(overflow),
        [Value::Uint(a), Value::Uint(b)] => a
            .checked_mul(*b)
            .map(Value::Uint)
            .ok_or_else(|| EvalError::other("unsigned integer overflow")),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(*a * *b)),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn divide<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err(EvalError::other("division by zero"))
        }
        [Value::Int(a), Value::Int(b)] => a.checked_div(*b).map(Value::Int).ok_or_else(overflow),
        [Value::Uint(a), Value::Uint(b)] => Ok(Value::Uint(*a / *b)),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(*a / *b)),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn modulo<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err(EvalError::other("modulus by zero"))
        }
        [Value::Int(a), Value::Int(b)] => a.checked_rem(*b).map(Value::Int).ok_or_else(overflow),
        [Value::Uint(a), Value::Uint(b)] => Ok(Value::Uint(*a % *b)),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn ordered<'a>(args: &[Value<'a>], accept: fn(Ordering) -> bool) -> Outcome<'a> {
    match args {
        [one, other] => compare(one, other).map(|order| Value::Bool(accept(order))),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn less<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    ordered(args, Ordering::is_lt)
}

pub(super) fn less_equals<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    ordered(args, Ordering::is_le)
}

pub(super) fn greater<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    ordered(args, Ordering::is_gt)
}

pub(super) fn greater_equals<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    ordered(args, Ordering::is_ge)
}

/// `in`.
pub(super) fn contained<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [value, Value::List(list)] => contains(list, value).map(Value::Bool),
        [key, Value::Map(map)] => Ok(Value::Bool(map.contains(key))),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// Whether a list has an equal element; an error only when there is none and one could not be compared.
pub(super) fn contains(list: &List<'_>, value: &Value<'_>) -> Result<bool, EvalError> {
    let mut problem = None;
    for element in list.iter() {
        match equal(value, &element) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => {
                problem.get_or_insert(error);
            }
        }
    }
    problem.map_or(Ok(false), Err)
}

pub(super) fn size<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let size = args
        .first()
        .and_then(Value::size)
        .ok_or_else(EvalError::no_such_overload)?;
    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}
