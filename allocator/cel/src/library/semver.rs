//! Kubernetes' `semver` library, and comparisons, which it shares with quantities.

use std::cmp::Ordering;

use super::Outcome;
use super::quantity::order;
use crate::EvalError;
use crate::plan::Call;
use crate::value::Value;
use drakit_api::semver::{ParseSemverError, Semver};

fn parse(args: &[Value<'_>]) -> Result<Result<Semver, ParseSemverError>, EvalError> {
    match args {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => {
            Ok(Semver::parse(text))
        }
        [Value::String(text), Value::Bool(true)] => Ok(Semver::parse_normalized(text)),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn semver<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match parse(args)? {
        Ok(version) => Ok(Value::semver(version)),
        Err(reason) => Err(EvalError::other(reason.to_string())),
    }
}

pub(super) fn is_semver<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(parse(args)?.is_ok()))
}

pub(super) fn is_greater_than<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(order(args)?.is_gt()))
}

pub(super) fn is_less_than<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(order(args)?.is_lt()))
}

pub(super) fn compare_to<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Int(match order(args)? {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}

/// Numbers wrap around as in Go.
fn number<'a>(args: &[Value<'a>], part: fn(&Semver) -> u64) -> Outcome<'a> {
    match args {
        [Value::Semver(version)] => Ok(Value::Int(part(version).cast_signed())),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn major<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    number(args, |version| version.major)
}

pub(super) fn minor<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    number(args, |version| version.minor)
}

pub(super) fn patch<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    number(args, |version| version.patch)
}
