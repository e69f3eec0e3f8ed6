//! Calling functions.

use super::machine::{Machine, Outcome, is_final};
use super::track::Tracker;
use crate::plan::{Call, Guard, NodeId};
use crate::types::{Overload, Type};
use crate::value::{List, Value};
use crate::{EvalError, EvalErrorKind};

impl<'a, T: Tracker> Machine<'a, T> {
    pub(super) fn call(&mut self, id: NodeId, call: &'a Call) -> Outcome<'a> {
        if !T::ACTIVE
            && let Some(known) = &call.known
        {
            return Ok(known.borrowed());
        }
        match call.args.as_slice() {
            [] => {
                let outcome = (call.implementation)(call, &mut []);
                self.charge(id, call, &[], outcome)
            }
            [one] => {
                let one = self.node(*one);
                if is_final(&one) {
                    return one;
                }
                if call.not_strictly_false {
                    let outcome = Ok(Value::Bool(not_strictly_false(&one)));
                    return self.charge(id, call, &[one], outcome);
                }
                match one {
                    Ok(value) => self.apply(id, call, [value]),
                    Err(error) => self.charge(id, call, &[Err(error.clone())], Err(error)),
                }
            }
            [one, two] => self.binary(id, call, *one, *two),
            more => self.many(id, call, more),
        }
    }

    fn binary(&mut self, id: NodeId, call: &'a Call, one: NodeId, two: NodeId) -> Outcome<'a> {
        let mut one = if call.takes.is_some() {
            self.announce(one)
        } else {
            self.node(one)
        };
        if is_final(&one) {
            return one;
        }
        if call.stops_early
            && let Err(error) = &one
        {
            let error = error.clone();
            return self.charge(id, call, &[one], Err(error));
        }
        let two = self.node(two);
        if is_final(&two) {
            return two;
        }
        if let Some(slot) = call.takes
            && one.is_ok()
            && two.is_ok()
        {
            one = self.take(slot);
        }
        match (one, two) {
            (Ok(a), Ok(b)) => self.apply(id, call, [a, b]),
            (Err(error), other) => self.charge(id, call, &[Err(error.clone()), other], Err(error)),
            (Ok(a), Err(error)) => self.charge(id, call, &[Ok(a), Err(error.clone())], Err(error)),
        }
    }

    fn many(&mut self, id: NodeId, call: &'a Call, args: &'a [NodeId]) -> Outcome<'a> {
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            let value = match call.takes {
                Some(_) if index == 0 => self.announce(*arg),
                _ => self.node(*arg),
            };
            match value {
                Ok(value) => values.push(value),
                Err(error) if error.is_final() => return Err(error),
                Err(error) => {
                    let mut seen: Vec<Outcome<'a>> = values.into_iter().map(Ok).collect();
                    seen.push(Err(error.clone()));
                    return self.charge(id, call, &seen, Err(error));
                }
            }
        }
        if let Some(slot) = call.takes {
            values[0] = self.take(slot)?;
        }
        self.apply_slice(id, call, &mut values)
    }

    /// Reports the accumulator as evaluated without copying it.
    fn announce(&mut self, id: NodeId) -> Outcome<'a> {
        let crate::plan::Node::Attribute(attribute) = self.plan.node(id) else {
            return self.node(id);
        };
        let crate::plan::Root::Lazy { slot, init } = &attribute.root else {
            return self.node(id);
        };
        self.initialize(*slot, *init)?;
        self.tracker.attribute(attribute.id(), 1)?;
        match &self.slots[usize::from(*slot)] {
            Some(Err(error)) => Err(error.clone()),
            _ => Ok(Value::Null),
        }
    }

    fn take(&mut self, slot: u16) -> Outcome<'a> {
        self.slots[usize::from(slot)]
            .take()
            .unwrap_or_else(|| Err(EvalError::other("variable is not set")))
    }

    fn apply<const N: usize>(
        &mut self,
        id: NodeId,
        call: &'a Call,
        mut args: [Value<'a>; N],
    ) -> Outcome<'a> {
        self.apply_slice(id, call, &mut args)
    }

    fn apply_slice(&mut self, id: NodeId, call: &'a Call, args: &mut [Value<'a>]) -> Outcome<'a> {
        if !T::ACTIVE && !call.counts_list {
            return call_with(call, args);
        }
        // Costs depend on the arguments as they were before the implementation took them.
        let kept: Vec<Outcome<'a>> = if call.takes.is_some() {
            args.iter().map(|_| Ok(Value::Null)).collect()
        } else {
            args.iter().cloned().map(Ok).collect()
        };
        let outcome = call_with(call, args);
        self.charge(id, call, &kept, outcome)
    }

    fn charge(
        &mut self,
        id: NodeId,
        call: &'a Call,
        args: &[Outcome<'a>],
        outcome: Outcome<'a>,
    ) -> Outcome<'a> {
        check_counted_list(call, args)?;
        if T::ACTIVE {
            let plan = self.plan;
            let numbers = call.args.iter().map(|arg| plan.number(*arg));
            self.tracker.call(numbers, plan.number(id), || {
                crate::cost::call_cost(call, args, outcome.as_ref().ok())
            })?;
        }
        outcome
    }
}

/// The cost counters of `sort` and `distinct` panic in cel-go when they meet something else than a
/// list, which ends the evaluation.
fn check_counted_list(call: &Call, args: &[Outcome<'_>]) -> Result<(), EvalError> {
    if !call.counts_list {
        return Ok(());
    }
    let (found, missing) = match args.get(call.args.len().saturating_sub(1)) {
        Some(Ok(Value::List(_))) | None => return Ok(()),
        Some(Ok(other)) => {
            let missing = if traits(other) & ADDER == 0 {
                "Add"
            } else {
                "Contains"
            };
            (crate::plan::go_type(other), missing)
        }
        Some(Err(_)) => ("*types.Err", "Add"),
    };
    let text = format!(
        "internal error: interface conversion: {found} is not traits.Lister: missing method {missing}"
    );
    Err(EvalError::new(EvalErrorKind::Internal, text))
}

/// Checks the types of the arguments and calls the implementation.
pub(crate) fn call_with<'a>(call: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let fits = match call.guard {
        Guard::None => true,
        Guard::One(overload) => fits(overload, args),
        Guard::Any => call
            .function
            .overloads
            .iter()
            .any(|overload| fits(overload, args)),
        Guard::Trait(wanted) => {
            let Some(first) = args.first() else {
                return Err(EvalError::no_such_overload());
            };
            if traits(first) & wanted == wanted {
                true
            } else if traits(first) & RECEIVER != 0 {
                return Err(EvalError::no_such_overload());
            } else {
                let text = format!("no such overload: {}", call.function.name);
                return Err(EvalError::new(EvalErrorKind::NoSuchOverload, text));
            }
        }
    };
    if fits {
        return (call.implementation)(call, args);
    }
    let types: Vec<&str> = args.iter().map(Value::type_name).collect();
    let text = format!(
        "no such overload: {}({})",
        call.function.name,
        types.join(", ")
    );
    Err(EvalError::new(EvalErrorKind::NoSuchOverload, text))
}

fn fits(overload: &Overload, args: &[Value<'_>]) -> bool {
    overload.args.len() == args.len()
        && overload
            .args
            .iter()
            .zip(args)
            .all(|(of, value)| is_of(of, value))
}

/// Whether a value has a type, as far as its first element tells.
fn is_of(of: &Type, value: &Value<'_>) -> bool {
    match (of, value) {
        (Type::Dyn | Type::Any | Type::Param(_) | Type::Var(_), _)
        | (Type::Null, Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::Uint, Value::Uint(_))
        | (Type::Double, Value::Double(_))
        | (Type::String, Value::String(_))
        | (Type::Bytes, Value::Bytes(_))
        | (Type::Duration, Value::Duration(_))
        | (Type::Timestamp, Value::Timestamp(_))
        | (Type::Type(_), Value::Type(_)) => true,
        (Type::List(element), Value::List(list)) => first_is_of(element, list),
        (Type::Map(pair), Value::Map(map)) => map
            .entry(0)
            .is_none_or(|(key, value)| is_of(&pair.0, &key) && is_of(&pair.1, &value)),
        (Type::Object(name) | Type::Opaque(name, _), value) => **name == *value.type_name(),
        _ => false,
    }
}

fn first_is_of(element: &Type, list: &List<'_>) -> bool {
    list.get(0).is_none_or(|first| is_of(element, &first))
}

/// cel-go's bits for what values can do (`common/types/traits/traits.go`).
const ADDER: u16 = 1;
const COMPARER: u16 = 1 << 1;
const CONTAINER: u16 = 1 << 2;
const DIVIDER: u16 = 1 << 3;
const INDEXER: u16 = 1 << 5;
const ITERABLE: u16 = 1 << 6;
const MATCHER: u16 = 1 << 8;
const MODDER: u16 = 1 << 9;
const MULTIPLIER: u16 = 1 << 10;
const NEGATOR: u16 = 1 << 11;
const RECEIVER: u16 = 1 << 12;
const SIZER: u16 = 1 << 13;
const SUBTRACTOR: u16 = 1 << 14;

fn traits(value: &Value<'_>) -> u16 {
    let arithmetic = ADDER | COMPARER | DIVIDER | MULTIPLIER | SUBTRACTOR;
    match value {
        Value::Bool(_) => COMPARER | NEGATOR,
        Value::Int(_) => arithmetic | MODDER | NEGATOR,
        Value::Uint(_) => arithmetic | MODDER,
        Value::Double(_) => arithmetic | NEGATOR,
        Value::String(_) => ADDER | COMPARER | MATCHER | RECEIVER | SIZER,
        Value::Bytes(_) => ADDER | COMPARER | SIZER,
        Value::Duration(_) => ADDER | COMPARER | NEGATOR | RECEIVER | SUBTRACTOR,
        Value::Timestamp(_) => ADDER | COMPARER | RECEIVER | SUBTRACTOR,
        Value::List(_) => ADDER | CONTAINER | INDEXER | ITERABLE | SIZER,
        Value::Map(_) => CONTAINER | INDEXER | ITERABLE | SIZER,
        _ => 0,
    }
}

/// `@not_strictly_false`: only false is false.
fn not_strictly_false(value: &Outcome<'_>) -> bool {
    !matches!(value, Ok(Value::Bool(false)))
}
