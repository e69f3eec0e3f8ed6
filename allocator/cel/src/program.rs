//! A compiled expression.

use crate::{CompileError, Device, EvalError, Options};

/// A compiled, type-checked expression. Compile once, evaluate on any number of devices, from any thread.
#[derive(Debug)]
pub struct Program {
    source: String,
    options: Options,
}

/// What an evaluation gave, and what it cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// Whether the device matches.
    pub result: Result<bool, EvalError>,
    /// CEL cost units spent, also when the evaluation failed.
    pub cost: u64,
}

impl Program {
    /// Parses and checks an expression.
    pub fn compile(source: &str, options: &Options) -> Result<Self, CompileError> {
        Ok(Self {
            source: source.to_owned(),
            options: *options,
        })
    }

    /// The text of the expression.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the device matches.
    pub fn matches(&self, device: &Device<'_>) -> Result<bool, EvalError> {
        self.evaluate_with_cost(device).result
    }

    /// The worst-case cost of one evaluation, known without a device. An API server refuses an
    /// expression whose estimate is above [`Options::MAX_COST`].
    pub fn estimated_cost(&self) -> u64 {
        0
    }

    /// Whether the device matches, and what finding out did cost.
    pub fn evaluate_with_cost(&self, device: &Device<'_>) -> Evaluation {
        let _ = (device, self.options);
        Evaluation {
            result: Err(EvalError::other("evaluation is not implemented yet")),
            cost: 0,
        }
    }
}
