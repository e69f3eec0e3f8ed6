//! A compiled expression.

use crate::check::check;
use crate::cost::estimate;
use crate::eval::{CostTracker, Machine, NoTracker};
use crate::plan::{Plan, build};
use crate::syntax::{Source, parse};
use crate::value::Value;
use crate::{CompileError, Device, EvalError, EvalErrorKind, Options};

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
    /// Parses, checks and plans an expression, and estimates its cost.
    pub fn compile(source: &str, options: &Options) -> Result<Self, CompileError> {
        let text = Source::new(source);
        let tree = parse(&text, source)?;
        let checked = check(&tree, &text, options)?;
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
}

fn check_device(device: &Device<'_>) -> Result<(), EvalError> {
    match device.problem() {
        None => Ok(()),
        Some(problem) => Err(EvalError::new(EvalErrorKind::Device, problem.to_owned())),
    }
}

/// The result as a bool, with cel-go's texts for what is none.
fn to_bool(value: &Value<'_>) -> Result<bool, EvalError> {
    let mut inner = value;
    while let Value::Optional(Some(value)) = inner {
        inner = value;
    }
    let reason = match inner {
        Value::Bool(value) => return Ok(*value),
        Value::Optional(_) => "optional.none() dereference",
        Value::Null => "type conversion error from 'null_type' to 'bool'",
        Value::Int(_) => "unsupported type conversion from 'int' to bool",
        Value::Uint(_) => "unsupported type conversion from 'uint' to bool",
        Value::Double(_) => "type conversion error from Double to 'bool'",
        Value::String(_) => "unsupported native conversion from string to 'bool'",
        Value::Bytes(_) => "type conversion error from Bytes to 'bool'",
        Value::List(_) => "type conversion error from list to 'bool'",
        Value::Map(_) => "type conversion error from map to 'bool'",
        Value::Quantity(_) => "type conversion error from 'Quantity' to 'bool'",
        Value::Semver(_) => "type conversion error from 'Semver' to 'bool'",
        Value::Ip(_) => "type conversion error from 'IP' to 'bool'",
        Value::Cidr(_) => "type conversion error from 'CIDR' to 'bool'",
        Value::Url(_) => "type conversion error from 'URL' to 'bool'",
        Value::Format(_) => "type conversion error from 'Format' to 'bool'",
        Value::Duration(_) => "type conversion error from 'Duration' to 'bool'",
        Value::Timestamp(_) => "type conversion error from 'Timestamp' to 'bool'",
        Value::Type(_) => "type conversion not supported for 'type'",
    };
    let of = value.type_name();
    let text = format!("CEL result of type {of} could not be converted to bool: {reason}");
    Err(EvalError::new(EvalErrorKind::NotBool, text))
}
