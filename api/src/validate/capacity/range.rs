//! A range of amounts that a request may take.

use serde_json::Value;

use super::quantity;
use crate::Quantity;
use crate::field::{FieldError, FieldPath};
use crate::validate::checks::Checks;
use crate::validate::findings::Findings;
use crate::validate::meta::NEGATIVE;

const TOO_LARGE: &str = "must not be larger than 9223372036854775807";

/// The amounts of a range.
struct Range<'a> {
    default: &'a Quantity,
    min: Quantity,
    max: Option<Quantity>,
    step: Option<Quantity>,
}

/// `validRange` of a policy for a capacity of `capacity`.
pub(super) fn valid_range(
    range: &Value,
    default: &Quantity,
    capacity: &Quantity,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) {
    let Some(min) = quantity(range, "min") else {
        let text = "required when validRange is defined";
        out.add(FieldError::required(&path.child("min"), text));
        return;
    };
    let (max, step) = (quantity(range, "max"), quantity(range, "step"));
    let range = Range {
        default,
        min,
        max,
        step,
    };
    range.bounds(capacity, path, out);
    let by_milli = checks.gates.fractional_capacity_range && range.has_fraction();
    if by_milli && !range.all_fit(path, out, beyond_milli) {
        return;
    }
    let Some(step) = &range.step else {
        return;
    };
    let at_step = path.child("step");
    if step.signum() <= 0 {
        out.add(FieldError::invalid(
            &at_step,
            &step.to_string(),
            "must be greater than zero",
        ));
        return;
    }
    let added = &range.min + step;
    if added > *capacity {
        let text = format!("one step {added} is larger than capacity value: {capacity}");
        out.add(FieldError::invalid(&at_step, &step.to_string(), text));
    }
    if by_milli || range.all_fit(path, out, beyond_i64) {
        for value in std::iter::once(default).chain(&range.max) {
            on_step(value, &range.min, step, by_milli, &at_step, out);
        }
    }
}

impl Range<'_> {
    fn bounds(&self, capacity: &Quantity, path: &FieldPath<'_>, out: &mut Findings) {
        let (default, min) = (self.default, &self.min);
        let (at_default, at_max) = (path.child("default"), path.child("max"));
        if min > capacity {
            let text = format!("min is larger than capacity value: {capacity}");
            out.add(FieldError::invalid(
                &path.child("min"),
                &min.to_string(),
                text,
            ));
        }
        if default < min {
            let text = format!("default is less than min: {min}");
            out.add(FieldError::invalid(&at_default, &default.to_string(), text));
        }
        let Some(max) = &self.max else {
            return;
        };
        if min > max {
            let text = format!("min is larger than max: {max}");
            out.add(FieldError::invalid(&at_max, &min.to_string(), text));
        }
        if max > capacity {
            let text = format!("max is larger than capacity value: {capacity}");
            out.add(FieldError::invalid(&at_max, &max.to_string(), text));
        }
        if default > max {
            let text = format!("default is more than max: {max}");
            out.add(FieldError::invalid(&at_default, &default.to_string(), text));
        }
    }

    fn amounts(&self) -> [(&'static str, Option<&Quantity>); 4] {
        [
            ("default", Some(self.default)),
            ("min", Some(&self.min)),
            ("max", self.max.as_ref()),
            ("step", self.step.as_ref()),
        ]
    }

    fn has_fraction(&self) -> bool {
        self.amounts()
            .iter()
            .any(|(_, amount)| amount.is_some_and(|amount| !amount.is_whole()))
    }

    /// Whether no amount is beyond what the arithmetic can hold.
    fn all_fit(
        &self,
        path: &FieldPath<'_>,
        out: &mut Findings,
        beyond: fn(&Quantity) -> Option<&'static str>,
    ) -> bool {
        let mut all = true;
        for (name, amount) in self.amounts() {
            if let Some(amount) = amount
                && let Some(text) = beyond(amount)
            {
                out.add(FieldError::invalid(
                    &path.child(name),
                    &amount.to_string(),
                    text,
                ));
                all = false;
            }
        }
        all
    }
}

fn beyond_milli(amount: &Quantity) -> Option<&'static str> {
    let milli = Quantity::from_milli(amount.milli_value(), amount.format());
    (*amount != milli).then_some("value cannot be represented as a milli value")
}

fn beyond_i64(amount: &Quantity) -> Option<&'static str> {
    if amount.signum() < 0 {
        return Some(NEGATIVE);
    }
    (*amount > Quantity::from(i64::MAX)).then_some(TOO_LARGE)
}

/// Whether a value is `min` plus a whole number of steps.
fn on_step(
    value: &Quantity,
    min: &Quantity,
    step: &Quantity,
    by_milli: bool,
    path: &FieldPath<'_>,
    out: &mut Findings,
) {
    let number = |amount: &Quantity| {
        if by_milli {
            amount.milli_value()
        } else {
            amount.value()
        }
    };
    let distance = number(value).wrapping_sub(number(min));
    let remainder = distance.checked_rem(number(step)).unwrap_or_default();
    if remainder != 0 {
        let text = format!("value is not a multiple of a given step ({step}) from ({min})");
        out.add(FieldError::invalid(path, &value.to_string(), text));
    }
}
