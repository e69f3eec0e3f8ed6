//! Kubernetes' `format` library: names and values of known formats.

use std::sync::LazyLock;

use drakit_api::names::{
    validate_dns1123_label, validate_dns1123_subdomain, validate_label_value,
    validate_qualified_name,
};
use regex::Regex;

use super::Outcome;
use crate::EvalError;
use crate::plan::Call;
use crate::value::Value;

/// A format that strings can be validated against.
#[derive(Debug)]
pub(crate) struct NamedFormat {
    /// How functions name it.
    key: &'static str,
    /// How it compares.
    pub(crate) name: &'static str,
    /// The length of its pattern, from which the cost follows.
    pub(crate) regex_size: u64,
    validate: fn(&str) -> Vec<String>,
}

static FORMATS: [NamedFormat; 13] = [
    named("byte", "byte", 84, |text| {
        check(is_base64(text), "invalid base64")
    }),
    named("date", "date", 71, |text| {
        check(is_date(text), "invalid date")
    }),
    named("datetime", "datetime", 71, |text| {
        check(is_datetime(text), "invalid datetime")
    }),
    named("dns1035Label", "DNS1035Label", 30, dns1035_label),
    named("dns1035LabelPrefix", "DNS1035LabelPrefix", 30, |t| {
        dns1035_label(&masked(t))
    }),
    named("dns1123Label", "DNS1123Label", 30, validate_dns1123_label),
    named("dns1123LabelPrefix", "DNS1123LabelPrefix", 30, |t| {
        validate_dns1123_label(&masked(t))
    }),
    named(
        "dns1123Subdomain",
        "DNS1123Subdomain",
        60,
        validate_dns1123_subdomain,
    ),
    named(
        "dns1123SubdomainPrefix",
        "DNS1123SubdomainPrefix",
        60,
        |text| validate_dns1123_subdomain(&masked(text)),
    ),
    named("labelValue", "LabelValue", 40, validate_label_value),
    named(
        "qualifiedName",
        "QualifiedName",
        60,
        validate_qualified_name,
    ),
    named("uri", "URI", 1103, |text| {
        super::url::parse(text).err().into_iter().collect()
    }),
    named("uuid", "uuid", 70, |text| {
        check(is_uuid(text), "does not match the UUID format")
    }),
];

const fn named(
    key: &'static str,
    name: &'static str,
    regex_size: u64,
    validate: fn(&str) -> Vec<String>,
) -> NamedFormat {
    NamedFormat {
        key,
        name,
        regex_size,
        validate,
    }
}

fn find(key: &str) -> Option<&'static NamedFormat> {
    FORMATS.iter().find(|format| format.key == key)
}

/// `format.dns1123Label()` and its kind.
pub(super) fn constant<'a>(call: &Call, _: &mut [Value<'a>]) -> Outcome<'a> {
    let key = call.function.name.trim_start_matches("format.");
    find(key)
        .map(Value::Format)
        .ok_or_else(EvalError::no_such_overload)
}

pub(super) fn validate<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let [Value::Format(format), Value::String(text)] = args else {
        return Err(EvalError::no_such_overload());
    };
    let problems = (format.validate)(text);
    if problems.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::some(Value::list(
        problems.into_iter().map(Value::string).collect(),
    )))
}

fn check(good: bool, problem: &str) -> Vec<String> {
    if good {
        Vec::new()
    } else {
        vec![problem.to_owned()]
    }
}

/// A prefix may end in a dash, which the generated part follows.
fn masked(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut masked = rest.to_owned();
            masked.pop();
            masked.push('a');
            masked
        }
        _ => text.to_owned(),
    }
}

fn dns1035_label(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push("must be no more than 63 bytes".to_owned());
    }
    let letters = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let good = text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.bytes().all(letters);
    if !good {
        problems.push("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')".to_owned());
    }
    problems
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && padding <= 2
        && body
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/')
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

fn is_datetime(text: &str) -> bool {
    let shape = text.len() >= 20 && text.as_bytes()[10].eq_ignore_ascii_case(&b't');
    shape && !text.contains('[') && text.parse::<jiff::Timestamp>().is_ok()
}

fn is_uuid(text: &str) -> bool {
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            "(?i)(^[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$)|(^[0-9A-F]{32}$)",
        )
        .ok()
    });
    PATTERN
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text))
}

/// `format.named(string)`: an optional format.
pub(super) fn named_call<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(key)] => {
            let format = find(key).map(|format| Value::Format(format).into());
            Ok(Value::Optional(format))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}
