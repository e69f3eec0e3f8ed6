//! cel-go's string functions (`ext/strings.go`), counting in code points.

use super::{Outcome, lists};
use crate::EvalError;
use crate::plan::Call;
use crate::value::{Text, Value};

fn out_of_range(index: i64) -> EvalError {
    EvalError::other(format!("index out of range: {index}"))
}

fn int<'a>(value: usize) -> Value<'a> {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

pub(super) fn contains<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(text.contains(&**part))),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn starts_with<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(text.starts_with(&**part))),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn ends_with<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(text.ends_with(&**part))),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn char_at<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let [Value::String(text), Value::Int(index)] = args else {
        return Err(EvalError::no_such_overload());
    };
    let at = usize::try_from(*index).map_err(|_| out_of_range(*index))?;
    match text.chars().nth(at) {
        Some(found) => Ok(Value::string(found.to_string())),
        None if at == text.char_count() => Ok(Value::text("")),
        None => Err(out_of_range(*index)),
    }
}

pub(super) fn index_of<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text), Value::String(part)] => position(text, part, 0),
        [Value::String(text), Value::String(part), Value::Int(from)] => position(text, part, *from),
        [Value::List(list), value] => Ok(lists::index_of(list, value)),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn position<'a>(text: &Text<'_>, part: &Text<'_>, from: i64) -> Outcome<'a> {
    let start = usize::try_from(from).map_err(|_| out_of_range(from))?;
    if part.is_empty() {
        return Ok(int(start.min(text.char_count())));
    }
    let Some((start, _)) = text.char_indices().nth(start) else {
        return Ok(Value::Int(-1));
    };
    Ok(match text[start..].find(&**part) {
        Some(found) => int(text[..start + found].chars().count()),
        None => Value::Int(-1),
    })
}

pub(super) fn last_index_of<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text), Value::String(part)] => {
            if part.is_empty() {
                return Ok(int(text.char_count()));
            }
            Ok(text
                .rfind(&**part)
                .map_or(Value::Int(-1), |at| int(text[..at].chars().count())))
        }
        [Value::String(text), Value::String(part), Value::Int(until)] => {
            last_position(text, part, *until)
        }
        [Value::List(list), value] => Ok(lists::last_index_of(list, value)),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn last_position<'a>(text: &Text<'_>, part: &Text<'_>, until: i64) -> Outcome<'a> {
    let until = usize::try_from(until).map_err(|_| out_of_range(until))?;
    if part.is_empty() {
        return Ok(int(until.min(text.char_count())));
    }
    let Some((start, _)) = text.char_indices().nth(until) else {
        return Ok(Value::Int(-1));
    };
    let end = (start + part.len()).min(text.len());
    let end = (end..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(end);
    let found = text[..end]
        .rmatch_indices(&**part)
        .map(|(at, _)| at)
        .find(|at| *at <= start);
    Ok(found.map_or(Value::Int(-1), |at| int(text[..at].chars().count())))
}

pub(super) fn lower_ascii<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => Ok(Value::string(text.to_ascii_lowercase())),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn upper_ascii<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => Ok(Value::string(text.to_ascii_uppercase())),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn replace<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text), Value::String(old), Value::String(new)] => {
            Ok(Value::string(text.replace(&**old, new)))
        }
        [
            Value::String(text),
            Value::String(old),
            Value::String(new),
            Value::Int(count),
        ] => Ok(match usize::try_from(*count) {
            Ok(count) => Value::string(text.replacen(&**old, new, count)),
            Err(_) => Value::string(text.replace(&**old, new)),
        }),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn split<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (text, separator, count) = match args {
        [Value::String(text), Value::String(separator)] => (text, separator, -1),
        [
            Value::String(text),
            Value::String(separator),
            Value::Int(count),
        ] => (text, separator, *count),
        _ => return Err(EvalError::no_such_overload()),
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let parts: Vec<&str> = if separator.is_empty() {
        split_chars(text, count)
    } else if count == 0 {
        Vec::new()
    } else {
        text.splitn(count, &**separator).collect()
    };
    Ok(Value::list(parts.into_iter().map(Value::string).collect()))
}

/// Go splits between code points, without empty parts at the ends.
fn split_chars(text: &str, count: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && parts.len() < count {
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let length = if parts.len() + 1 == count {
            rest.len()
        } else {
            first
        };
        let (part, remainder) = rest.split_at(length);
        parts.push(part);
        rest = remainder;
    }
    parts
}

pub(super) fn substring<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (text, start, end) = match args {
        [Value::String(text), Value::Int(start)] => (text, *start, None),
        [Value::String(text), Value::Int(start), Value::Int(end)] => (text, *start, Some(*end)),
        _ => return Err(EvalError::no_such_overload()),
    };
    if let Some(end) = end
        && start > end
    {
        let text = format!("invalid substring range. start: {start}, end: {end}");
        return Err(EvalError::other(text));
    }
    let offset = |index: i64| {
        let at = usize::try_from(index).map_err(|_| out_of_range(index))?;
        let mut offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        offsets.nth(at).ok_or_else(|| out_of_range(index))
    };
    let from = offset(start)?;
    let to = end.map_or(Ok(text.len()), offset)?;
    Ok(Value::string(&text[from..to]))
}

pub(super) fn trim<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => Ok(Value::string(text.trim())),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn join<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (list, separator) = match args {
        [Value::List(list)] => (list, ""),
        [Value::List(list), Value::String(separator)] => (list, &**separator),
        _ => return Err(EvalError::no_such_overload()),
    };
    let mut joined = String::new();
    for (index, element) in list.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        match &element {
            Value::String(text) => joined.push_str(text),
            other => {
                let text = super::format::shown(other);
                return Err(EvalError::other(format!("join: invalid input: {text}")));
            }
        }
    }
    Ok(Value::string(joined))
}

pub(super) fn quote<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let [Value::String(text)] = args else {
        return Err(EvalError::no_such_overload());
    };
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for each in text.chars() {
        match each {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    Ok(Value::string(quoted))
}
