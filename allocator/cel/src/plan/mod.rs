//! From a checked tree to a plan: what to evaluate, with everything constant done already.
//!
//! The plan has the shape of cel-go's (`interpreter/planner.go`): selections and indexes become the
//! qualifiers of an attribute, literals of constants become constants. Its run-time cost follows from
//! that shape.

mod attribute;
mod build;
mod call;
mod constants;
mod node;

pub(crate) use attribute::{check_key, go_type};
pub(crate) use build::build;
pub(crate) use node::{
    Attribute, Call, Element, Fold, Guard, Implementation, Key, Node, NodeId, Plan, Qualifier,
    Root, Shortcut,
};
