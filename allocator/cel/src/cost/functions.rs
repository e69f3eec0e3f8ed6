//! The worst-case cost of calls: lists and sets, then Kubernetes' functions, then cel-go's.

use super::estimate::{CallEstimate, Coster, Entries, Operand};
use super::range::Range;
use super::sizes::{Step, declared_size};
use super::{LIST_CREATE, REGEX_LENGTH, STRING_TRAVERSAL};
use crate::syntax::{ExprId, Kind, Literal};
use crate::types::Type;

/// The longest pattern of a named format (`MaxNameFormatRegexSize`).
const FORMAT_REGEX: f64 = 128.0;
/// The longest name of a format (`MaxFormatSize`).
const FORMAT_SIZE: u64 = 64;

impl Coster<'_> {
    pub(super) fn function(
        &mut self,
        id: ExprId,
        function: &str,
        overload: &str,
        target: Option<&Operand>,
        args: &[Operand],
        costs: &[Range],
    ) -> CallEstimate {
        let own = self
            .list_call(overload, target, args)
            .or_else(|| text_call(function, target, args))
            .or_else(|| self.split_call(function, target, args))
            .or_else(|| list_like_call(function, target))
            .or_else(|| net_call(function, overload, args))
            .or_else(|| value_call(function, args));
        let of_args = costs.iter().fold(Range::ZERO, |sum, cost| sum.add(*cost));
        match own {
            Some(own) => CallEstimate { cost: own.cost.add(of_args), size: own.size },
            None => self.standard(id, overload, target, args, costs, of_args),
        }
    }

    /// cel-go's lists and sets, by overload.
    fn list_call(
        &self,
        overload: &str,
        target: Option<&Operand>,
        args: &[Operand],
    ) -> Option<CallEstimate> {
        let int = |operand: &Operand, otherwise: u64| match self.tree.kind(operand.id) {
            Kind::Literal(Literal::Int(value)) => u64::try_from(*value).unwrap_or(0),
            _ => otherwise,
        };
        match (overload, target, args) {
            ("list_slice", Some(list), [start, end]) => {
                let size = size_of(list);
                let length = int(end, size.max).wrapping_sub(int(start, 0));
                Some(allocating(1.0, Range::fixed(length)))
            }
            ("lists_range", None, [count]) => {
                Some(allocating(1.0, Range::fixed(int(count, u64::MAX))))
            }
            ("list_reverse", Some(list), []) => Some(allocating(1.0, size_of(list))),
            ("list_flatten", Some(list), []) => Some(allocating(1.0, size_of(list))),
            ("list_flatten_int", Some(list), [depth]) => {
                #[expect(clippy::cast_precision_loss, reason = "so does cel-go")]
                let depth = int(depth, u64::MAX) as f64;
                Some(allocating(depth, size_of(list)))
            }
            ("list_distinct", Some(list), []) => Some(self_compare(size_of(list), false)),
            (
                "list_sets_contains_list" | "list_sets_intersects_list",
                _,
                [one, other],
            ) => Some(plain(size_of(one).multiply(size_of(other)).add(Range::ONE))),
            ("list_sets_equivalent_list", _, [one, other]) => Some(plain(
                size_of(one).multiply(size_of(other)).factor(2.0).add(Range::ONE),
            )),
            (name, Some(_), [keys]) if name.ends_with("_sortByAssociatedKeys") => {
                Some(self_compare(size_of(keys), sorts_text(name)))
            }
            (name, Some(list), []) if name.starts_with("list_") && name.ends_with("_sort") => {
                Some(self_compare(size_of(list), sorts_text(name)))
            }
            _ => None,
        }
    }

    fn split_call(
        &self,
        function: &str,
        target: Option<&Operand>,
        args: &[Operand],
    ) -> Option<CallEstimate> {
        let size = size_of(target?);
        if function != "split" {
            return None;
        }
        let limit = args.get(1).and_then(|limit| match self.tree.kind(limit.id) {
            Kind::Literal(Literal::Int(limit)) => Some(limit.cast_unsigned()),
            _ => None,
        });
        Some(CallEstimate {
            cost: size.factor(2.0 * STRING_TRAVERSAL),
            size: Some(Range { min: 0, max: limit.unwrap_or(size.max) }),
        })
    }

    /// cel-go's own functions.
    fn standard(
        &mut self,
        id: ExprId,
        overload: &str,
        target: Option<&Operand>,
        args: &[Operand],
        costs: &[Range],
        of_args: Range,
    ) -> CallEstimate {
        let text = |size: Range| plain(size.factor(STRING_TRAVERSAL).add(of_args));
        let known = |operand: &Operand| operand.size.unwrap_or(Range::UNKNOWN);
        match (overload, target, args) {
            ("string_format", Some(target), _) => text(known(target)),
            ("string_to_bytes", _, [arg]) => {
                let size = known(arg);
                let size = Range { min: size.min, max: size.max.wrapping_mul(4) };
                CallEstimate { size: Some(size), ..text(known(arg)) }
            }
            ("bytes_to_string", _, [arg]) => {
                let size = known(arg);
                let size = Range { min: size.min / 4, max: size.max };
                CallEstimate { size: Some(size), ..text(known(arg)) }
            }
            ("strings_quote", _, [arg]) => {
                let size = known(arg);
                let size = Range {
                    min: size.min.wrapping_add(2),
                    max: size.max.wrapping_mul(2).wrapping_add(2),
                };
                CallEstimate { size: Some(size), ..text(known(arg)) }
            }
            ("starts_with_string" | "ends_with_string", _, [arg]) => text(known(arg)),
            ("in_list", _, [_, list]) => plain(known(list).factor(1.0).add(of_args)),
            ("matches_string", Some(target), [pattern]) => {
                plain(regex_cost(known(target), known(pattern)).add(of_args))
            }
            ("contains_string", Some(target), [part]) => {
                let one = known(target).factor(STRING_TRAVERSAL);
                plain(one.multiply(known(part).factor(STRING_TRAVERSAL)).add(of_args))
            }
            ("logical_and" | "logical_or", _, _) => {
                let min = costs.first().map_or(0, |first| first.min);
                plain(Range { min, max: of_args.max })
            }
            ("conditional", _, [_, yes, no]) => {
                let size = known(yes).union(known(no));
                let entries = Entries::union(self.entries_of(yes.id), self.entries_of(no.id));
                self.set_entries(id, entries);
                let cost = costs[0].add(costs[1].union(costs[2]));
                CallEstimate { cost, size: Some(size) }
            }
            ("add_string" | "add_bytes" | "add_list", _, [one, other]) => {
                let size = known(one).add(known(other));
                let entries = Entries::union(self.entries_of(one.id), self.entries_of(other.id));
                self.set_entries(id, entries);
                let cost = match overload {
                    "add_list" => Range::ONE,
                    _ => size.factor(STRING_TRAVERSAL),
                };
                CallEstimate { cost: cost.add(of_args), size: Some(size) }
            }
            (name, _, [one, other]) if compares_sizes(name) => {
                let max = known(one).max.min(known(other).max);
                text(Range { min: u64::from(max > 0), max })
            }
            _ => plain(Range::ONE.add(of_args)),
        }
    }
}

fn compares_sizes(overload: &str) -> bool {
    matches!(
        overload,
        "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes"
            | "equals"
            | "not_equals"
    )
}

fn plain(cost: Range) -> CallEstimate {
    CallEstimate { cost, size: None }
}

fn allocating(factor: f64, size: Range) -> CallEstimate {
    let cost = size.factor(factor).add(Range::ONE).add(Range::fixed(LIST_CREATE));
    CallEstimate { cost, size: Some(size) }
}

fn self_compare(size: Range, text: bool) -> CallEstimate {
    let factor = if text { 2.0 + STRING_TRAVERSAL } else { 2.0 };
    allocating(factor, size.multiply(size))
}

fn sorts_text(overload: &str) -> bool {
    overload.starts_with("list_string_") || overload.starts_with("list_bytes_")
}

/// One character more, so that an expensive pattern is never free.
fn regex_cost(text: Range, pattern: Range) -> Range {
    text.add(Range::ONE).factor(STRING_TRAVERSAL).multiply(pattern.factor(REGEX_LENGTH))
}

fn size_of(operand: &Operand) -> Range {
    operand.size.or_else(|| declared_size(&operand.path)).unwrap_or(Range::UNKNOWN)
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
    Some(plain(if function == "includes" { size } else { size.factor(STRING_TRAVERSAL) }))
}

fn text_call(function: &str, target: Option<&Operand>, args: &[Operand]) -> Option<CallEstimate> {
    match (function, target, args) {
        ("url", _, [text]) => {
            let size = size_of(text);
            Some(CallEstimate { cost: size.factor(STRING_TRAVERSAL), size: Some(size) })
        }
        ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(text), _) => {
            let size = size_of(text);
            Some(CallEstimate { cost: size.factor(STRING_TRAVERSAL), size: Some(size) })
        }
        ("replace", Some(text), [old, new, ..]) => {
            let text = size_of(text);
            let size = replaced_size(text, size_of(old), size_of(new));
            Some(CallEstimate { cost: text.factor(2.0 * STRING_TRAVERSAL), size: Some(size) })
        }
        ("join", Some(list), _) => Some(join(list, args.first())),
        ("find" | "findAll", Some(text), [pattern, ..]) => {
            let size = size_of(text);
            Some(CallEstimate {
                cost: regex_cost(size, size_of(pattern)),
                size: Some(Range { min: 0, max: size.max }),
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
        let between =
            Range { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
        size = size.add(size_of(separator).multiply(between));
    }
    CallEstimate { cost: size.factor(STRING_TRAVERSAL), size: Some(size) }
}

/// How long a text can be after replacements.
#[expect(clippy::cast_precision_loss, reason = "so does cel-go, and costs must be equal")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, saturating")]
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
    Range { min: least, max: most }
        .multiply(new)
        .add(Range { min: kept_least, max: kept_most })
}

fn net_call(function: &str, overload: &str, args: &[Operand]) -> Option<CallEstimate> {
    let first = args.first();
    let along = |times: f64| Some(plain(size_of(first?).factor(times * STRING_TRAVERSAL)));
    // Four bytes or sixteen.
    let address = Range { min: 4, max: 16 };
    match function {
        "cidr" | "isIP" | "isCIDR" => along(1.0),
        "ip" if overload == "cidr_ip" => Some(plain(Range::ONE)),
        "ip" => along(1.0),
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
        "masked" | "prefixLength" | "family" | "isUnspecified" | "isLoopback"
        | "isLinkLocalMulticast" | "isLinkLocalUnicast" | "isGlobalUnicast" => {
            Some(plain(Range::ONE))
        }
        _ => None,
    }
}

fn value_call(function: &str, args: &[Operand]) -> Option<CallEstimate> {
    match (function, args) {
        ("quantity" | "isQuantity" | "semver" | "isSemver", [text, ..]) => {
            Some(plain(size_of(text).factor(STRING_TRAVERSAL)))
        }
        ("validate", [text, ..]) => {
            let cost = size_of(text).factor(STRING_TRAVERSAL).factor(FORMAT_REGEX * REGEX_LENGTH);
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
            "kubernetes.NamedFormat" => {
                Some(plain(Range { min: 1, max: FORMAT_SIZE }.factor(STRING_TRAVERSAL)))
            }
            "kubernetes.URL" => {
                let max = size.map_or(1, |size| size.max);
                Some(plain(Range { min: 1, max }.factor(STRING_TRAVERSAL)))
            }
            _ => None,
        },
        _ => None,
    }
}
