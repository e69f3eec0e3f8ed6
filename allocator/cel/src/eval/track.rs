//! What an evaluation costs: cel-go's counter (`interpreter/runtimecost.go`).
//!
//! cel-go keeps a stack of the results seen so far, and charges for a call only when it finds the
//! results of the arguments there; leaving out an operand of `&&`, `||` or `?:` can take more off the
//! stack than was put on it. So the stack is kept here too.

use crate::EvalError;

/// Hears about every step.
pub(crate) trait Tracker {
    /// Whether costs have to be computed at all.
    const ACTIVE: bool;

    /// A step without a cost.
    fn seen(&mut self, number: u32) -> Result<(), EvalError>;
    /// A step of a path.
    fn qualifier(&mut self, number: u32) -> Result<(), EvalError>;
    /// A whole attribute; `number` is the one of its last qualifier.
    fn attribute(&mut self, number: u32, cost: u64) -> Result<(), EvalError>;
    /// Takes the operands' results away, adds the step's.
    fn replaced(&mut self, operands: &[u32], number: u32) -> Result<(), EvalError>;
    /// A call, or a list or map that is written out; `cost` is asked for if it is charged.
    fn call(
        &mut self,
        args: impl DoubleEndedIterator<Item = u32>,
        number: u32,
        cost: impl FnOnce() -> u64,
    ) -> Result<(), EvalError>;
}

/// For expressions that cannot become too expensive.
#[derive(Debug)]
pub(crate) struct NoTracker;

impl Tracker for NoTracker {
    const ACTIVE: bool = false;

    fn seen(&mut self, _: u32) -> Result<(), EvalError> {
        Ok(())
    }

    fn qualifier(&mut self, _: u32) -> Result<(), EvalError> {
        Ok(())
    }

    fn attribute(&mut self, _: u32, _: u64) -> Result<(), EvalError> {
        Ok(())
    }

    fn replaced(&mut self, _: &[u32], _: u32) -> Result<(), EvalError> {
        Ok(())
    }

    fn call(
        &mut self,
        _: impl DoubleEndedIterator<Item = u32>,
        _: u32,
        _: impl FnOnce() -> u64,
    ) -> Result<(), EvalError> {
        Ok(())
    }
}

/// Counts, and stops the evaluation at a limit.
#[derive(Debug)]
pub(crate) struct CostTracker {
    cost: u64,
    limit: u64,
    stack: Vec<u32>,
    /// How often each number is on the stack, so that looking for one that is not there is cheap.
    counts: Vec<u32>,
}

impl CostTracker {
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            cost: 0,
            limit,
            stack: Vec::new(),
            counts: Vec::new(),
        }
    }

    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    fn add(&mut self, cost: u64, number: u32) -> Result<(), EvalError> {
        self.cost = self.cost.saturating_add(cost);
        self.stack.push(number);
        let at = number as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        if self.cost > self.limit {
            Err(EvalError::cost_limit())
        } else {
            Ok(())
        }
    }

    /// Takes the topmost result of this number away with all above it.
    fn drop(&mut self, number: u32) -> bool {
        if self
            .counts
            .get(number as usize)
            .is_none_or(|count| *count == 0)
        {
            return false;
        }
        while let Some(top) = self.stack.pop() {
            self.counts[top as usize] -= 1;
            if top == number {
                return true;
            }
        }
        false
    }
}

impl Tracker for CostTracker {
    const ACTIVE: bool = true;

    fn seen(&mut self, number: u32) -> Result<(), EvalError> {
        self.add(0, number)
    }

    fn qualifier(&mut self, number: u32) -> Result<(), EvalError> {
        self.add(1, number)
    }

    fn attribute(&mut self, number: u32, cost: u64) -> Result<(), EvalError> {
        self.drop(number);
        self.add(cost, number)
    }

    fn replaced(&mut self, operands: &[u32], number: u32) -> Result<(), EvalError> {
        for operand in operands {
            self.drop(*operand);
        }
        self.add(0, number)
    }

    fn call(
        &mut self,
        args: impl DoubleEndedIterator<Item = u32>,
        number: u32,
        cost: impl FnOnce() -> u64,
    ) -> Result<(), EvalError> {
        let found = args.rev().all(|arg| self.drop(arg));
        let cost = if found { cost() } else { 0 };
        self.add(cost, number)
    }
}
