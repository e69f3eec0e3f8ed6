//! CEL as Kubernetes evaluates device selectors: parse, check, cost, evaluate on borrowed devices. Pure.
//!
//! The environment is the one of `k8s.io/dynamic-resource-allocation/cel` v0.37.2 (`compile.go`).

mod check;
mod cost;
mod device;
mod error;
mod eval;
mod library;
mod options;
mod plan;
mod program;
mod syntax;
mod types;
mod value;

pub use device::{AttributeValue, Device, Grouped, PreparedDevice};
pub use error::{CompileError, EvalError, EvalErrorKind};
pub use options::Options;
pub use program::{Evaluation, Program};
