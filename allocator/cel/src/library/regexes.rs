//! Regular expressions: CEL's `matches`, Kubernetes' `find` and `findAll`.

use std::borrow::Cow;

use regex::Regex;

use super::Outcome;
use crate::EvalError;
use crate::plan::Call;
use crate::value::Value;

/// Compiles a pattern. Rust's syntax is RE2's but for corner cases.
pub(crate) fn compile_regex(pattern: &str) -> Result<Regex, EvalError> {
    Regex::new(pattern).map_err(|reason| {
        let reason = match &reason {
            regex::Error::Syntax(text) => go_reason(pattern, text),
            other => other.to_string(),
        };
        EvalError::other(format!("error parsing regexp: {reason}"))
    })
}

/// Go's words for the usual mistakes, the crate's own for the rest.
fn go_reason(pattern: &str, text: &str) -> String {
    let last = text
        .lines()
        .last()
        .unwrap_or_default()
        .trim_start_matches("error: ");
    if last.starts_with("unclosed character class") {
        let from = pattern.rfind('[').unwrap_or(0);
        return format!("missing closing ]: `{}`", &pattern[from..]);
    }
    match last {
        "unclosed group" => format!("missing closing ): `{pattern}`"),
        "unopened group" => format!("unexpected ): `{pattern}`"),
        "repetition operator missing expression" => {
            let operator: String = pattern
                .chars()
                .filter(|c| "*+?".contains(*c))
                .take(1)
                .collect();
            format!("missing argument to repetition operator: `{operator}`")
        }
        other => format!("{other}: `{pattern}`"),
    }
}

/// The compiled constant pattern, or the one of this call.
fn pattern<'c>(call: &'c Call, text: &str) -> Result<Cow<'c, Regex>, EvalError> {
    match &call.regex {
        Some(regex) => Ok(Cow::Borrowed(regex)),
        None => compile_regex(text).map(Cow::Owned),
    }
}

fn illegal(error: &EvalError) -> EvalError {
    EvalError::other(format!("Illegal regex: {error}"))
}

pub(super) fn matches<'a>(call: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text), Value::String(regex)] => {
            Ok(Value::Bool(pattern(call, regex)?.is_match(text)))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn find<'a>(call: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text), Value::String(regex)] => {
            let regex = pattern(call, regex).map_err(|error| illegal(&error))?;
            Ok(Value::string(
                regex.find(text).map_or("", |found| found.as_str()),
            ))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn find_all<'a>(call: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (text, regex, count) = match args {
        [Value::String(text), Value::String(regex)] => (text, regex, -1),
        [Value::String(text), Value::String(regex), Value::Int(count)] => (text, regex, *count),
        _ => return Err(EvalError::no_such_overload()),
    };
    let regex = pattern(call, regex).map_err(|error| illegal(&error))?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let found = regex
        .find_iter(text)
        .take(count)
        .map(|found| Value::string(found.as_str()));
    Ok(Value::list(found.collect()))
}
