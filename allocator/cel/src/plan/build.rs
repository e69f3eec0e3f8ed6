//! The walk from expressions to nodes.

use super::node::{Element, Fold, Node, NodeId, Plan};
use crate::check::{Checked, Reference};
use crate::syntax::{Comprehension, ExprId, Kind, Literal, Tree};
use crate::value::{Text, Value};
use crate::{CompileError, EvalError};

/// Plans a checked expression.
pub(crate) fn build(tree: &Tree, checked: &Checked) -> Result<Plan, CompileError> {
    let mut planner = Planner {
        tree,
        checked,
        nodes: Vec::new(),
        numbers: Vec::new(),
        scopes: Vec::new(),
        slots: 0,
    };
    let root = planner
        .expr(tree.root)
        .map_err(|e| CompileError::Instantiation(e.to_string()))?;
    Ok(Plan {
        nodes: planner.nodes,
        numbers: planner.numbers,
        root,
        slots: usize::from(planner.slots),
    })
}

/// A local variable while planning.
#[derive(Debug, Clone)]
pub(super) struct Local<'t> {
    pub(super) name: &'t str,
    pub(super) slot: u16,
    pub(super) init: Option<NodeId>,
}

pub(super) struct Planner<'t> {
    pub(super) tree: &'t Tree,
    pub(super) checked: &'t Checked,
    pub(super) nodes: Vec<Node>,
    pub(super) numbers: Vec<u32>,
    pub(super) scopes: Vec<Local<'t>>,
    slots: u16,
}

impl<'t> Planner<'t> {
    pub(super) fn expr(&mut self, id: ExprId) -> Result<NodeId, EvalError> {
        match self.tree.kind(id) {
            Kind::Literal(literal) => Ok(self.push(id, Node::Constant(constant(literal)))),
            Kind::Ident(_) => self.ident(id),
            Kind::Select {
                operand,
                field,
                test,
            } => self.select(id, *operand, field, *test),
            Kind::Call {
                function,
                target,
                args,
            } => self.call(id, function, *target, args),
            Kind::List { elements } => {
                let mut planned = Vec::with_capacity(elements.len());
                for element in elements {
                    let value = self.expr(element.value)?;
                    planned.push(Element {
                        value,
                        optional: element.optional,
                    });
                }
                let node = self.list_constant(&planned)?.unwrap_or(Node::List(planned));
                Ok(self.push(id, node))
            }
            Kind::Map { entries } => {
                let mut planned = Vec::with_capacity(entries.len());
                for entry in entries {
                    let key = self.expr(entry.key)?;
                    let value = self.expr(entry.value)?;
                    planned.push((
                        key,
                        Element {
                            value,
                            optional: entry.optional,
                        },
                    ));
                }
                let node = self.map_constant(&planned)?.unwrap_or(Node::Map(planned));
                Ok(self.push(id, node))
            }
            Kind::Struct { name, .. } => Err(EvalError::other(format!(
                "message construction is not emulated: {name}"
            ))),
            Kind::Comprehension(fold) => self.fold(id, fold),
        }
    }

    pub(super) fn push(&mut self, id: ExprId, node: Node) -> NodeId {
        let number = self.number(id);
        self.push_numbered(number, node)
    }

    pub(super) fn push_numbered(&mut self, number: u32, node: Node) -> NodeId {
        // A tree of at most 10 KiB of text has far fewer nodes than u32::MAX.
        let at = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(node);
        self.numbers.push(number);
        NodeId(at)
    }

    pub(super) fn number(&self, id: ExprId) -> u32 {
        u32::try_from(self.tree.node(id).number).unwrap_or(u32::MAX)
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn reference(&self, id: ExprId) -> Option<&'t Reference> {
        self.checked.references[id.0 as usize].as_ref()
    }

    fn slot(&mut self) -> u16 {
        self.slots = self.slots.saturating_add(1);
        self.slots - 1
    }

    fn fold(&mut self, id: ExprId, fold: &'t Comprehension) -> Result<NodeId, EvalError> {
        let init = self.expr(fold.init)?;
        let range = self.expr(fold.range)?;
        let depth = self.scopes.len();
        let accumulator = self.slot();
        self.scopes.push(Local {
            name: &fold.accumulator,
            slot: accumulator,
            init: Some(init),
        });
        let variable = self.slot();
        self.scopes.push(Local {
            name: &fold.variable,
            slot: variable,
            init: None,
        });
        let variable2 = match &fold.variable2 {
            None => None,
            Some(name) => {
                let slot = self.slot();
                self.scopes.push(Local {
                    name,
                    slot,
                    init: None,
                });
                Some(slot)
            }
        };
        let condition = self.expr(fold.condition)?;
        let step = self.expr(fold.step)?;
        self.let_step_take(step, accumulator);
        self.scopes.truncate(depth + 1);
        let result = self.expr(fold.result)?;
        self.scopes.truncate(depth);
        let planned = Fold {
            range,
            accumulator,
            variable,
            variable2,
            condition,
            step,
            result,
        };
        Ok(self.push(id, Node::Fold(Box::new(planned))))
    }
}

pub(super) fn constant(literal: &Literal) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Uint(value) => Value::Uint(*value),
        Literal::Double(value) => Value::Double(*value),
        Literal::String(value) => Value::String(Text::Shared(value.as_str().into())),
        Literal::Bytes(value) => Value::Bytes(value.as_slice().into()),
    }
}
