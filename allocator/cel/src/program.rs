//! A compiled expression.

use crate::check::{Purpose, check};
use crate::cost::estimate;
use crate::eval::{CostTracker, Machine, NoTracker};
use crate::plan::{Plan, build};
use crate::result::{to_attribute, to_bool};
use crate::syntax::{Source, parse};
use crate::{AttributeValue, CompileError, Device, EvalError, EvalErrorKind, Options};

/// A compiled, type-checked expression. Compile once, evaluate on any number of devices, from any thread.
#[derive(Debug)]
pub struct Program {
    source: String,
    plan: Plan,
    result_type: String,
    estimated_cost: u64,
    cost_limit: u64,
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
    /// Parses, checks and plans a selector, and estimates its cost.
    pub fn compile(source: &str, options: &Options) -> Result<Self, CompileError> {
        Self::compile_for(source, options, Purpose::Selector)
    }

    /// Like [`Program::compile`] for the expression of a derived attribute, see
    /// [`Program::attribute`] (`Options.DerivedAttribute` in `compile.go`).
    pub fn compile_attribute(source: &str, options: &Options) -> Result<Self, CompileError> {
        Self::compile_for(source, options, Purpose::DerivedAttribute)
    }

    fn compile_for(
        source: &str,
        options: &Options,
        purpose: Purpose,
    ) -> Result<Self, CompileError> {
        let text = Source::new(source);
        let tree = parse(&text, source)?;
        let checked = check(&tree, &text, options, purpose)?;
        let plan = build(&tree, &checked)?;
        Ok(Self {
            source: source.to_owned(),
            estimated_cost: estimate(&tree, &checked),
            plan,
            result_type: checked.result.result_name(),
            cost_limit: options.cost_limit,
        })
    }

    /// The text of the expression.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The name of the result's type: `bool`, or that of an attribute whose type is not known.
    pub fn result_type(&self) -> &str {
        &self.result_type
    }

    /// The worst-case cost of one evaluation, known without a device. An API server refuses an
    /// expression whose estimate is above [`Options::MAX_COST`].
    pub fn estimated_cost(&self) -> u64 {
        self.estimated_cost
    }

    /// Whether the device matches. Fails as Kubernetes' `DeviceMatches` does.
    pub fn matches(&self, device: &Device<'_>) -> Result<bool, EvalError> {
        // Counting is only needed when the limit can be reached.
        if self.estimated_cost > self.cost_limit {
            return self.evaluate_with_cost(device).result;
        }
        check_device(device)?;
        let (outcome, _) = Machine::run(&self.plan, device, NoTracker);
        outcome.and_then(|value| to_bool(&value))
    }

    /// Whether the device matches, and what finding out did cost.
    pub fn evaluate_with_cost(&self, device: &Device<'_>) -> Evaluation {
        if let Err(problem) = check_device(device) {
            return Evaluation {
                result: Err(problem),
                cost: 0,
            };
        }
        let tracker = CostTracker::new(self.cost_limit);
        let (outcome, tracker) = Machine::run(&self.plan, device, tracker);
        let result = outcome.and_then(|value| to_bool(&value));
        Evaluation {
            result,
            cost: tracker.cost(),
        }
    }

    /// The value of a derived attribute (`EvaluateDerivedAttribute` in `compile.go`), for
    /// programs of [`Program::compile_attribute`].
    pub fn attribute(&self, device: &Device<'_>) -> Result<AttributeValue, EvalError> {
        check_device(device)?;
        if self.estimated_cost > self.cost_limit {
            let tracker = CostTracker::new(self.cost_limit);
            let (outcome, _) = Machine::run(&self.plan, device, tracker);
            return outcome.and_then(|value| to_attribute(&value));
        }
        let (outcome, _) = Machine::run(&self.plan, device, NoTracker);
        outcome.and_then(|value| to_attribute(&value))
    }
}

fn check_device(device: &Device<'_>) -> Result<(), EvalError> {
    match device.problem() {
        None => Ok(()),
        Some(problem) => Err(EvalError::new(EvalErrorKind::Device, problem.to_owned())),
    }
}
