//! Kubernetes' `quantity` library.

use std::cmp::Ordering;

use super::Outcome;
use crate::EvalError;
use crate::plan::Call;
use crate::value::{Held, Value};
use drakit_api::Quantity;
use drakit_api::quantity::Format;

pub(super) fn quantity<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => match Quantity::parse(text) {
            Ok(quantity) => Ok(Value::quantity(quantity)),
            Err(reason) => Err(EvalError::other(reason.to_string())),
        },
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn is_quantity<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => Ok(Value::Bool(Quantity::parse(text).is_ok())),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn only<'v>(args: &'v [Value<'_>]) -> Result<&'v Quantity, EvalError> {
    match args {
        [Value::Quantity(quantity)] => Ok(quantity),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn sign<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Int(i64::from(only(args)?.signum())))
}

pub(super) fn is_integer<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(only(args)?.as_i64().is_some()))
}

pub(super) fn as_integer<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    only(args)?
        .as_i64()
        .map(Value::Int)
        .ok_or_else(|| EvalError::other("cannot convert value to integer"))
}

pub(super) fn as_approximate_float<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Double(only(args)?.as_approximate_f64()))
}

/// The operands of `add` and `sub`, of which the second may be an int.
fn operands<'v>(args: &'v [Value<'_>]) -> Result<(&'v Quantity, Quantity), EvalError> {
    match args {
        [Value::Quantity(one), Value::Quantity(other)] => Ok((one, (**other).clone())),
        [Value::Quantity(one), Value::Int(other)] => {
            Ok((one, Quantity::from_i64(*other, Format::DecimalExponent)))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn add<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (one, other) = operands(args)?;
    Ok(Value::Quantity(Held::Computed((one + &other).into())))
}

pub(super) fn sub<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (one, other) = operands(args)?;
    Ok(Value::Quantity(Held::Computed((one - &other).into())))
}

/// The order of two quantities or two versions, which share the names of their functions.
pub(super) fn order(args: &[Value<'_>]) -> Result<Ordering, EvalError> {
    match args {
        [Value::Quantity(one), Value::Quantity(other)] => Ok((**one).cmp(other)),
        [Value::Semver(one), Value::Semver(other)] => Ok((**one).cmp(other)),
        _ => Err(EvalError::no_such_overload()),
    }
}
