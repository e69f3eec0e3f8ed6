//! Lists and maps that are written out.

use super::machine::{Machine, Outcome, is_final};
use super::track::Tracker;
use crate::EvalError;
use crate::plan::{Element, NodeId};
use crate::value::{Map, Value};

/// Cost units of making a list (`common/cost.go` of cel-go).
const LIST_COST: u64 = 10;
/// Cost units of making a map.
const MAP_COST: u64 = 30;

impl<'a, T: Tracker> Machine<'a, T> {
    pub(super) fn list(&mut self, id: NodeId, elements: &'a [Element]) -> Outcome<'a> {
        let outcome = self.elements(elements);
        if is_final(&outcome) {
            return outcome;
        }
        if T::ACTIVE {
            let plan = self.plan;
            let args = elements.iter().map(|element| plan.number(element.value));
            self.tracker.call(args, plan.number(id), || 0)?;
            self.tracker.attribute(plan.number(id), LIST_COST)?;
        }
        outcome
    }

    fn elements(&mut self, elements: &'a [Element]) -> Outcome<'a> {
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            let value = self.node(element.value)?;
            match (element.optional, value) {
                (false, value) => values.push(value),
                (true, Value::Optional(value)) => {
                    values.extend(value.map(|value| (*value).clone()));
                }
                (true, other) => return Err(not_an_optional_element(&other)),
            }
        }
        Ok(Value::list(values))
    }

    pub(super) fn map(&mut self, id: NodeId, entries: &'a [(NodeId, Element)]) -> Outcome<'a> {
        let outcome = self.entries(entries);
        if is_final(&outcome) {
            return outcome;
        }
        if T::ACTIVE {
            let plan = self.plan;
            let args = entries
                .iter()
                .flat_map(|(key, element)| [plan.number(*key), plan.number(element.value)]);
            self.tracker.call(args, plan.number(id), || 0)?;
            self.tracker.attribute(plan.number(id), MAP_COST)?;
        }
        outcome
    }

    fn entries(&mut self, entries: &'a [(NodeId, Element)]) -> Outcome<'a> {
        let mut values = Vec::with_capacity(entries.len());
        for (key, element) in entries {
            let key = self.node(*key)?;
            let value = self.node(element.value)?;
            match (element.optional, value) {
                (false, value) => values.push((key, value)),
                (true, Value::Optional(Some(value))) => values.push((key, (*value).clone())),
                (true, Value::Optional(None)) => {}
                (true, other) => return Err(not_an_optional_entry(&key, &other)),
            }
        }
        Ok(Value::Map(Map::from_entries(values)))
    }
}

pub(crate) fn not_an_optional_element(value: &Value<'_>) -> EvalError {
    EvalError::other(format!(
        "cannot initialize optional list element from non-optional value {}",
        value.type_name()
    ))
}

pub(crate) fn not_an_optional_entry(key: &Value<'_>, value: &Value<'_>) -> EvalError {
    EvalError::other(format!(
        "cannot initialize optional entry '{}' from non-optional value {}",
        key.type_name(),
        value.type_name()
    ))
}
