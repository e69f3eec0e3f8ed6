//! From text to a syntax tree: the parser of the `cel` crate, Kubernetes' macros, a flat tree.

mod convert;
mod expand;
mod macros;
mod macros_optional;
mod macros_two;
mod parse;
mod source;
mod tree;

pub(crate) use parse::parse;
pub(crate) use source::{Issue, Source};
pub(crate) use tree::{Comprehension, Element, Entry, ExprId, Field, Kind, Literal, Tree};
