//! The walk over a plan.

use super::track::Tracker;
use crate::EvalError;
use crate::device::Device;
use crate::plan::{Fold, Node, NodeId, Plan};
use crate::value::{List, Value, equal};

/// A result, or why there is none.
pub(crate) type Outcome<'a> = Result<Value<'a>, EvalError>;

/// One evaluation.
#[derive(Debug)]
pub(crate) struct Machine<'a, T> {
    pub(super) plan: &'a Plan,
    pub(super) device: &'a Device<'a>,
    /// Local variables; an accumulator can hold an error.
    pub(super) slots: Vec<Option<Outcome<'a>>>,
    pub(super) tracker: T,
}

impl<'a, T: Tracker> Machine<'a, T> {
    /// Evaluates the whole plan.
    pub(crate) fn run(plan: &'a Plan, device: &'a Device<'a>, tracker: T) -> (Outcome<'a>, T) {
        let mut slots = Vec::new();
        slots.resize_with(plan.slots, || None);
        let mut machine = Self {
            plan,
            device,
            slots,
            tracker,
        };
        let outcome = machine.node(plan.root);
        (outcome, machine.tracker)
    }

    pub(super) fn node(&mut self, id: NodeId) -> Outcome<'a> {
        let plan = self.plan;
        match plan.node(id) {
            Node::Constant(value) => {
                self.tracker.seen(plan.number(id))?;
                Ok(value.borrowed())
            }
            Node::Attribute(attribute) => self.attribute(attribute),
            Node::Test(attribute) => self.test(id, attribute),
            Node::Equal { sides, negated } => self.equal(id, *sides, *negated),
            Node::And(terms) => self.logical(id, *terms, false),
            Node::Or(terms) => self.logical(id, *terms, true),
            Node::Call(call) => self.call(id, call),
            Node::OptionalOr { sides, unwrap } => self.optional_or(id, *sides, *unwrap),
            Node::InConstants { value, list } => {
                let outcome = self.node(*value);
                self.tracker.seen(plan.number(id))?;
                let value = outcome?;
                let found = list
                    .iter()
                    .any(|other| equal(other, &value).unwrap_or(false));
                Ok(Value::Bool(found))
            }
            Node::List(elements) => self.list(id, elements),
            Node::Map(entries) => self.map(id, entries),
            Node::Fold(fold) => {
                let outcome = self.fold(id, fold);
                if is_final(&outcome) {
                    return outcome;
                }
                self.tracker
                    .replaced(&[plan.number(fold.range)], plan.number(id))?;
                outcome
            }
        }
    }

    fn equal(&mut self, id: NodeId, sides: [NodeId; 2], negated: bool) -> Outcome<'a> {
        let one = self.node(sides[0]);
        if is_final(&one) {
            return one;
        }
        let other = self.node(sides[1]);
        if is_final(&other) {
            return other;
        }
        let outcome = match (&one, &other) {
            (Ok(a), Ok(b)) => match equal(a, b) {
                // Values that cannot be compared are different, but not equal or unequal.
                result if negated => Ok(Value::Bool(!result.unwrap_or(false))),
                result => result.map(Value::Bool),
            },
            (Err(error), _) | (_, Err(error)) => Err(error.clone()),
        };
        let numbers = sides.map(|side| self.plan.number(side));
        self.tracker
            .call(numbers.into_iter(), self.plan.number(id), || {
                crate::cost::equality_cost(one.as_ref().ok(), other.as_ref().ok(), negated)
            })?;
        outcome
    }

    /// `&&` and `||`: an error on one side does not matter when the other side decides.
    fn logical(&mut self, id: NodeId, terms: [NodeId; 2], decisive: bool) -> Outcome<'a> {
        let mut error = None;
        let mut outcome = None;
        for term in terms {
            match self.node(term) {
                Ok(Value::Bool(value)) if value == decisive => {
                    outcome = Some(Ok(Value::Bool(decisive)));
                    break;
                }
                Ok(Value::Bool(_)) => {}
                Ok(_) => {
                    error.get_or_insert_with(EvalError::no_such_overload);
                }
                Err(fatal) if fatal.is_final() => return Err(fatal),
                Err(other) => {
                    error.get_or_insert(other);
                }
            }
        }
        if T::ACTIVE {
            let numbers = terms.map(|term| self.plan.number(term));
            self.tracker.replaced(&numbers, self.plan.number(id))?;
        }
        outcome.unwrap_or_else(|| error.map_or(Ok(Value::Bool(!decisive)), Err))
    }

    fn optional_or(&mut self, id: NodeId, sides: [NodeId; 2], unwrap: bool) -> Outcome<'a> {
        let outcome = match self.node(sides[0]) {
            Ok(Value::Optional(None)) => self.node(sides[1]),
            Ok(Value::Optional(Some(value))) if unwrap => Ok((*value).clone()),
            other => other,
        };
        if is_final(&outcome) {
            return outcome;
        }
        self.tracker.seen(self.plan.number(id))?;
        outcome
    }

    fn fold(&mut self, _: NodeId, fold: &'a Fold) -> Outcome<'a> {
        let range = self.node(fold.range)?;
        self.slots[usize::from(fold.accumulator)] = None;
        match (&range, fold.variable2) {
            (Value::List(List::Values(values)), None) if values.is_empty() => {}
            (Value::List(list), None) => {
                for value in list.iter() {
                    if !self.iterate(fold, value, None)? {
                        break;
                    }
                }
            }
            (Value::List(list), Some(_)) => {
                for (index, value) in list.iter().enumerate() {
                    let index = Value::Int(i64::try_from(index).unwrap_or(i64::MAX));
                    if !self.iterate(fold, index, Some(value))? {
                        break;
                    }
                }
            }
            (Value::Map(map), two) => {
                for (key, value) in map.iter() {
                    if !self.iterate(fold, key, two.map(|_| value))? {
                        break;
                    }
                }
            }
            (other, None) => {
                let found = crate::plan::go_type(other);
                return Err(EvalError::other(format!(
                    "got '{found}', expected iterable type"
                )));
            }
            (other, Some(_)) => {
                let found = crate::plan::go_type(other);
                return Err(EvalError::other(format!(
                    "unsupported comprehension range type: {found}"
                )));
            }
        }
        self.node(fold.result)
    }

    /// One round; false when the condition ends the loop. An error in it is kept as the result so
    /// far, which the condition or the next step may ignore.
    fn iterate(
        &mut self,
        fold: &'a Fold,
        first: Value<'a>,
        second: Option<Value<'a>>,
    ) -> Result<bool, EvalError> {
        self.slots[usize::from(fold.variable)] = Some(Ok(first));
        if let (Some(slot), Some(second)) = (fold.variable2, second) {
            self.slots[usize::from(slot)] = Some(Ok(second));
        }
        let condition = self.node(fold.condition);
        match condition {
            Ok(Value::Bool(false)) => return Ok(false),
            Err(fatal) if fatal.is_final() => return Err(fatal),
            _ => {}
        }
        let step = self.node(fold.step);
        if let Err(fatal) = &step
            && fatal.is_final()
        {
            return Err(fatal.clone());
        }
        self.slots[usize::from(fold.accumulator)] = Some(step);
        Ok(true)
    }
}

/// Whether the evaluation has to stop here, whatever the expression does with errors.
pub(super) fn is_final(outcome: &Outcome<'_>) -> bool {
    matches!(outcome, Err(error) if error.is_final())
}
