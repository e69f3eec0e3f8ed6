//! Messages whose JSON form is not an object.

use base64::Engine as _;
use jiff::Timestamp;
use serde_json::Value;

use super::wire::{Fields, Wire, WireError, text};
use crate::decode::scalar;

/// `resource.Quantity { string = 1 }`
pub(super) fn quantity(bytes: &[u8]) -> Result<Value, WireError> {
    let mut found = "0".to_owned();
    let mut fields = Fields::new(bytes);
    while let Some((number, value)) = fields.next()? {
        if number == 1 {
            found = text(number, value.bytes("string")?)?;
        }
    }
    Ok(Value::String(found))
}

/// `intstr.IntOrString { type = 1, intVal = 2, strVal = 3 }`
pub(super) fn int_or_string(bytes: &[u8]) -> Result<Value, WireError> {
    let (mut is_string, mut int, mut string) = (false, 0, String::new());
    let mut fields = Fields::new(bytes);
    while let Some((number, value)) = fields.next()? {
        match number {
            1 => is_string = value.varint("type")? == 1,
            2 => int = value.signed("intVal")?,
            3 => string = text(number, value.bytes("strVal")?)?,
            _ => {}
        }
    }
    Ok(if is_string {
        Value::String(string)
    } else {
        Value::from(int)
    })
}

/// `metav1.Time` and `metav1.MicroTime`: `{ seconds = 1, nanos = 2 }`; an empty message is the zero time.
pub(super) fn time(bytes: &[u8], micro: bool) -> Result<Value, WireError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0, 0);
    let mut fields = Fields::new(bytes);
    while let Some((number, value)) = fields.next()? {
        match number {
            1 => seconds = value.signed("seconds")?,
            2 => nanos = i32::try_from(value.signed("nanos")?).map_err(|_| WireError::Overflow)?,
            _ => {}
        }
    }
    let timestamp =
        Timestamp::new(seconds, nanos).map_err(|error| WireError::Embedded(error.to_string()))?;
    Ok(Value::String(if micro {
        scalar::format_micros(timestamp)
    } else {
        scalar::format_seconds(timestamp)
    }))
}

/// `runtime.RawExtension { raw = 1 }` and `metav1.FieldsV1 { Raw = 1 }`: a JSON document.
pub(super) fn raw(bytes: &[u8]) -> Result<Value, WireError> {
    let mut fields = Fields::new(bytes);
    let mut found = Value::Null;
    while let Some((number, value)) = fields.next()? {
        if number == 1 {
            let document = value.bytes("raw")?;
            if !document.is_empty() {
                found = serde_json::from_slice(document)
                    .map_err(|error| WireError::Embedded(format!("embedded document: {error}")))?;
            }
        }
    }
    Ok(found)
}

/// Bytes, base64 in JSON.
pub(super) fn base64(value: Wire<'_>, field: &str) -> Result<Value, WireError> {
    Ok(Value::String(
        base64::engine::general_purpose::STANDARD.encode(value.bytes(field)?),
    ))
}
