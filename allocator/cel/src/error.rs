//! What can go wrong, in the words of Kubernetes.

use std::borrow::Cow;

/// Why an expression cannot be used.
///
/// The text is the one that an API server puts into the `detail` of the field error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The text is not CEL, or its types do not agree: one `ERROR: <input>:line:column: …` entry per
    /// problem, each with the line and a marker.
    #[error("compilation failed: {0}")]
    Invalid(String),
    /// The expression gives something else than what it is used for: a bool or an attribute whose type
    /// is only known at run time, or for derived attributes a value that an attribute can have.
    #[error("must evaluate to {expected}, not {found}")]
    ResultType {
        /// What is allowed.
        expected: &'static str,
        /// The type of the expression.
        found: String,
    },
    /// A constant part cannot be evaluated, as in `duration("x")`.
    #[error("program instantiation failed: {0}")]
    Instantiation(String),
    /// The expression is longer or nested more deeply than this implementation accepts.
    #[error("compilation failed: ERROR: <input>:-1:0: {0}")]
    TooLarge(String),
}

/// Why an evaluation has no result. The text is the one of cel-go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.0.message)]
pub struct EvalError(Box<Reason>);

/// Boxed, because results are moved often and errors are rare.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reason {
    kind: EvalErrorKind,
    message: Cow<'static, str>,
}

/// What kind of problem an [`EvalError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalErrorKind {
    /// An attribute or capacity that the device does not have: `no such key: NAME`.
    NoSuchKey,
    /// A function does not exist for the types that the values have at run time.
    NoSuchOverload,
    /// The evaluation cost more than the limit and was stopped.
    CostLimit,
    /// cel-go itself fails in a way that no part of the expression can catch.
    Internal,
    /// The result is not a bool, or no value for an attribute.
    ResultType,
    /// The device itself cannot be evaluated: an attribute without value or with an invalid version.
    Device,
    /// Anything else that cel-go reports.
    Other,
}

impl EvalError {
    pub(crate) fn new(kind: EvalErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Reason {
            kind,
            message: message.into(),
        }))
    }

    pub(crate) fn other(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(EvalErrorKind::Other, message)
    }

    pub(crate) fn no_such_overload() -> Self {
        Self::new(EvalErrorKind::NoSuchOverload, "no such overload")
    }

    pub(crate) fn no_such_key(key: impl std::fmt::Display) -> Self {
        Self::new(EvalErrorKind::NoSuchKey, format!("no such key: {key}"))
    }

    pub(crate) fn cost_limit() -> Self {
        Self::new(
            EvalErrorKind::CostLimit,
            "operation cancelled: actual cost limit exceeded",
        )
    }

    /// Whether the evaluation ends here, whatever `||` and `&&` do with errors.
    pub(crate) fn is_final(&self) -> bool {
        matches!(
            self.0.kind,
            EvalErrorKind::CostLimit | EvalErrorKind::Internal
        )
    }

    /// What kind of problem it is.
    pub fn kind(&self) -> EvalErrorKind {
        self.0.kind
    }

    /// The text with the hint that the scheduler adds to `no such key`
    /// (`EnhanceRuntimeError` in `k8s.io/dynamic-resource-allocation/cel/errors.go`).
    pub fn with_hint(&self) -> Cow<'_, str> {
        if self.0.message.contains("no such key:") {
            Cow::Owned(format!(
                "{}. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields",
                self.0.message
            ))
        } else {
            Cow::Borrowed(&self.0.message)
        }
    }
}
