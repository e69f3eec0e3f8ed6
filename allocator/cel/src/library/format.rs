//! `format` (cel-go `ext/formatting.go`).

use super::Outcome;
use super::convert::{shortest, text_of};
use super::text_format::{Clause, clauses};
use crate::EvalError;
use crate::plan::Call;
use crate::value::{List, Map, Value};

/// Decimals when a clause does not say.
const DEFAULT_PRECISION: usize = 6;
/// More decimals than a double has are asked for by mistake, or to use up memory.
const MAX_PRECISION: usize = 1024;

pub(super) fn format<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let [Value::String(text), Value::List(list)] = args else {
        return Err(EvalError::no_such_overload());
    };
    let mut filled = String::with_capacity(text.len());
    let mut next = 0;
    for clause in clauses(text) {
        if matches!(clause, Err(_) | Ok(Clause::Argument { .. })) && next >= list.len() {
            return Err(EvalError::other(format!("index {next} out of range")));
        }
        match clause.map_err(EvalError::other)? {
            Clause::Text(plain) => filled.push_str(plain),
            Clause::Percent => filled.push('%'),
            Clause::Argument { kind, precision } => {
                let value = list.get(next).unwrap_or(Value::Null);
                next += 1;
                let text = argument(kind, precision, &value)
                    .map_err(|reason| format!("error during formatting: {reason}"))
                    .map_err(EvalError::other)?;
                filled.push_str(&text);
            }
        }
    }
    Ok(Value::string(filled))
}

fn argument(kind: char, precision: Option<usize>, value: &Value<'_>) -> Result<String, String> {
    let precision = precision.unwrap_or(DEFAULT_PRECISION).min(MAX_PRECISION);
    match (kind, value) {
        ('s', value) => plain(value),
        ('d' | 'b' | 'x' | 'X' | 'o', Value::Int(number)) => {
            Ok(whole(kind, *number < 0, number.unsigned_abs()))
        }
        ('d' | 'b' | 'x' | 'X' | 'o', Value::Uint(number)) => Ok(whole(kind, false, *number)),
        ('b', Value::Bool(value)) => Ok(if *value { "1" } else { "0" }.to_owned()),
        ('x' | 'X', Value::String(text)) => Ok(hex(text.as_bytes(), kind == 'X')),
        ('x' | 'X', Value::Bytes(bytes)) => Ok(hex(bytes, kind == 'X')),
        ('f', value) => double_of(value).map(|number| fixed(number, precision)),
        ('e', value) => double_of(value).map(|number| scientific(number, precision)),
        (_, value) => Err(wrong_type(kind, value.type_name())),
    }
    .map_err(|reason| {
        if reason.is_empty() {
            wrong_type(kind, value.type_name())
        } else {
            reason
        }
    })
}

/// The text about a value that a clause cannot show.
pub(crate) fn wrong_type(kind: char, found: &str) -> String {
    let expected = match kind {
        'd' => "decimal clause can only be used on integers",
        'b' => "only integers and bools can be formatted as binary",
        'x' | 'X' => "only integers, byte buffers, and strings can be formatted as hex",
        'o' => "octal clause can only be used on integers",
        'f' => "fixed-point clause can only be used on doubles",
        'e' => "scientific clause can only be used on doubles",
        _ => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
        }
    };
    format!("{expected}, was given {found}")
}

fn whole(kind: char, negative: bool, number: u64) -> String {
    let digits = match kind {
        'b' => format!("{number:b}"),
        'o' => format!("{number:o}"),
        'x' => format!("{number:x}"),
        'X' => format!("{number:X}"),
        _ => number.to_string(),
    };
    if negative {
        format!("-{digits}")
    } else {
        digits
    }
}

fn hex(bytes: &[u8], upper: bool) -> String {
    bytes
        .iter()
        .map(|b| {
            if upper {
                format!("{b:02X}")
            } else {
                format!("{b:02x}")
            }
        })
        .collect()
}

/// Doubles, and the three texts that stand for what JSON has no number for. The empty error stands
/// for a wrong type.
fn double_of(value: &Value<'_>) -> Result<f64, String> {
    match value {
        Value::Double(number) => Ok(*number),
        Value::String(text) => match &**text {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            _ => Err(String::new()),
        },
        _ => Err(String::new()),
    }
}

/// As `en_US` prints it, with a comma between thousands.
fn fixed(number: f64, precision: usize) -> String {
    if let Some(text) = special(number) {
        return text;
    }
    let plain = format!("{number:.precision$}");
    let (sign, plain) = match plain.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", plain.as_str()),
    };
    let (whole, decimals) = plain.split_once('.').unwrap_or((plain, ""));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{decimals}")
}

fn scientific(number: f64, precision: usize) -> String {
    if let Some(text) = special(number) {
        return text;
    }
    let plain = format!("{number:.precision$e}");
    let (digits, exponent) = plain.split_once('e').unwrap_or((&plain, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { "-" } else { "" };
    let superscript: String = format!("{:02}", exponent.abs())
        .chars()
        .map(to_superscript)
        .collect();
    let sign = if sign.is_empty() { "" } else { "⁻" };
    format!("{digits}\u{202f}×\u{202f}10{sign}{superscript}")
}

fn to_superscript(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

fn special(number: f64) -> Option<String> {
    let text = if number.is_nan() {
        "NaN"
    } else if number == f64::INFINITY {
        "∞"
    } else if number == f64::NEG_INFINITY {
        "-∞"
    } else {
        return None;
    };
    Some(text.to_owned())
}

/// `%s`.
fn plain(value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::Null => Ok("null".to_owned()),
        Value::String(text) => Ok(text.to_string()),
        Value::List(list) => list_text(list),
        Value::Map(map) => map_text(map),
        Value::Ip(_) | Value::Cidr(_) => Err(wrong_type('s', value.type_name())),
        value => match text_of(value) {
            Some(text) => text.map_err(|error| error.to_string()),
            None => Err(wrong_type('s', value.type_name())),
        },
    }
}

fn list_text(list: &List<'_>) -> Result<String, String> {
    let elements = list.iter().map(|element| element_text(&element));
    Ok(format!(
        "[{}]",
        elements.collect::<Result<Vec<_>, _>>()?.join(", ")
    ))
}

fn map_text(map: &Map<'_>) -> Result<String, String> {
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        let key = match &key {
            Value::String(text) => format!("{:?}", &**text),
            Value::Bool(_) | Value::Int(_) | Value::Uint(_) => plain(&key)?,
            other => {
                let of = other.type_name();
                return Err(format!("no formatting function for map key of type {of}"));
            }
        };
        entries.push((key, element_text(&value)?));
    }
    entries.sort();
    let entries: Vec<String> = entries
        .into_iter()
        .map(|(key, value)| format!("{key}:{value}"))
        .collect();
    Ok(format!("{{{}}}", entries.join(", ")))
}

/// An element as it would be written in CEL.
fn element_text(value: &Value<'_>) -> Result<String, String> {
    Ok(match value {
        Value::String(text) => format!("{:?}", &**text),
        Value::Bytes(_) => format!("b{:?}", plain(value)?),
        Value::Double(number) if number.is_finite() => format!("{number:.DEFAULT_PRECISION$}"),
        Value::Double(number) => format!("{:?}", shortest(*number)),
        Value::Timestamp(time) => format!("timestamp({:?})", time.to_string()),
        Value::Duration(_) => format!("duration({:?})", plain(value)?),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Type(_)
        | Value::List(_)
        | Value::Map(_) => plain(value)?,
        other => return Err(format!("no formatting function for {}", other.type_name())),
    })
}

/// A value as Go's `%v` prints it, for error texts.
pub(crate) fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "0".to_owned(),
        Value::String(text) => text.to_string(),
        Value::List(list) => {
            let elements: Vec<String> = list.iter().map(|element| shown(&element)).collect();
            format!("[{}]", elements.join(", "))
        }
        other => match text_of(other) {
            Some(Ok(text)) => text,
            _ => other.type_name().to_owned(),
        },
    }
}
