//! Literals whose parts are constant become constants (cel-go `interpreter/decorators.go`).

use super::build::Planner;
use super::node::{Element, Node, NodeId};
use crate::EvalError;
use crate::check::Resolved;
use crate::value::{List, Map, Value};

impl Planner<'_> {
    fn constant_of(&self, id: NodeId) -> Option<&Value<'static>> {
        match self.node(id) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn list_constant(&self, elements: &[Element]) -> Result<Option<Node>, EvalError> {
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            let Some(value) = self.constant_of(element.value) else {
                return Ok(None);
            };
            if element.optional {
                return Err(crate::eval::not_an_optional_element(value));
            }
            values.push(value.clone());
        }
        Ok(Some(Node::Constant(Value::list(values))))
    }

    pub(super) fn map_constant(
        &self,
        entries: &[(NodeId, Element)],
    ) -> Result<Option<Node>, EvalError> {
        let mut values = Vec::with_capacity(entries.len());
        for (key, element) in entries {
            let (Some(key), Some(value)) =
                (self.constant_of(*key), self.constant_of(element.value))
            else {
                return Ok(None);
            };
            if element.optional {
                return Err(crate::eval::not_an_optional_entry(key, value));
            }
            values.push((key.clone(), value.clone()));
        }
        Ok(Some(Node::Constant(Value::Map(Map::from_entries(values)))))
    }

    /// `value in [constants]` needs no list at run time; in an empty list there is nothing.
    pub(super) fn constant_set(
        &self,
        resolved: &Resolved,
        value: NodeId,
        list: NodeId,
    ) -> Option<Node> {
        let [overload] = resolved.overloads.as_slice() else {
            return None;
        };
        if overload.id != "in_list" {
            return None;
        }
        let Some(Value::List(List::Values(values))) = self.constant_of(list) else {
            return None;
        };
        if values.is_empty() {
            return Some(Node::Constant(Value::Bool(false)));
        }
        let primitive = |value: &Value<'_>| {
            matches!(
                value,
                Value::Bool(_)
                    | Value::Int(_)
                    | Value::Uint(_)
                    | Value::Double(_)
                    | Value::String(_)
            )
        };
        values.iter().all(primitive).then(|| Node::InConstants {
            value,
            list: values.to_vec(),
        })
    }
}
