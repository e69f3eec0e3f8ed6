//! Costs in CEL's units: of a call that was made, and the worst case of an expression.
//!
//! The rules are cel-go's (`interpreter/runtimecost.go`, `checker/cost.go`, `ext`) and Kubernetes'
//! (`k8s.io/apiserver/pkg/cel/library/cost.go`). Costs are part of the API: they decide which
//! expressions an API server accepts.

mod actual;
mod estimate;
mod functions;
mod known;
mod kubernetes;
mod range;
mod sizes;

pub(crate) use actual::{call_cost, equality_cost};
pub(crate) use estimate::estimate;

/// Cost of walking along a string, per character.
const STRING_TRAVERSAL: f64 = 0.1;
/// Cost of a regular expression, per character of the pattern.
const REGEX_LENGTH: f64 = 0.25;
/// Making a list.
const LIST_CREATE: u64 = 10;
/// Making a map.
const MAP_CREATE: u64 = 30;
/// Making a message.
const STRUCT_CREATE: u64 = 40;
