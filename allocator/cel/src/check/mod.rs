//! Type checking: from a syntax tree to the type and the overloads of each expression
//! (cel-go `checker/checker.go`), with Kubernetes' validators and result rule.

mod call;
mod checker;
mod fold;
mod literals;
mod select;

use crate::types::{Function, Overload, Type};

pub(crate) use checker::{Purpose, check};

/// What the checker found out about an expression, by expression.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) types: Vec<Type>,
    pub(crate) references: Vec<Option<Reference>>,
    /// The type of the whole expression.
    pub(crate) result: Type,
}

/// What a name or a call means.
#[derive(Debug, Clone)]
pub(crate) enum Reference {
    /// A variable, or a type when the flag is set, under its full name.
    Ident { name: String, is_type: bool },
    /// A function and the overloads that fit the types.
    Function(Resolved),
}

/// A call whose function is known.
#[derive(Debug, Clone)]
pub(crate) struct Resolved {
    pub(crate) function: &'static Function,
    pub(crate) overloads: Vec<&'static Overload>,
    /// The target was part of the function's name, as in `format.named(x)`.
    pub(crate) namespaced: bool,
}
