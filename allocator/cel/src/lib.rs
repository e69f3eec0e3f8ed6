//! CEL as Kubernetes evaluates device selectors: parse, check, cost, evaluate on borrowed devices. Pure.
//!
//! The environment is the one of `k8s.io/dynamic-resource-allocation/cel` v0.37.2 (`compile.go`) with
//! cel-go v0.29.2. [`Program::compile`] takes a selector, [`Program::matches`] a [`Device`]; a
//! [`PreparedDevice`] is built once per published device and lends it.
//!
//! From text to answer:
//! * `syntax`: the parser of the `cel` crate, the macros of the environment, a flat tree
//! * `types`: types, the table of functions, unification
//! * `check`: types and overloads of all expressions, with Kubernetes' messages and validators
//! * `cost`: the worst case before, the cost of each call during an evaluation
//! * `plan`: what to evaluate, in the shape of cel-go's plan, on which the cost depends
//! * `eval`: the walk over the plan, with or without counting
//! * `value`, `library`: values that borrow from the device; the functions
//!
//! # Known differences from Kubernetes
//! `tests/oracle.json` holds outcomes of Kubernetes (result, error text, estimated and actual cost),
//! and all but the ones in `tests/known_differences.txt` are equal.
//! * Messages such as `google.protobuf.Duration{seconds: 1}` are refused: "not emulated".
//! * Expressions above 10 KiB, which no object can hold, are refused. So are trees of more than 252
//!   levels, where cel-go's limit is at 250 to 252 levels; brackets in texts count as nesting.
//! * Maps are iterated in the order of their keys, in cel-go in random order: after an early exit the
//!   cost can differ from one of cel-go's runs, as cel-go's do from each other.
//! * Regular expressions have Rust's syntax, which is RE2's but for corner cases; texts about broken
//!   ones are Go's for the usual mistakes only. Some texts of syntax errors list other tokens.
//! * Names of time zones in `getHours("Europe/…")` and its kind are not emulated; offsets are.
//! * A list that is accumulated in `cel.bind(x, [], x + [1] …)` stays as it is, in cel-go it changes.
//! * Texts that print a map, or a Go type name of one, differ.

mod check;
mod cost;
mod device;
mod error;
mod eval;
mod library;
mod options;
mod plan;
mod program;
mod result;
mod syntax;
mod types;
mod value;

pub use device::{AttributeValue, Device, Grouped, PreparedDevice};
pub use error::{CompileError, EvalError, EvalErrorKind};
pub use options::Options;
pub use program::{Evaluation, Program};
