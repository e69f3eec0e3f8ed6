//! The parts of a plan.

use std::fmt;

use regex::Regex;

use crate::EvalError;
use crate::types::{Function, Overload};
use crate::value::Value;

/// Index of a node in its [`Plan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeId(pub(crate) u32);

/// Everything that is needed to evaluate.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) nodes: Vec<Node>,
    /// The number of each node's expression, see [`crate::syntax`].
    pub(crate) numbers: Vec<u32>,
    pub(crate) root: NodeId,
    /// How many local variables there are.
    pub(crate) slots: usize,
}

impl Plan {
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn number(&self, id: NodeId) -> u32 {
        self.numbers[id.0 as usize]
    }
}

/// One step.
#[derive(Debug)]
pub(crate) enum Node {
    Constant(Value<'static>),
    Attribute(Attribute),
    /// `has(…)`: the last qualifier only asks.
    Test(Attribute),
    Or([NodeId; 2]),
    And([NodeId; 2]),
    Equal {
        sides: [NodeId; 2],
        negated: bool,
    },
    Call(Box<Call>),
    /// `or` (keeps the optional) and `orValue` (unwraps it).
    OptionalOr {
        sides: [NodeId; 2],
        unwrap: bool,
    },
    /// `in` with a list of constants.
    InConstants {
        value: NodeId,
        list: Vec<Value<'static>>,
    },
    List(Vec<Element>),
    Map(Vec<(NodeId, Element)>),
    Fold(Box<Fold>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    pub(crate) value: NodeId,
    pub(crate) optional: bool,
}

/// Something and a path into it.
#[derive(Debug, Clone)]
pub(crate) struct Attribute {
    /// The number of the root's expression.
    pub(crate) number: u32,
    pub(crate) root: Root,
    pub(crate) qualifiers: Vec<Qualifier>,
    /// What the path leads to, when it is one of the usual ones.
    pub(crate) shortcut: Option<Shortcut>,
}

/// A part of the device that can be looked up at once when steps need not be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shortcut {
    /// `device.driver`
    Driver,
    /// `device.attributes[domain].name`, the second and third qualifiers
    Attribute,
    /// `device.capacity[domain].name`
    Capacity,
}

impl Attribute {
    /// The number under which cel-go knows the attribute: that of its last qualifier.
    pub(crate) fn id(&self) -> u32 {
        if let Root::Conditional(conditional) = &self.root {
            let (truthy, falsy) = (conditional.truthy.id(), conditional.falsy.id());
            return if truthy == falsy { truthy } else { self.number };
        }
        self.qualifiers
            .last()
            .map_or(self.number, |last| last.number)
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Root {
    Device,
    /// An iteration variable.
    Slot(u16),
    /// An accumulator, or the variable of `cel.bind`: set from `init` at its first use.
    Lazy {
        slot: u16,
        init: NodeId,
    },
    /// The result of another node.
    Operand(NodeId),
    Conditional(Box<Conditional>),
}

/// `condition ? truthy : falsy`, whose sides may go on with the same qualifiers.
#[derive(Debug, Clone)]
pub(crate) struct Conditional {
    pub(crate) condition: NodeId,
    pub(crate) truthy: Attribute,
    pub(crate) falsy: Attribute,
}

/// A step of a path.
#[derive(Debug, Clone)]
pub(crate) struct Qualifier {
    pub(crate) number: u32,
    pub(crate) key: Key,
    /// An absent key gives an optional without value.
    pub(crate) optional: bool,
    /// Gives whether the key is there.
    pub(crate) test: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Key {
    Name(Box<str>),
    Constant(Value<'static>),
    Attribute(Box<Attribute>),
    Node(NodeId),
}

/// A function's code: gets evaluated arguments, and may take them.
pub(crate) type Implementation =
    for<'a> fn(&Call, &mut [Value<'a>]) -> Result<Value<'a>, EvalError>;

/// A call of a function.
pub(crate) struct Call {
    pub(crate) function: &'static Function,
    /// The overload, when the types leave only one.
    pub(crate) overload: Option<&'static str>,
    pub(crate) args: Vec<NodeId>,
    pub(crate) implementation: Implementation,
    pub(crate) guard: Guard,
    /// See [`crate::types::Binding`].
    pub(crate) stops_early: bool,
    /// Accepts errors as arguments.
    pub(crate) not_strictly_false: bool,
    /// The constant pattern of a regular expression.
    pub(crate) regex: Option<Regex>,
    /// The result of a call with constant arguments; its cost still counts.
    pub(crate) known: Option<Value<'static>>,
    /// The first argument is the accumulator that the result replaces, so its value may be taken.
    pub(crate) takes: Option<u16>,
    /// Its cost is counted in a way that only lists survive.
    pub(crate) counts_list: bool,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("function", &self.function.name)
            .field("overload", &self.overload)
            .field("args", &self.args)
            .finish_non_exhaustive()
    }
}

/// What is checked before an implementation is called.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Guard {
    None,
    /// The types of the arguments are those of this overload.
    One(&'static Overload),
    /// The types of the arguments are those of any overload.
    Any,
    /// The first argument has this trait.
    Trait(u16),
}

/// A comprehension.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) range: NodeId,
    pub(crate) accumulator: u16,
    pub(crate) variable: u16,
    pub(crate) variable2: Option<u16>,
    pub(crate) condition: NodeId,
    pub(crate) step: NodeId,
    pub(crate) result: NodeId,
}
