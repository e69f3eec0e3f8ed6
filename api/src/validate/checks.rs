//! What a validation needs from outside.

use std::fmt;

use super::gate::Gates;

/// What an expression is for, which decides what it may evaluate to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CelUse {
    /// `selectors[].cel.expression`: a bool.
    Selector,
    /// `derivedAttributes[].expression`: a value of an attribute.
    DerivedAttribute,
}

/// Why an expression does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CelProblem {
    /// The compiler itself failed; the expression is not to blame.
    pub internal: bool,
    /// The text of the compiler.
    pub message: String,
}

impl CelProblem {
    /// The expression is wrong: `compilation failed: ERROR: …`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self {
            internal: false,
            message: message.into(),
        }
    }

    /// The compiler failed.
    pub fn internal(message: impl Into<String>) -> Self {
        Self {
            internal: true,
            message: message.into(),
        }
    }
}

/// Compiles an expression and estimates its cost, in CEL's units. The limits of
/// Kubernetes are applied by this crate, with their texts.
pub type CelCheck<'a> = dyn Fn(&str, CelUse) -> Result<u64, CelProblem> + 'a;

/// What a validation needs from outside: feature gates, and a CEL compiler, which
/// this crate has not.
#[derive(Clone, Copy)]
pub struct Checks<'a> {
    /// Features of the simulated API server.
    pub gates: Gates,
    /// How to compile an expression; without it, expressions are not compiled.
    pub cel: Option<&'a CelCheck<'a>>,
}

impl<'a> Checks<'a> {
    /// Does not compile expressions: enough for slices, which have none.
    pub const fn new(gates: Gates) -> Self {
        Self { gates, cel: None }
    }

    /// Compiles expressions by `cel`.
    #[must_use]
    pub const fn with_cel(self, cel: &'a CelCheck<'a>) -> Self {
        Self {
            cel: Some(cel),
            ..self
        }
    }
}

impl Default for Checks<'_> {
    fn default() -> Self {
        Self::new(Gates::default())
    }
}

impl fmt::Debug for Checks<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Checks")
            .field("gates", &self.gates)
            .field("cel", &self.cel.is_some())
            .finish()
    }
}
