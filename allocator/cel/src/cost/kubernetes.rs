//! The worst-case cost of Kubernetes' functions (`EstimateCallCost` in `library/cost.go`).

use super::estimate::{CallEstimate, Operand};
use super::functions::{plain, regex_cost, size_of};
use super::range::Range;
use super::sizes::{Step, declared_size};
use super::{REGEX_LENGTH, STRING_TRAVERSAL};
use crate::types::Type;

/// The longest pattern of a named format (`MaxNameFormatRegexSize`).
const FORMAT_REGEX: f64 = 128.0;
/// The longest name of a format (`MaxFormatSize`).
const FORMAT_SIZE: u64 = 64;

/// The cost of a function of Kubernetes, or of cel-go's strings, which it knows better.
pub(super) fn call(
    function: &str,
    overload: &str,
    target: Option<&Operand>,
    args: &[Operand],
) -> Option<CallEstimate> {
    text_call(function, target, args)
        .or_else(|| list_like_call(function, target))
        .or_else(|| net_call(function, overload, args))
        .or_else(|| value_call(function, args))
}

/// Type and size of the elements of a list; cel-go takes the first type parameter of any type.
fn element_of(list: &Operand) -> Option<(Type, Range)> {
    let of = match &list.of {
        Type::List(element) => (**element).clone(),
        Type::Map(pair) => pair.0.clone(),
        Type::Opaque(_, Some(inner)) => (**inner).clone(),
        _ => return None,
    };
    let size = if list.path.is_empty() {
        Range::UNKNOWN
    } else {
        let mut path = list.path.clone();
        path.push(Step::Items);
        declared_size(&path).unwrap_or(Range::UNKNOWN)
    };
    Some((of, size))
}

/// Functions that look at each element of a list once.
fn list_like_call(function: &str, target: Option<&Operand>) -> Option<CallEstimate> {
    if !matches!(
        function,
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes"
    ) {
        return None;
    }
    let target = target?;
    let size = size_of(target);
    if let Some((of, element)) = element_of(target) {
        let mut each = Range::ONE;
        if matches!(of, Type::String | Type::Bytes) {
            each = each.add(element.factor(STRING_TRAVERSAL));
        }
        return Some(plain(size.multiply(each)));
    }
    // An attribute of unknown type can be a list; a string is walked along.
    Some(plain(if function == "includes" {
        size
    } else {
        size.factor(STRING_TRAVERSAL)
    }))
}

fn text_call(function: &str, target: Option<&Operand>, args: &[Operand]) -> Option<CallEstimate> {
    match (function, target, args) {
        ("url", _, [text])
        | ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(text), _) => {
            let size = size_of(text);
            Some(CallEstimate {
                cost: size.factor(STRING_TRAVERSAL),
                size: Some(size),
            })
        }
        ("replace", Some(text), [old, new, ..]) => {
            let text = size_of(text);
            let size = replaced_size(text, size_of(old), size_of(new));
            Some(CallEstimate {
                cost: text.factor(2.0 * STRING_TRAVERSAL),
                size: Some(size),
            })
        }
        ("join", Some(list), _) => Some(join(list, args.first())),
        ("find" | "findAll", Some(text), [pattern, ..]) => {
            let size = size_of(text);
            Some(CallEstimate {
                cost: regex_cost(size, size_of(pattern)),
                size: Some(Range {
                    min: 0,
                    max: size.max,
                }),
            })
        }
        _ => None,
    }
}

fn join(list: &Operand, separator: Option<&Operand>) -> CallEstimate {
    let count = size_of(list);
    let mut size = Range::ZERO;
    if let Some((_, element)) = element_of(list) {
        size = count.multiply(element);
    }
    if let Some(separator) = separator {
        let between = Range {
            min: count.min.saturating_sub(1),
            max: count.max.saturating_sub(1),
        };
        size = size.add(size_of(separator).multiply(between));
    }
    CallEstimate {
        cost: size.factor(STRING_TRAVERSAL),
        size: Some(size),
    }
}

/// How long a text can be after replacements.
#[expect(
    clippy::cast_precision_loss,
    reason = "so does cel-go, and costs must be equal"
)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, saturating"
)]
fn replaced_size(text: Range, old: Range, new: Range) -> Range {
    let times = |text: u64, old: u64| (text as f64 / old as f64).ceil() as u64;
    let (most, kept_most) = if old.min == 0 {
        (text.max.saturating_add(1), text.max)
    } else if new.max <= old.min {
        (0, text.max)
    } else {
        (times(text.max, old.min), 0)
    };
    let (least, kept_least) = if old.max == 0 {
        (text.min.saturating_add(1), text.min)
    } else if old.max <= new.min {
        (0, text.min)
    } else {
        (times(text.min, old.max), 0)
    };
    Range {
        min: least,
        max: most,
    }
    .multiply(new)
    .add(Range {
        min: kept_least,
        max: kept_most,
    })
}

fn net_call(function: &str, overload: &str, args: &[Operand]) -> Option<CallEstimate> {
    let first = args.first();
    let along = |times: f64| Some(plain(size_of(first?).factor(times * STRING_TRAVERSAL)));
    // Four bytes or sixteen.
    let address = Range { min: 4, max: 16 };
    match function {
        "ip" if overload == "cidr_ip" => Some(plain(Range::ONE)),
        "cidr" | "isIP" | "isCIDR" | "ip" => along(1.0),
        "ip.isCanonical" => along(2.0),
        "containsIP" => {
            let mut cost = address.add(address).factor(STRING_TRAVERSAL);
            if overload == "cidr_contains_ip_string" {
                cost = cost.add(size_of(first?).factor(STRING_TRAVERSAL));
            }
            Some(plain(cost))
        }
        "containsCIDR" => {
            let mut cost = address.add(address).factor(STRING_TRAVERSAL);
            cost = cost.add(address.factor(STRING_TRAVERSAL)).add(Range::ONE);
            if overload == "cidr_contains_cidr_string" {
                cost = cost.add(size_of(first?).factor(STRING_TRAVERSAL));
            }
            Some(plain(cost))
        }
        "masked"
        | "prefixLength"
        | "family"
        | "isUnspecified"
        | "isLoopback"
        | "isLinkLocalMulticast"
        | "isLinkLocalUnicast"
        | "isGlobalUnicast" => Some(plain(Range::ONE)),
        _ => None,
    }
}

fn value_call(function: &str, args: &[Operand]) -> Option<CallEstimate> {
    match (function, args) {
        ("quantity" | "isQuantity" | "semver" | "isSemver", [text, ..]) => {
            Some(plain(size_of(text).factor(STRING_TRAVERSAL)))
        }
        ("validate", [text, ..]) => {
            let cost = size_of(text)
                .factor(STRING_TRAVERSAL)
                .factor(FORMAT_REGEX * REGEX_LENGTH);
            Some(plain(cost))
        }
        (
            "format.named" | "sign" | "asInteger" | "isInteger" | "asApproximateFloat"
            | "isGreaterThan" | "isLessThan" | "compareTo" | "add" | "sub" | "major" | "minor"
            | "patch" | "getScheme" | "getHostname" | "getHost" | "getPort" | "getEscapedPath"
            | "getQuery",
            _,
        ) => Some(plain(Range::ONE)),
        ("_==_", [one, other]) if one.of == other.of => equality(&one.of, other.size),
        _ => None,
    }
}

/// Comparing two values of a Kubernetes type.
fn equality(of: &Type, size: Option<Range>) -> Option<CallEstimate> {
    match of {
        Type::Opaque(name, None) if matches!(&**name, "net.IP" | "net.CIDR") => {
            Some(plain(Range::ONE))
        }
        Type::Object(name) => match &**name {
            "kubernetes.Quantity" | "kubernetes.Semver" => Some(plain(Range::ONE)),
            "kubernetes.NamedFormat" => Some(plain(
                Range {
                    min: 1,
                    max: FORMAT_SIZE,
                }
                .factor(STRING_TRAVERSAL),
            )),
            "kubernetes.URL" => {
                let max = size.map_or(1, |size| size.max);
                Some(plain(Range { min: 1, max }.factor(STRING_TRAVERSAL)))
            }
            _ => None,
        },
        _ => None,
    }
}
