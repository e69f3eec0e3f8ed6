//! Quantities and times: the two scalars whose text Kubernetes rewrites.

use drakit_api::Quantity;
use jiff::{Timestamp, fmt::strtime};

/// Go's layouts, which are part of its error texts.
const SECONDS: &str = "2006-01-02T15:04:05Z07:00";
const MICROS: &str = "2006-01-02T15:04:05.000000Z07:00";
/// `2006-01-02T15:04:05`
const SECONDS_LENGTH: usize = 19;

/// What `resource.ParseQuantity` says of a text that is no quantity.
pub(crate) const NOT_A_QUANTITY: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// The canonical text of a quantity.
pub(crate) fn quantity(text: &str) -> Result<String, String> {
    match text.trim().parse::<Quantity>() {
        Ok(quantity) => Ok(quantity.to_string()),
        Err(_) => Err(NOT_A_QUANTITY.to_owned()),
    }
}

/// `metav1.Time` in the form Go writes: UTC, whole seconds.
pub(crate) fn time(text: &str) -> Result<String, String> {
    let refused =
        || format!("parsing time {text:?} as {SECONDS:?}: cannot parse {text:?} as \"2006\"");
    text.parse().map(format_seconds).map_err(|_| refused())
}

/// `metav1.MicroTime` in the form Go writes: UTC; it takes no other fraction than six digits.
pub(crate) fn micro_time(text: &str) -> Result<String, String> {
    let refused = |rest: &str, part| {
        Err(format!(
            "parsing time {text:?} as {MICROS:?}: cannot parse {rest:?} as {part:?}"
        ))
    };
    let Ok(timestamp) = text.parse() else {
        return refused(text, "2006");
    };
    let after_seconds = text.get(SECONDS_LENGTH..).unwrap_or_default();
    let digits = after_seconds.strip_prefix('.').map_or(0, |fraction| {
        fraction.len()
            - fraction
                .trim_start_matches(|digit: char| digit.is_ascii_digit())
                .len()
    });
    if digits == 6 {
        Ok(format_micros(timestamp))
    } else {
        refused(after_seconds, ".000000")
    }
}

/// RFC 3339 with whole seconds.
pub(crate) fn format_seconds(timestamp: Timestamp) -> String {
    strtime::format("%Y-%m-%dT%H:%M:%SZ", timestamp).unwrap_or_default()
}

/// RFC 3339 with microseconds.
pub(crate) fn format_micros(timestamp: Timestamp) -> String {
    strtime::format("%Y-%m-%dT%H:%M:%S.%6fZ", timestamp).unwrap_or_default()
}
