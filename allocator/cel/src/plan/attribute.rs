//! Names, selections, indexes and conditionals: everything that a path can start with or go on with.

use super::build::{Local, Planner};
use super::node::{Attribute, Conditional, Key, Node, NodeId, Qualifier, Root, Shortcut};
use crate::EvalError;
use crate::check::Reference;
use crate::syntax::ExprId;
use crate::value::Value;

impl Planner<'_> {
    pub(super) fn ident(&mut self, id: ExprId) -> Result<NodeId, EvalError> {
        let Some(Reference::Ident { name, is_type }) = self.reference(id) else {
            return Err(EvalError::other("unresolved name"));
        };
        if *is_type {
            let node = Node::Constant(Value::Type(name.as_str().into()));
            return Ok(self.push(id, node));
        }
        let local = self.scopes.iter().rev().find(|local| local.name == name);
        let root = match local {
            None => Root::Device,
            Some(Local {
                slot, init: None, ..
            }) => Root::Slot(*slot),
            Some(Local {
                slot,
                init: Some(init),
                ..
            }) => Root::Lazy {
                slot: *slot,
                init: *init,
            },
        };
        let attribute = Attribute {
            number: self.number(id),
            root,
            qualifiers: Vec::new(),
            shortcut: None,
        };
        Ok(self.push(id, Node::Attribute(attribute)))
    }

    pub(super) fn select(
        &mut self,
        id: ExprId,
        operand: ExprId,
        field: &str,
        test: bool,
    ) -> Result<NodeId, EvalError> {
        if self.reference(id).is_some() {
            return self.ident(id);
        }
        let operand = self.expr(operand)?;
        let mut attribute = self.attribute(operand);
        let key = Key::Name(field.into());
        attribute.qualify(Qualifier {
            number: self.number(id),
            key,
            optional: false,
            test,
        });
        let node = if test {
            Node::Test(attribute)
        } else {
            Node::Attribute(attribute)
        };
        Ok(self.push(id, node))
    }

    /// `a[b]`, `a[?b]` and `a.?b`.
    pub(super) fn index(
        &mut self,
        id: ExprId,
        args: &[NodeId],
        optional: bool,
    ) -> Result<NodeId, EvalError> {
        let &[operand, index] = args else {
            return Err(EvalError::other("an index needs one argument"));
        };
        let key = match self.node(index) {
            Node::Constant(Value::String(name)) => Key::Name((**name).into()),
            Node::Constant(value) => {
                let value = value.clone();
                check_key(&value)?;
                Key::Constant(value)
            }
            Node::Attribute(attribute) => Key::Attribute(Box::new(attribute.clone())),
            _ => Key::Node(index),
        };
        let mut attribute = self.attribute(operand);
        attribute.qualify(Qualifier {
            number: self.number(id),
            key,
            optional,
            test: false,
        });
        Ok(self.push(id, Node::Attribute(attribute)))
    }

    pub(super) fn conditional(&mut self, id: ExprId, args: &[NodeId]) -> Result<NodeId, EvalError> {
        let &[condition, truthy, falsy] = args else {
            return Err(EvalError::other("a conditional needs three arguments"));
        };
        let conditional = Conditional {
            condition,
            truthy: self.attribute(truthy),
            falsy: self.attribute(falsy),
        };
        let attribute = Attribute {
            number: self.number(id),
            root: Root::Conditional(Box::new(conditional)),
            qualifiers: Vec::new(),
            shortcut: None,
        };
        Ok(self.push(id, Node::Attribute(attribute)))
    }

    /// The attribute that a node is, or one that starts with the node's result.
    fn attribute(&self, node: NodeId) -> Attribute {
        match self.node(node) {
            Node::Attribute(attribute) => attribute.clone(),
            _ => Attribute {
                number: self.numbers[node.0 as usize],
                root: Root::Operand(node),
                qualifiers: Vec::new(),
                shortcut: None,
            },
        }
    }
}

impl Attribute {
    /// Goes one step further; both sides of a conditional do.
    fn qualify(&mut self, qualifier: Qualifier) {
        if let Root::Conditional(conditional) = &mut self.root {
            conditional.truthy.qualify(qualifier.clone());
            conditional.falsy.qualify(qualifier);
        } else {
            self.qualifiers.push(qualifier);
            self.shortcut = self.find_shortcut();
        }
    }

    fn find_shortcut(&self) -> Option<Shortcut> {
        let plain =
            |qualifier: &Qualifier| matches!(qualifier.key, Key::Name(_)) && !qualifier.optional;
        if !matches!(self.root, Root::Device) || !self.qualifiers.iter().all(plain) {
            return None;
        }
        let Some(Key::Name(field)) = self.qualifiers.first().map(|first| &first.key) else {
            return None;
        };
        match (&**field, self.qualifiers.as_slice()) {
            ("driver", [only]) if !only.test => Some(Shortcut::Driver),
            ("attributes", [_, domain, _]) if !domain.test => Some(Shortcut::Attribute),
            ("capacity", [_, domain, _]) if !domain.test => Some(Shortcut::Capacity),
            _ => None,
        }
    }
}

/// Only some values can be keys.
pub(crate) fn check_key(value: &Value<'_>) -> Result<(), EvalError> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_) => {
            Ok(())
        }
        other => Err(EvalError::other(format!(
            "invalid qualifier type: {}",
            go_type(other)
        ))),
    }
}

/// The name of the type in cel-go, which a few texts show.
pub(crate) fn go_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::List(_) => "*types.baseList",
        Value::Map(_) => "*types.baseMap",
        Value::Optional(_) => "*types.Optional",
        Value::Quantity(_) => "cel.Quantity",
        Value::Semver(_) => "cel.Semver",
        Value::Ip(_) => "cel.IP",
        Value::Cidr(_) => "cel.CIDR",
        Value::Url(_) => "cel.URL",
        Value::Format(_) => "*cel.Format",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Type(_) => "*types.Type",
    }
}
