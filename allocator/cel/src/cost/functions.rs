//! The worst-case cost of calls: cel-go's lists and sets, then Kubernetes' functions, then cel-go's own.

use super::estimate::{CallEstimate, Coster, Entries, Operand};
use super::range::Range;
use super::sizes::declared_size;
use super::{LIST_CREATE, REGEX_LENGTH, STRING_TRAVERSAL, kubernetes};
use crate::syntax::{ExprId, Kind, Literal};

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
            .or_else(|| self.split_call(function, target, args))
            .or_else(|| kubernetes::call(function, overload, target, args));
        let of_args = costs.iter().fold(Range::ZERO, |sum, cost| sum.add(*cost));
        match own {
            Some(own) => CallEstimate {
                cost: own.cost.add(of_args),
                size: own.size,
            },
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
            ("list_reverse" | "list_flatten", Some(list), []) => {
                Some(allocating(1.0, size_of(list)))
            }
            ("list_flatten_int", Some(list), [depth]) => {
                #[expect(clippy::cast_precision_loss, reason = "so does cel-go")]
                let depth = int(depth, u64::MAX) as f64;
                Some(allocating(depth, size_of(list)))
            }
            ("list_distinct", Some(list), []) => Some(self_compare(size_of(list), false)),
            ("list_sets_contains_list" | "list_sets_intersects_list", _, [one, other]) => {
                Some(plain(size_of(one).multiply(size_of(other)).add(Range::ONE)))
            }
            ("list_sets_equivalent_list", _, [one, other]) => Some(plain(
                size_of(one)
                    .multiply(size_of(other))
                    .factor(2.0)
                    .add(Range::ONE),
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
        let limit = args
            .get(1)
            .and_then(|limit| match self.tree.kind(limit.id) {
                Kind::Literal(Literal::Int(limit)) => Some(limit.cast_unsigned()),
                _ => None,
            });
        Some(CallEstimate {
            cost: size.factor(2.0 * STRING_TRAVERSAL),
            size: Some(Range {
                min: 0,
                max: limit.unwrap_or(size.max),
            }),
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
        match (overload, args) {
            ("logical_and" | "logical_or", _) => {
                let min = costs.first().map_or(0, |first| first.min);
                plain(Range {
                    min,
                    max: of_args.max,
                })
            }
            ("conditional", [_, yes, no]) => {
                let size = known(yes).union(known(no));
                let entries = Entries::union(self.entries_of(yes.id), self.entries_of(no.id));
                self.set_entries(id, entries);
                let cost = costs[0].add(costs[1].union(costs[2]));
                CallEstimate {
                    cost,
                    size: Some(size),
                }
            }
            ("add_string" | "add_bytes" | "add_list", [one, other]) => {
                let size = known(one).add(known(other));
                let entries = Entries::union(self.entries_of(one.id), self.entries_of(other.id));
                self.set_entries(id, entries);
                let cost = match overload {
                    "add_list" => Range::ONE,
                    _ => size.factor(STRING_TRAVERSAL),
                };
                CallEstimate {
                    cost: cost.add(of_args),
                    size: Some(size),
                }
            }
            _ => match text_cost(overload, target, args) {
                Some(own) => CallEstimate {
                    cost: own.cost.add(of_args),
                    size: own.size,
                },
                None => plain(Range::ONE.add(of_args)),
            },
        }
    }
}

fn known(operand: &Operand) -> Range {
    operand.size.unwrap_or(Range::UNKNOWN)
}

/// Functions that walk along texts and lists.
fn text_cost(overload: &str, target: Option<&Operand>, args: &[Operand]) -> Option<CallEstimate> {
    let text = |size: Range| plain(size.factor(STRING_TRAVERSAL));
    Some(match (overload, target, args) {
        ("string_format", Some(target), _) => text(known(target)),
        ("string_to_bytes", _, [arg]) => {
            let size = known(arg);
            let size = Range {
                min: size.min,
                max: size.max.wrapping_mul(4),
            };
            CallEstimate {
                size: Some(size),
                ..text(known(arg))
            }
        }
        ("bytes_to_string", _, [arg]) => {
            let size = known(arg);
            let size = Range {
                min: size.min / 4,
                max: size.max,
            };
            CallEstimate {
                size: Some(size),
                ..text(known(arg))
            }
        }
        ("strings_quote", _, [arg]) => {
            let size = known(arg);
            let max = size.max.wrapping_mul(2).wrapping_add(2);
            let size = Range {
                min: size.min.wrapping_add(2),
                max,
            };
            CallEstimate {
                size: Some(size),
                ..text(known(arg))
            }
        }
        ("starts_with_string" | "ends_with_string", _, [arg]) => text(known(arg)),
        ("in_list", _, [_, list]) => plain(known(list).factor(1.0)),
        ("matches", None, [target, pattern]) | ("matches_string", Some(target), [pattern]) => {
            plain(regex_cost(known(target), known(pattern)))
        }
        ("contains_string", Some(target), [part]) => {
            let one = known(target).factor(STRING_TRAVERSAL);
            plain(one.multiply(known(part).factor(STRING_TRAVERSAL)))
        }
        (name, _, [one, other]) if compares_sizes(name) => {
            let max = known(one).max.min(known(other).max);
            text(Range {
                min: u64::from(max > 0),
                max,
            })
        }
        _ => return None,
    })
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

pub(super) fn plain(cost: Range) -> CallEstimate {
    CallEstimate { cost, size: None }
}

fn allocating(factor: f64, size: Range) -> CallEstimate {
    let cost = size
        .factor(factor)
        .add(Range::ONE)
        .add(Range::fixed(LIST_CREATE));
    CallEstimate {
        cost,
        size: Some(size),
    }
}

fn self_compare(size: Range, text: bool) -> CallEstimate {
    let factor = if text { 2.0 + STRING_TRAVERSAL } else { 2.0 };
    allocating(factor, size.multiply(size))
}

fn sorts_text(overload: &str) -> bool {
    overload.starts_with("list_string_") || overload.starts_with("list_bytes_")
}

/// One character more, so that an expensive pattern is never free.
pub(super) fn regex_cost(text: Range, pattern: Range) -> Range {
    text.add(Range::ONE)
        .factor(STRING_TRAVERSAL)
        .multiply(pattern.factor(REGEX_LENGTH))
}

pub(super) fn size_of(operand: &Operand) -> Range {
    operand
        .size
        .or_else(|| declared_size(&operand.path))
        .unwrap_or(Range::UNKNOWN)
}
