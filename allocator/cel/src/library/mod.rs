//! The functions of the environment: CEL's own, cel-go's extensions, Kubernetes' libraries.

mod convert;
mod format;
mod lists;
mod named_format;
mod net;
mod operators;
mod optional;
mod quantity;
mod regexes;
mod registry;
mod semver;
mod strings;
mod text_format;
mod time;
mod url;

pub(crate) use format::wrong_type as format_clause_problem;
pub(crate) use named_format::NamedFormat;
pub(crate) use net::Cidr;
pub(crate) use regexes::compile_regex;
pub(crate) use registry::implementation;
pub(crate) use text_format::{Clause, clauses};
pub(crate) use time::{Timestamp, parse_duration, parse_timestamp};
pub(crate) use url::Url;

use crate::EvalError;
use crate::value::Value;

/// What a function gives.
pub(crate) type Outcome<'a> = Result<Value<'a>, EvalError>;
