//! What the result of an expression is used as.

use crate::value::{List, Value};
use crate::{AttributeValue, EvalError, EvalErrorKind};

/// The result as a bool, with cel-go's texts for what is none.
pub(crate) fn to_bool(value: &Value<'_>) -> Result<bool, EvalError> {
    let mut inner = value;
    while let Value::Optional(Some(value)) = inner {
        inner = value;
    }
    let reason = match inner {
        Value::Bool(value) => return Ok(*value),
        Value::Optional(_) => "optional.none() dereference",
        Value::Null => "type conversion error from 'null_type' to 'bool'",
        Value::Int(_) => "unsupported type conversion from 'int' to bool",
        Value::Uint(_) => "unsupported type conversion from 'uint' to bool",
        Value::Double(_) => "type conversion error from Double to 'bool'",
        Value::String(_) => "unsupported native conversion from string to 'bool'",
        Value::Bytes(_) => "type conversion error from Bytes to 'bool'",
        Value::List(_) => "type conversion error from list to 'bool'",
        Value::Map(_) => "type conversion error from map to 'bool'",
        Value::Quantity(_) => "type conversion error from 'Quantity' to 'bool'",
        Value::Semver(_) => "type conversion error from 'Semver' to 'bool'",
        Value::Ip(_) => "type conversion error from 'IP' to 'bool'",
        Value::Cidr(_) => "type conversion error from 'CIDR' to 'bool'",
        Value::Url(_) => "type conversion error from 'URL' to 'bool'",
        Value::Format(_) => "type conversion error from 'Format' to 'bool'",
        Value::Duration(_) => "type conversion error from 'Duration' to 'bool'",
        Value::Timestamp(_) => "type conversion error from 'Timestamp' to 'bool'",
        Value::Type(_) => "type conversion not supported for 'type'",
    };
    let of = value.type_name();
    let text = format!("CEL result of type {of} could not be converted to bool: {reason}");
    Err(EvalError::new(EvalErrorKind::ResultType, text))
}

/// The result as the value of an attribute (`valToDeviceAttribute` in `compile.go`). An empty list is
/// a list of strings, the first element of another list decides what it is a list of.
pub(crate) fn to_attribute(value: &Value<'_>) -> Result<AttributeValue, EvalError> {
    Ok(match value {
        Value::Bool(value) => AttributeValue::Bool(*value),
        Value::Int(value) => AttributeValue::Int(*value),
        Value::String(text) => AttributeValue::String(text.to_string()),
        Value::Semver(version) => AttributeValue::Version((**version).clone()),
        Value::List(list) => match list.get(0) {
            None => AttributeValue::Strings(Vec::new()),
            Some(Value::Bool(_)) => AttributeValue::Bools(collect(list, "bool", |value| {
                if let Value::Bool(value) = value {
                    Some(value)
                } else {
                    None
                }
            })?),
            Some(Value::Int(_)) => AttributeValue::Ints(collect(list, "int", |value| {
                if let Value::Int(value) = value {
                    Some(value)
                } else {
                    None
                }
            })?),
            Some(Value::String(_)) => AttributeValue::Strings(collect(list, "string", |value| {
                if let Value::String(text) = value {
                    Some(text.to_string())
                } else {
                    None
                }
            })?),
            Some(Value::Semver(_)) => AttributeValue::Versions(collect(list, "semver", |value| {
                if let Value::Semver(version) = value {
                    Some((*version).clone())
                } else {
                    None
                }
            })?),
            Some(other) => {
                let found = go_native(&other);
                return Err(unusable(format!("unsupported list element type: {found}")));
            }
        },
        other => {
            return Err(unusable(format!(
                "unsupported CEL return type: {}",
                go_native(other)
            )));
        }
    })
}

fn unusable(text: String) -> EvalError {
    EvalError::new(EvalErrorKind::ResultType, text)
}

fn collect<'a, T>(
    list: &List<'a>,
    expected: &str,
    take: fn(Value<'a>) -> Option<T>,
) -> Result<Vec<T>, EvalError> {
    let element = |(index, value): (usize, Value<'a>)| {
        let found = go_native(&value);
        take(value).ok_or_else(|| {
            unusable(format!(
                "expected list element at index {index} to be {expected}, got {found}"
            ))
        })
    };
    list.iter().enumerate().map(element).collect()
}

/// The Go type that a value has outside of CEL.
fn go_native(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "structpb.NullValue",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Double(_) => "float64",
        Value::String(_) | Value::Type(_) => "string",
        Value::Bytes(_) => "[]uint8",
        Value::List(_) => "[]ref.Val",
        Value::Map(_) => "map[string]interface {}",
        Value::Optional(_) => "*types.Optional",
        Value::Quantity(_) => "*resource.Quantity",
        Value::Semver(_) => "semver.Version",
        Value::Ip(_) => "netip.Addr",
        Value::Cidr(_) => "netip.Prefix",
        Value::Url(_) => "*url.URL",
        Value::Format(_) => "cel.Format",
        Value::Duration(_) => "time.Duration",
        Value::Timestamp(_) => "time.Time",
    }
}
