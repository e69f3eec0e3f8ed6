//! What a call cost, from its arguments and its result.

use super::{LIST_CREATE, REGEX_LENGTH, STRING_TRAVERSAL};
use crate::EvalError;
use crate::plan::Call;
use crate::value::Value;

type Argument<'a> = Result<Value<'a>, EvalError>;

/// The size that costs depend on; anything without a size counts as one.
fn size(value: Option<&Value<'_>>) -> u64 {
    match value {
        Some(Value::Ip(address)) => {
            if address.is_ipv4() {
                4
            } else {
                16
            }
        }
        Some(Value::Cidr(cidr)) => u64::from(cidr.bits).div_ceil(8),
        Some(value) => value.size().unwrap_or(1),
        None => 1,
    }
}

/// cel-go's own size looks into optional values.
fn size_in_optional(value: Option<&Value<'_>>) -> u64 {
    match value {
        Some(Value::Optional(Some(inner))) => size_in_optional(Some(inner)),
        other => size(other),
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, saturating"
)]
fn factor(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, saturating"
)]
fn factor_down(size: u64, factor: f64) -> u64 {
    (size as f64 * factor) as u64
}

/// `==` and `!=`.
pub(crate) fn equality_cost(
    one: Option<&Value<'_>>,
    other: Option<&Value<'_>>,
    negated: bool,
) -> u64 {
    let kubernetes = matches!(
        one,
        Some(
            Value::Quantity(_)
                | Value::Semver(_)
                | Value::Ip(_)
                | Value::Cidr(_)
                | Value::Url(_)
                | Value::Format(_)
        )
    );
    if kubernetes && !negated {
        return 1;
    }
    factor(
        size_in_optional(one).min(size_in_optional(other)),
        STRING_TRAVERSAL,
    )
}

/// Any other call.
pub(crate) fn call_cost(call: &Call, args: &[Argument<'_>], result: Option<&Value<'_>>) -> u64 {
    let arg = |index: usize| args.get(index).and_then(|arg| arg.as_ref().ok());
    overload_cost(call, &arg, result)
        .or_else(|| kubernetes_cost(call, &arg, result))
        .unwrap_or_else(|| standard_cost(call, &arg))
}

/// Lists and sets know their costs by overload.
fn overload_cost<'v, 'a: 'v>(
    call: &Call,
    arg: &impl Fn(usize) -> Option<&'v Value<'a>>,
    result: Option<&Value<'_>>,
) -> Option<u64> {
    let overload = call.overload?;
    Some(match overload {
        "list_slice" | "lists_range" | "list_reverse" => allocating(1.0, size(result)),
        "list_flatten" => allocating(1.0, size(arg(0))),
        "list_flatten_int" => allocating(depth(arg(1)), size(arg(0))),
        "list_distinct" => self_compare(arg(0)),
        "list_sets_contains_list" | "list_sets_intersects_list" => {
            1 + size(arg(0)).saturating_mul(size(arg(1)))
        }
        "list_sets_equivalent_list" => {
            1 + factor_down(size(arg(0)).saturating_mul(size(arg(1))), 2.0)
        }
        other if call.function.name == "sort" && other.ends_with("_sort") => self_compare(arg(0)),
        other if other.ends_with("_sortByAssociatedKeys") => self_compare(arg(1)),
        _ => return None,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a depth is small")]
fn depth(value: Option<&Value<'_>>) -> f64 {
    match value {
        Some(Value::Int(depth)) => *depth as f64,
        _ => 1.0,
    }
}

fn allocating(cost_factor: f64, size: u64) -> u64 {
    factor_down(size, cost_factor).saturating_add(1 + LIST_CREATE)
}

/// Comparing all elements of a list with each other.
fn self_compare(list: Option<&Value<'_>>) -> u64 {
    let size = size(list);
    let first = match list {
        Some(Value::List(list)) => list.get(0),
        _ => None,
    };
    let text = matches!(first, Some(Value::String(_) | Value::Bytes(_)));
    let cost_factor = if text { 2.0 + STRING_TRAVERSAL } else { 2.0 };
    allocating(cost_factor, size.saturating_mul(size))
}

fn kubernetes_cost<'v, 'a: 'v>(
    call: &Call,
    arg: &impl Fn(usize) -> Option<&'v Value<'a>>,
    result: Option<&Value<'_>>,
) -> Option<u64> {
    let along = |index: usize, times: f64| Some(factor(size(arg(index)), times * STRING_TRAVERSAL));
    match call.function.name {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
            Some(traversal(arg(0)))
        }
        "ip" if call.overload == Some("cidr_ip") => Some(1),
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR"
        | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => along(0, 1.0),
        "replace" | "split" | "ip.isCanonical" => along(0, 2.0),
        "join" => Some(factor(size(result), 2.0 * STRING_TRAVERSAL)),
        "find" | "findAll" => Some(regex_cost(size(arg(0)), size(arg(1)))),
        "containsIP" => Some(contains_cost(call, arg, "cidr_contains_ip_string")),
        "containsCIDR" => {
            let again = factor(size(arg(0)), STRING_TRAVERSAL) + 1;
            Some(contains_cost(call, arg, "cidr_contains_cidr_string") + again)
        }
        "validate" => match arg(0) {
            Some(Value::Format(format)) => Some(regex_cost(size(arg(1)), format.regex_size)),
            _ => None,
        },
        "masked"
        | "prefixLength"
        | "family"
        | "isUnspecified"
        | "isLoopback"
        | "isLinkLocalMulticast"
        | "isLinkLocalUnicast"
        | "isGlobalUnicast"
        | "format.named"
        | "sign"
        | "asInteger"
        | "isInteger"
        | "asApproximateFloat"
        | "isGreaterThan"
        | "isLessThan"
        | "compareTo"
        | "add"
        | "sub"
        | "major"
        | "minor"
        | "patch"
        | "getScheme"
        | "getHostname"
        | "getHost"
        | "getPort"
        | "getEscapedPath"
        | "getQuery" => Some(1),
        _ => None,
    }
}

/// One for an empty text, so that an expensive pattern is never free.
fn regex_cost(text: u64, pattern: u64) -> u64 {
    factor(text + 1, STRING_TRAVERSAL).saturating_mul(factor(pattern, REGEX_LENGTH))
}

fn contains_cost<'v, 'a: 'v>(
    call: &Call,
    arg: &impl Fn(usize) -> Option<&'v Value<'a>>,
    with_text: &str,
) -> u64 {
    let base = factor(2 * size(arg(0)), STRING_TRAVERSAL);
    let parse = if call.overload == Some(with_text) {
        factor(size(arg(1)), STRING_TRAVERSAL)
    } else {
        0
    };
    base + parse
}

/// Walking through a whole value.
fn traversal(value: Option<&Value<'_>>) -> u64 {
    match value {
        Some(Value::String(text)) => factor_down(text.len() as u64, STRING_TRAVERSAL),
        Some(Value::Bytes(bytes)) => factor_down(bytes.len() as u64, STRING_TRAVERSAL),
        Some(Value::List(list)) => list.iter().map(|element| traversal(Some(&element))).sum(),
        Some(Value::Map(map)) => map
            .iter()
            .map(|(key, value)| traversal(Some(&key)) + traversal(Some(&value)))
            .sum(),
        _ => 1,
    }
}

/// cel-go's own rules, by overload; a call with several possible overloads costs one.
fn standard_cost<'v, 'a: 'v>(call: &Call, arg: &impl Fn(usize) -> Option<&'v Value<'a>>) -> u64 {
    let size_of = |index: usize| size_in_optional(arg(index));
    match call.overload.unwrap_or_default() {
        // Along the part that is looked for, not along the text.
        "starts_with_string" | "ends_with_string" => factor(size(arg(1)), STRING_TRAVERSAL),
        "string_to_bytes" | "bytes_to_string" | "strings_quote" | "string_format" => {
            factor(size_of(0), STRING_TRAVERSAL)
        }
        "in_list" => size_of(1),
        "less_string"
        | "greater_string"
        | "less_equals_string"
        | "greater_equals_string"
        | "less_bytes"
        | "greater_bytes"
        | "less_equals_bytes"
        | "greater_equals_bytes" => factor(size_of(0).min(size_of(1)), STRING_TRAVERSAL),
        "add_string" | "add_bytes" => factor(size_of(0) + size_of(1), STRING_TRAVERSAL),
        "matches" | "matches_string" => regex_cost(size_of(0), size_of(1)),
        "contains_string" => {
            factor(size_of(0), STRING_TRAVERSAL) * factor(size_of(1), STRING_TRAVERSAL)
        }
        _ => 1,
    }
}
