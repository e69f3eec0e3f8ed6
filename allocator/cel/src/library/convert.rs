//! Conversions between types.

use super::Outcome;
use super::time::{duration_text, parse_duration, parse_timestamp, timestamp_from_seconds};
use crate::EvalError;
use crate::plan::Call;
use crate::value::Value;

fn impossible(from: &Value<'_>, to: &str) -> EvalError {
    EvalError::other(format!(
        "type conversion error from '{}' to '{to}'",
        from.type_name()
    ))
}

fn only<'v, 'a>(args: &'v mut [Value<'a>]) -> Result<&'v mut Value<'a>, EvalError> {
    args.first_mut().ok_or_else(EvalError::no_such_overload)
}

pub(super) fn to_bool<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let value = only(args)?;
    match value {
        Value::Bool(value) => Ok(Value::Bool(*value)),
        // What Go's strconv.ParseBool accepts.
        Value::String(text) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => Err(impossible(value, "bool")),
        },
        other => Err(impossible(other, "bool")),
    }
}

pub(super) fn to_bytes<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match only(args)? {
        Value::Bytes(bytes) => Ok(Value::Bytes(bytes.clone())),
        Value::String(text) => Ok(Value::Bytes(text.as_bytes().into())),
        other => Err(impossible(other, "bytes")),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "CEL converts to the nearest double"
)]
pub(super) fn to_double<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let value = only(args)?;
    match value {
        Value::Double(value) => Ok(Value::Double(*value)),
        Value::Int(value) => Ok(Value::Double(*value as f64)),
        Value::Uint(value) => Ok(Value::Double(*value as f64)),
        Value::String(text) => match text.parse() {
            Ok(number) => Ok(Value::Double(number)),
            Err(_) => Err(impossible(value, "double")),
        },
        other => Err(impossible(other, "double")),
    }
}

pub(super) fn to_dyn<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    only(args).cloned()
}

pub(super) fn to_int<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let value = only(args)?;
    match value {
        Value::Int(value) => Ok(Value::Int(*value)),
        Value::Uint(value) => i64::try_from(*value)
            .map(Value::Int)
            .map_err(|_| EvalError::other("integer overflow")),
        Value::Double(value) => double_to_int(*value),
        Value::Duration(nanos) => Ok(Value::Int(*nanos)),
        Value::Timestamp(time) => Ok(Value::Int(time.seconds())),
        Value::String(text) => match text.parse() {
            Ok(number) => Ok(Value::Int(number)),
            Err(_) => Err(impossible(value, "int")),
        },
        other => Err(impossible(other, "int")),
    }
}

/// Bounds are open: the nearest doubles of the limits are outside of them.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked")]
#[expect(
    clippy::cast_precision_loss,
    reason = "cel-go compares with the rounded limits"
)]
fn double_to_int<'a>(value: f64) -> Outcome<'a> {
    if value.is_nan() || value <= i64::MIN as f64 || value >= i64::MAX as f64 {
        return Err(EvalError::other("integer overflow"));
    }
    Ok(Value::Int(value as i64))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the bounds are checked"
)]
#[expect(
    clippy::cast_precision_loss,
    reason = "cel-go compares with the rounded limits"
)]
pub(super) fn to_uint<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let overflow = || EvalError::other("unsigned integer overflow");
    let value = only(args)?;
    match value {
        Value::Uint(value) => Ok(Value::Uint(*value)),
        Value::Int(value) => u64::try_from(*value)
            .map(Value::Uint)
            .map_err(|_| overflow()),
        Value::Double(value) if value.is_nan() || *value < 0.0 || *value >= u64::MAX as f64 => {
            Err(overflow())
        }
        Value::Double(value) => Ok(Value::Uint(*value as u64)),
        Value::String(text) => match text.parse() {
            Ok(number) => Ok(Value::Uint(number)),
            Err(_) => Err(impossible(value, "uint")),
        },
        other => Err(impossible(other, "uint")),
    }
}

pub(super) fn to_string<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let value = only(args)?;
    match text_of(value) {
        Some(Ok(text)) => Ok(Value::string(text)),
        Some(Err(error)) => Err(error),
        None => match value {
            Value::String(text) => Ok(Value::String(text.clone())),
            other => Err(impossible(other, "string")),
        },
    }
}

/// The text of a value other than a string, for the types that have one.
pub(super) fn text_of(value: &Value<'_>) -> Option<Result<String, EvalError>> {
    Some(Ok(match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => shortest(*value),
        Value::Duration(nanos) => duration_text(*nanos),
        Value::Timestamp(time) => time.to_string(),
        Value::Ip(address) => super::net::address_text(*address),
        Value::Cidr(cidr) => cidr.to_string(),
        Value::Type(name) => name.to_string(),
        Value::Bytes(bytes) => {
            let text = std::str::from_utf8(bytes).map(str::to_owned);
            let problem = "invalid UTF-8 in bytes, cannot convert to string";
            return Some(text.map_err(|_| EvalError::other(problem)));
        }
        _ => return None,
    }))
}

/// A double as Go's `%g` prints it: the shortest text, with an exponent below 1e-4 and from 1e21.
pub(super) fn shortest(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value == 0.0 || (-4..21).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

pub(super) fn to_type<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    only(args).map(|value| Value::Type(value.type_name().into()))
}

pub(super) fn to_duration<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let value = only(args)?;
    match value {
        Value::Duration(nanos) => Ok(Value::Duration(*nanos)),
        Value::String(text) => match parse_duration(text) {
            Some(nanos) => Ok(Value::Duration(nanos)),
            None => Err(impossible(value, "google.protobuf.Duration")),
        },
        other => Err(impossible(other, "google.protobuf.Duration")),
    }
}

pub(super) fn to_timestamp<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let value = only(args)?;
    match value {
        Value::Timestamp(time) => Ok(Value::Timestamp(*time)),
        Value::Int(seconds) => timestamp_from_seconds(*seconds),
        Value::String(text) => match parse_timestamp(text) {
            Some(time) => Ok(Value::Timestamp(time)),
            None => Err(impossible(value, "google.protobuf.Timestamp")),
        },
        other => Err(impossible(other, "google.protobuf.Timestamp")),
    }
}
