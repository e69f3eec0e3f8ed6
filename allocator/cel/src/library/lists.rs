//! Lists, sets and map insertion (cel-go `ext/lists.go`, `ext/sets.go`, Kubernetes' `lists.go`).

use std::cmp::Ordering;

use super::Outcome;
use super::operators::{add, contains};
use crate::EvalError;
use crate::plan::Call;
use crate::value::{List, Map, Value, compare, equal};

fn list_of<'v, 'a>(args: &'v [Value<'a>]) -> Result<&'v List<'a>, EvalError> {
    match args.first() {
        Some(Value::List(list)) => Ok(list),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn index_of<'a>(list: &List<'a>, value: &Value<'a>) -> Value<'a> {
    let found = list
        .iter()
        .position(|element| equal(&element, value).unwrap_or(false));
    index(found)
}

pub(super) fn last_index_of<'a>(list: &List<'a>, value: &Value<'a>) -> Value<'a> {
    let equals = |at: &usize| {
        list.get(*at)
            .is_some_and(|element| equal(&element, value).unwrap_or(false))
    };
    index((0..list.len()).rev().find(equals))
}

fn index<'a>(found: Option<usize>) -> Value<'a> {
    Value::Int(found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
}

pub(super) fn is_sorted<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let mut previous: Option<Value<'a>> = None;
    for value in list_of(args)?.iter() {
        if let Some(previous) = previous
            && compare(&previous, &value).is_ok_and(Ordering::is_gt)
        {
            return Ok(Value::Bool(false));
        }
        previous = Some(value);
    }
    Ok(Value::Bool(true))
}

/// Lists of unknown element type start from the zero of their first element.
pub(super) fn sum<'a>(call: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let list = list_of(args)?;
    let mut total = match (call.overload, list.get(0)) {
        (Some("list_uint_sum_uint"), _) | (None, Some(Value::Uint(_))) => Value::Uint(0),
        (Some("list_double_sum_double"), _) | (None, Some(Value::Double(_))) => Value::Double(0.0),
        (Some("list_duration_sum_duration"), _) | (None, Some(Value::Duration(_))) => {
            Value::Duration(0)
        }
        _ => Value::Int(0),
    };
    for value in list.iter() {
        total = add(call, &mut [total, value])?;
    }
    Ok(total)
}

pub(super) fn min<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    extreme(args, "min", Ordering::Greater)
}

pub(super) fn max<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    extreme(args, "max", Ordering::Less)
}

fn extreme<'a>(args: &[Value<'a>], name: &str, replace: Ordering) -> Outcome<'a> {
    let mut best: Option<Value<'a>> = None;
    for value in list_of(args)?.iter() {
        let better = best
            .as_ref()
            .is_none_or(|best| compare(best, &value).is_ok_and(|order| order == replace));
        if better {
            best = Some(value);
        }
    }
    best.ok_or_else(|| EvalError::other(format!("{name} called on empty list")))
}

/// Whether a list has the value, or a scalar is the value.
pub(super) fn includes<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(match args {
        [Value::List(list), value] => list.iter().any(|element| equal_strictly(&element, value)),
        [scalar, value] => equal_strictly(scalar, value),
        _ => return Err(EvalError::no_such_overload()),
    }))
}

fn equal_strictly(one: &Value<'_>, other: &Value<'_>) -> bool {
    equal(one, other).unwrap_or(false)
}

pub(super) fn distinct<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let mut unique: Vec<Value<'a>> = Vec::new();
    for value in list_of(args)?.iter() {
        if !unique
            .iter()
            .any(|other| equal(&value, other).unwrap_or(false))
        {
            unique.push(value);
        }
    }
    Ok(Value::list(unique))
}

pub(super) fn flatten<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let depth = match args {
        [Value::List(_)] => 1,
        [Value::List(_), Value::Int(depth)] => *depth,
        [other] => {
            let of = other.type_name();
            return Err(EvalError::other(format!(
                "no such overload: {of}.flatten()"
            )));
        }
        [other, depth] => {
            let (of, depth) = (other.type_name(), depth.type_name());
            return Err(EvalError::other(format!(
                "no such overload: {of}.flatten({depth})"
            )));
        }
        _ => return Err(EvalError::no_such_overload()),
    };
    if depth < 0 {
        return Err(EvalError::other("level must be non-negative"));
    }
    let mut flat = Vec::new();
    flatten_into(&mut flat, list_of(args)?, depth);
    Ok(Value::list(flat))
}

fn flatten_into<'a>(flat: &mut Vec<Value<'a>>, list: &List<'a>, depth: i64) {
    for value in list.iter() {
        match value {
            Value::List(inner) if depth > 0 => flatten_into(flat, &inner, depth - 1),
            other => flat.push(other),
        }
    }
}

/// The most elements that `lists.range` makes (`defaultMaxRangeSize`).
const MAX_RANGE: i64 = 1_000_000;

pub(super) fn range<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Int(count)] if *count < 0 => Err(EvalError::other(format!(
            "lists.range: size must be non-negative, got {count}"
        ))),
        [Value::Int(count)] if *count > MAX_RANGE => Err(EvalError::other(format!(
            "lists.range: size {count} exceeds maximum allowed ({MAX_RANGE})"
        ))),
        [Value::Int(count)] => Ok(Value::list((0..*count).map(Value::Int).collect())),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn reverse<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let mut values: Vec<Value<'a>> = list_of(args)?.iter().collect();
    values.reverse();
    Ok(Value::list(values))
}

pub(super) fn slice<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = args else {
        return Err(EvalError::no_such_overload());
    };
    let problem = |reason: &str| {
        Err(EvalError::other(format!(
            "cannot slice({start}, {end}), {reason}"
        )))
    };
    let (Ok(from), Ok(to)) = (usize::try_from(*start), usize::try_from(*end)) else {
        return problem("negative indexes not supported");
    };
    if from > to {
        return problem("start index must be less than or equal to end index");
    }
    if list.len() < to {
        return problem(&format!("list is length {}", list.len()));
    }
    Ok(Value::list(
        list.iter().skip(from).take(to - from).collect(),
    ))
}

pub(super) fn sort<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let list = list_of(args)?;
    sorted(list, list)
}

pub(super) fn sort_by_keys<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::List(list), Value::List(keys)] => sorted(list, keys),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn sorted<'a>(list: &List<'a>, keys: &List<'a>) -> Outcome<'a> {
    if list.len() != keys.len() {
        return Err(EvalError::other(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} elements respectively",
            list.len(),
            keys.len()
        )));
    }
    let mut pairs: Vec<(Value<'a>, Value<'a>)> = keys.iter().zip(list.iter()).collect();
    if let Some((first, _)) = pairs.first() {
        let name = first.type_name();
        if !comparable(first) {
            return Err(EvalError::other("list elements must be comparable"));
        }
        if pairs.iter().any(|(key, _)| key.type_name() != name) {
            return Err(EvalError::other("list elements must have the same type"));
        }
    }
    pairs.sort_by(|(a, _), (b, _)| compare(a, b).unwrap_or(Ordering::Equal));
    Ok(Value::list(
        pairs.into_iter().map(|(_, value)| value).collect(),
    ))
}

fn comparable(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_)
    )
}

fn two_lists<'v, 'a>(args: &'v [Value<'a>]) -> Result<(&'v List<'a>, &'v List<'a>), EvalError> {
    match args {
        [Value::List(one), Value::List(other)] => Ok((one, other)),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn has_all(list: &List<'_>, part: &List<'_>) -> Result<bool, EvalError> {
    for value in part.iter() {
        if !contains(list, &value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn set_contains<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (list, part) = two_lists(args)?;
    has_all(list, part).map(Value::Bool)
}

pub(super) fn set_equivalent<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (one, other) = two_lists(args)?;
    Ok(Value::Bool(has_all(one, other)? && has_all(other, one)?))
}

pub(super) fn set_intersects<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (one, other) = two_lists(args)?;
    Ok(Value::Bool(
        one.iter()
            .any(|value| contains(other, &value).unwrap_or(false)),
    ))
}

/// `cel.@mapInsert`, which transforming macros expand to.
pub(super) fn map_insert<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let exists = |key: Value<'_>| {
        EvalError::other(format!(
            "insert failed: key {} already exists",
            super::format::shown(&key)
        ))
    };
    let mut args = args
        .iter_mut()
        .map(|arg| std::mem::replace(arg, Value::Null));
    match (args.next(), args.next(), args.next()) {
        (Some(Value::Map(map)), Some(key), Some(value)) => {
            map.insert(key, value).map(Value::Map).map_err(exists)
        }
        (Some(Value::Map(mut map)), Some(Value::Map(entries)), None) => {
            for (key, value) in entries.iter() {
                map = Map::insert(map, key, value).map_err(exists)?;
            }
            Ok(Value::Map(map))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}
