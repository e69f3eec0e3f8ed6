//! Types of expressions, functions of the environment, unification.

mod declaration;
mod functions;
mod kind;
mod unify;

pub(crate) use declaration::{attribute_type, device_field_type, named_type};
pub(crate) use functions::{Function, Overload, function};
pub(crate) use kind::Type;
pub(crate) use unify::{Substitutions, most_general};
