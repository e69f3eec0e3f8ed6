//! Calls: operators with a shape of their own, and functions.

use regex::Regex;

use super::build::Planner;
use super::node::{Call, Guard, Node, NodeId, Root};
use crate::EvalError;
use crate::check::{Reference, Resolved};
use crate::library::implementation;
use crate::syntax::ExprId;
use crate::value::Value;

/// Whether the types of the arguments are checked; some functions do it themselves, and those with
/// a compiled pattern are bound without the check.
fn is_guarded(function: &str, compiled: bool) -> bool {
    !compiled && !matches!(function, "flatten" | "contains" | "startsWith" | "endsWith")
}

/// Functions that cel-go evaluates while planning when their argument is constant
/// (`IsTypeConversionFunction` in `common/overloads`).
const CONVERSIONS: [&str; 10] = [
    "bool",
    "bytes",
    "double",
    "duration",
    "dyn",
    "int",
    "string",
    "timestamp",
    "type",
    "uint",
];

impl Planner<'_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        name: &str,
        target: Option<ExprId>,
        args: &[ExprId],
    ) -> Result<NodeId, EvalError> {
        let Some(Reference::Function(resolved)) = self.reference(id) else {
            return Err(EvalError::other(format!("unresolved function {name}")));
        };
        let target = target.filter(|_| !resolved.namespaced);
        let mut planned = Vec::with_capacity(args.len() + 1);
        for arg in target.iter().chain(args) {
            planned.push(self.expr(*arg)?);
        }
        match (resolved.function.name, planned.as_slice()) {
            ("_&&_", &[a, b]) => Ok(self.push(id, Node::And([a, b]))),
            ("_||_", &[a, b]) => Ok(self.push(id, Node::Or([a, b]))),
            ("_==_", &[a, b]) => Ok(self.push(
                id,
                Node::Equal {
                    sides: [a, b],
                    negated: false,
                },
            )),
            ("_!=_", &[a, b]) => Ok(self.push(
                id,
                Node::Equal {
                    sides: [a, b],
                    negated: true,
                },
            )),
            ("_?_:_", args) => self.conditional(id, args),
            ("_[_]", args) => self.index(id, args, false),
            ("_[?_]" | "_?._", args) => self.index(id, args, true),
            ("or", &[a, b]) => Ok(self.push(
                id,
                Node::OptionalOr {
                    sides: [a, b],
                    unwrap: false,
                },
            )),
            ("orValue", &[a, b]) => Ok(self.push(
                id,
                Node::OptionalOr {
                    sides: [a, b],
                    unwrap: true,
                },
            )),
            ("@in", &[a, b]) => match self.constant_set(resolved, a, b) {
                Some(node) => Ok(self.push(id, node)),
                None => self.function(id, resolved, planned),
            },
            _ => self.function(id, resolved, planned),
        }
    }

    fn function(
        &mut self,
        id: ExprId,
        resolved: &Resolved,
        args: Vec<NodeId>,
    ) -> Result<NodeId, EvalError> {
        let function = resolved.function;
        let overload = match resolved.overloads.as_slice() {
            [one] => Some(*one),
            _ => None,
        };
        let own = overload.and_then(|one| one.binding.map(|binding| (one, binding)));
        let (guard, binding) = match own {
            Some((one, binding)) if binding.guarded => (Guard::One(one), binding),
            Some((_, binding)) => (Guard::Trait(binding.operand_trait), binding),
            None if function.binding.guarded => (Guard::Any, function.binding),
            None if function.binding.operand_trait != 0 => (
                Guard::Trait(function.binding.operand_trait),
                function.binding,
            ),
            None => (Guard::None, function.binding),
        };
        let regex = self.regex(function.name, &args)?;
        let mut call = Call {
            function,
            overload: overload.map(|one| one.id),
            implementation: implementation(function.name),
            guard: if is_guarded(function.name, regex.is_some()) {
                guard
            } else {
                Guard::None
            },
            // A call with a compiled pattern is bound for any number of arguments.
            stops_early: binding.stops_early || args.len() > 2 || regex.is_some(),
            not_strictly_false: function.name == "@not_strictly_false",
            regex,
            known: None,
            takes: None,
            counts_list: overload.is_some_and(|one| {
                one.id == "list_distinct"
                    || one.id.ends_with("_sort")
                    || one.id.ends_with("_sortByAssociatedKeys")
            }),
            args,
        };
        let known = self.known(&call);
        let written = |id: &NodeId| matches!(self.node(*id), Node::Constant(_));
        if CONVERSIONS.contains(&function.name)
            && call.args.iter().all(written)
            && let Some(known) = known
        {
            return Ok(self.push(id, Node::Constant(known?)));
        }
        call.known = known.and_then(Result::ok);
        Ok(self.push(id, Node::Call(Box::new(call))))
    }

    /// The result of a call whose arguments are all constant.
    fn known(&self, call: &Call) -> Option<Result<Value<'static>, EvalError>> {
        if call.args.is_empty() || call.not_strictly_false {
            return None;
        }
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            match self.node(*arg) {
                Node::Constant(value) => args.push(value.clone()),
                Node::Call(inner) => args.push(inner.known.clone()?),
                _ => return None,
            }
        }
        Some(crate::eval::call_with(call, &mut args))
    }

    /// Compiles a constant pattern once.
    fn regex(&self, function: &str, args: &[NodeId]) -> Result<Option<Regex>, EvalError> {
        if !matches!(function, "matches" | "find" | "findAll") {
            return Ok(None);
        }
        let Some(Node::Constant(Value::String(pattern))) = args.get(1).map(|id| self.node(*id))
        else {
            return Ok(None);
        };
        crate::library::compile_regex(pattern).map(Some)
    }

    /// Lets `accumulator + […]` and `cel.@mapInsert(accumulator, …)` change the accumulator in
    /// place: nothing else can see it before the result replaces it.
    pub(super) fn let_step_take(&mut self, step: NodeId, accumulator: u16) {
        let mut candidates = vec![step];
        if let Node::Attribute(attribute) = self.node(step)
            && let Root::Conditional(conditional) = &attribute.root
        {
            for side in [&conditional.truthy, &conditional.falsy] {
                if let Root::Operand(node) = side.root {
                    candidates.push(node);
                }
            }
        }
        for candidate in candidates {
            let Node::Call(call) = self.node(candidate) else {
                continue;
            };
            if !matches!(call.function.name, "_+_" | "cel.@mapInsert") {
                continue;
            }
            let Some(Node::Attribute(first)) = call.args.first().map(|id| self.node(*id)) else {
                continue;
            };
            let is_accumulator = first.qualifiers.is_empty()
                && matches!(first.root, Root::Lazy { slot, .. } if slot == accumulator);
            let uses_elsewhere = call.args[1..]
                .iter()
                .any(|id| self.uses_slot(*id, accumulator));
            if is_accumulator
                && !uses_elsewhere
                && let Some(Node::Call(call)) = self.nodes.get_mut(candidate.0 as usize)
            {
                call.takes = Some(accumulator);
            }
        }
    }

    /// Whether a node is the accumulator itself; arguments hold it only through their own nodes.
    fn uses_slot(&self, id: NodeId, slot: u16) -> bool {
        matches!(
            self.node(id),
            Node::Attribute(attribute)
                if matches!(attribute.root, Root::Lazy { slot: used, .. } if used == slot)
        )
    }
}
