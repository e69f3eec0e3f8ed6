//! Following paths.

use std::borrow::Cow;
use std::fmt;

use super::machine::{Machine, Outcome, is_final};
use super::track::Tracker;
use crate::EvalError;
use crate::plan::{Attribute, Key, NodeId, Qualifier, Root, Shortcut, check_key};
use crate::value::{Held, Map, Value};

impl<'a, T: Tracker> Machine<'a, T> {
    pub(super) fn attribute(&mut self, attribute: &'a Attribute) -> Outcome<'a> {
        let outcome = self.resolve(attribute);
        if !T::ACTIVE || is_final(&outcome) {
            return outcome;
        }
        if let Root::Conditional(conditional) = &attribute.root {
            let operands = [
                conditional.falsy.id(),
                conditional.truthy.id(),
                self.plan.number(conditional.condition),
            ];
            self.tracker.replaced(&operands, attribute.id())?;
        } else {
            self.tracker.attribute(attribute.id(), 1)?;
        }
        outcome
    }

    /// `has(…)`: as expensive as the path without its root.
    pub(super) fn test(&mut self, id: NodeId, attribute: &'a Attribute) -> Outcome<'a> {
        let outcome = self.resolve(attribute);
        if is_final(&outcome) {
            return outcome;
        }
        self.tracker.attribute(self.plan.number(id), 0)?;
        Ok(match outcome? {
            Value::Optional(value) => Value::Bool(value.is_some()),
            other => other,
        })
    }

    /// The value at the end of a path.
    fn resolve(&mut self, attribute: &'a Attribute) -> Outcome<'a> {
        if !T::ACTIVE
            && let Some(shortcut) = attribute.shortcut
            && let Some(outcome) = self.look_up(attribute, shortcut)
        {
            return outcome;
        }
        let root = match &attribute.root {
            Root::Device => Value::Map(Map::Device(self.device)),
            Root::Slot(slot) => self.slot(*slot)?,
            Root::Lazy { slot, init } => {
                self.initialize(*slot, *init)?;
                self.slot(*slot)?
            }
            Root::Operand(node) => self.node(*node)?,
            Root::Conditional(conditional) => {
                return match self.node(conditional.condition)? {
                    Value::Bool(true) => self.resolve(&conditional.truthy),
                    Value::Bool(false) => self.resolve(&conditional.falsy),
                    _ => Err(EvalError::no_such_overload()),
                };
            }
        };
        self.qualify_all(root, &attribute.qualifiers)
    }

    /// The same as going along the path, without its steps.
    fn look_up(&self, attribute: &'a Attribute, shortcut: Shortcut) -> Option<Outcome<'a>> {
        if shortcut == Shortcut::Driver {
            return Some(Ok(Value::text(self.device.driver())));
        }
        let [_, domain, last] = attribute.qualifiers.as_slice() else {
            return None;
        };
        let (Key::Name(domain), Key::Name(name)) = (&domain.key, &last.key) else {
            return None;
        };
        let found = if shortcut == Shortcut::Attribute {
            self.device
                .attributes()
                .get(domain, name)
                .map(Value::attribute)
        } else {
            let found = self.device.capacity().get(domain, name);
            found.map(|value| Value::Quantity(Held::Borrowed(value)))
        };
        Some(match found {
            found if last.test => Ok(Value::Bool(found.is_some())),
            Some(value) => Ok(value),
            None => Err(EvalError::no_such_key(name)),
        })
    }

    fn slot(&self, slot: u16) -> Outcome<'a> {
        match &self.slots[usize::from(slot)] {
            Some(outcome) => outcome.clone(),
            None => Err(EvalError::other("variable is not set")),
        }
    }

    /// Evaluates what an accumulator starts with, at its first use.
    pub(super) fn initialize(&mut self, slot: u16, init: NodeId) -> Result<(), EvalError> {
        let at = usize::from(slot);
        if self.slots[at].is_none() {
            let outcome = self.node(init);
            if is_final(&outcome) {
                return outcome.map(|_| ());
            }
            self.slots[at] = Some(outcome);
        }
        Ok(())
    }

    fn qualify_all(&mut self, root: Value<'a>, qualifiers: &'a [Qualifier]) -> Outcome<'a> {
        let (mut value, mut optional) = match root {
            Value::Optional(None) => return Ok(Value::Optional(None)),
            Value::Optional(Some(value)) => ((*value).clone(), true),
            value => (value, false),
        };
        for qualifier in qualifiers {
            optional |= qualifier.optional;
            match self.qualify(&value, qualifier, optional)? {
                Some(next) => value = next,
                None => return Ok(Value::Optional(None)),
            }
        }
        Ok(if optional { Value::some(value) } else { value })
    }

    /// One step; `None` when it is optional and there is nothing.
    fn qualify(
        &mut self,
        value: &Value<'a>,
        qualifier: &'a Qualifier,
        optional: bool,
    ) -> Result<Option<Value<'a>>, EvalError> {
        let found = match &qualifier.key {
            Key::Name(name) => match value {
                Value::Map(map) => Ok(map.find_name(name).ok_or(Missing::Name(name))),
                Value::List(_) => Err(unsupported_index("string")),
                _ => Ok(Err(Missing::Name(name))),
            },
            Key::Constant(key) => lookup(value, key),
            Key::Attribute(attribute) => self
                .resolve(attribute)
                .and_then(|key| lookup_checked(value, &key)),
            Key::Node(node) => self.node(*node).and_then(|key| lookup_checked(value, &key)),
        };
        if let Err(error) = &found
            && error.is_final()
        {
            return Err(error.clone());
        }
        let observed = !optional || matches!(found, Ok(Ok(_)));
        if observed {
            self.tracker.qualifier(qualifier.number)?;
        }
        match found? {
            Ok(_) if qualifier.test && !optional => Ok(Some(Value::Bool(true))),
            Ok(next) => Ok(Some(next)),
            Err(_) if optional => Ok(None),
            Err(_) if qualifier.test => Ok(Some(Value::Bool(false))),
            Err(missing) => Err(missing.error()),
        }
    }
}

/// What is not there.
enum Missing<'k> {
    Name(&'k str),
    Key(Cow<'k, str>),
    Index(Cow<'k, str>),
}

impl Missing<'_> {
    fn error(&self) -> EvalError {
        match self {
            Self::Name(name) => EvalError::no_such_key(name),
            Self::Key(key) => EvalError::no_such_key(key),
            Self::Index(index) => EvalError::other(format!("index out of bounds: {index}")),
        }
    }
}

type Found<'a, 'k> = Result<Value<'a>, Missing<'k>>;

fn lookup_checked<'a>(value: &Value<'a>, key: &Value<'_>) -> Result<Found<'a, 'static>, EvalError> {
    check_key(key)?;
    Ok(lookup(value, key)?.map_err(|missing| match missing {
        Missing::Name(name) => Missing::Key(Cow::Owned(name.to_owned())),
        Missing::Key(key) => Missing::Key(Cow::Owned(key.into_owned())),
        Missing::Index(index) => Missing::Index(Cow::Owned(index.into_owned())),
    }))
}

fn lookup<'a, 'k>(value: &Value<'a>, key: &'k Value<'_>) -> Result<Found<'a, 'k>, EvalError> {
    let shown = || Cow::Owned(Shown(key).to_string());
    match value {
        Value::Map(map) => Ok(map.find(key).ok_or_else(|| Missing::Key(shown()))),
        Value::List(list) => {
            let index = list_index(key)?;
            let value = usize::try_from(index)
                .ok()
                .and_then(|index| list.get(index));
            Ok(value.ok_or_else(|| Missing::Index(shown())))
        }
        _ => Ok(Err(Missing::Key(shown()))),
    }
}

/// A whole number as an index (`IndexOrError` in cel-go `common/types/list.go`).
fn list_index(key: &Value<'_>) -> Result<i64, EvalError> {
    match key {
        Value::Int(index) => Ok(*index),
        Value::Uint(index) => {
            i64::try_from(*index).map_err(|_| EvalError::other("unsigned integer overflow"))
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "compared with the original below"
        )]
        #[expect(
            clippy::cast_precision_loss,
            reason = "an index above 2^53 is out of bounds anyway"
        )]
        #[expect(clippy::float_cmp, reason = "only a whole number is an index")]
        Value::Double(index) if (*index as i64) as f64 == *index => Ok(*index as i64),
        Value::Double(index) => Err(EvalError::other(format!(
            "unsupported index value {index} in list"
        ))),
        other => Err(unsupported_index(other.type_name())),
    }
}

fn unsupported_index(of: &str) -> EvalError {
    EvalError::other(format!("unsupported index type '{of}' in list"))
}

/// A key as Go prints it.
struct Shown<'v, 'a>(&'v Value<'a>);

impl fmt::Display for Shown<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Uint(value) => write!(f, "{value}"),
            Value::Double(value) => write!(f, "{value}"),
            Value::String(text) => f.write_str(text),
            other => f.write_str(other.type_name()),
        }
    }
}
