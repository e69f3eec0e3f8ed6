//! Optional values (cel-go `cel/library.go`).

use std::sync::Arc;

use super::Outcome;
use crate::EvalError;
use crate::plan::Call;
use crate::value::Value;

#[expect(
    clippy::unnecessary_wraps,
    reason = "has the signature of all functions"
)]
pub(super) fn none<'a>(_: &Call, _: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Optional(None))
}

pub(super) fn of<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    args.first()
        .cloned()
        .map(Value::some)
        .ok_or_else(EvalError::no_such_overload)
}

pub(super) fn of_non_zero<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let value = args.first().ok_or_else(EvalError::no_such_overload)?;
    let zero = match value {
        Value::Null | Value::Optional(None) => true,
        Value::Bool(value) => !value,
        Value::Int(value) | Value::Duration(value) => *value == 0,
        Value::Uint(value) => *value == 0,
        Value::Double(value) => *value == 0.0,
        Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_) => {
            value.size() == Some(0)
        }
        _ => false,
    };
    Ok(if zero {
        Value::Optional(None)
    } else {
        Value::some(value.clone())
    })
}

pub(super) fn has_value<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Optional(value)] => Ok(Value::Bool(value.is_some())),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn value<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Optional(Some(value))] => Ok(Arc::unwrap_or_clone(value.clone())),
        [Value::Optional(None)] => Err(EvalError::other("optional.none() dereference")),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn first<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::List(list)] => Ok(Value::Optional(list.get(0).map(Arc::new))),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn last<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::List(list)] => {
            let found = list.len().checked_sub(1).and_then(|at| list.get(at));
            Ok(Value::Optional(found.map(Arc::new)))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

/// The values of a list of optionals.
pub(super) fn unwrap<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let [Value::List(list)] = args else {
        return Err(EvalError::no_such_overload());
    };
    let mut values = Vec::new();
    for element in list.iter() {
        match element {
            Value::Optional(value) => values.extend(value.map(Arc::unwrap_or_clone)),
            other => {
                let text = super::format::shown(&other);
                return Err(EvalError::other(format!("value {text} is not optional")));
            }
        }
    }
    Ok(Value::list(values))
}
