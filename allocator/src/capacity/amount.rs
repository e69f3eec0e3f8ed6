//! The amount of a capacity that a request consumes.

use std::collections::BTreeMap;

use drakit_api::Quantity;
use k8s_openapi::api::resource::v1::CapacityRequirements;

use crate::error::{CapacityError, CapacityProblem, RequestProblem};
use crate::inventory::{Amount, Capacity, Policy, PublishedDevice, Range};

/// The capacities that a request asks for, by name.
#[derive(Debug, Default)]
pub(crate) struct CapacityRequests(BTreeMap<String, Amount>);

impl CapacityRequests {
    pub(crate) fn new(source: Option<&CapacityRequirements>) -> Result<Self, RequestProblem> {
        let requests = source.and_then(|source| source.requests.as_ref());
        let amounts = requests.into_iter().flatten().map(|(name, text)| {
            let amount = Amount::parse(text).ok_or_else(|| RequestProblem::BadQuantity {
                name: name.clone(),
                value: text.0.clone(),
            })?;
            Ok((name.clone(), amount))
        });
        amounts.collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Amount> {
        self.0.get(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

/// An amount to be consumed, and the text it was written as in the claim or the
/// slice. A computed one has none.
#[derive(Debug, Clone)]
pub(super) struct Consumed<'a> {
    pub(super) quantity: Quantity,
    text: Option<&'a str>,
}

impl<'a> Consumed<'a> {
    fn written(amount: &'a Amount) -> Self {
        Self {
            quantity: amount.quantity.clone(),
            text: Some(&amount.text),
        }
    }

    fn computed(quantity: Quantity) -> Self {
        Self {
            quantity,
            text: None,
        }
    }

    /// Whether Go compares the two as structs and finds them equal: they are, if
    /// written alike.
    fn is_written_as(&self, other: &Amount) -> bool {
        self.text == Some(other.text.as_str())
    }
}

/// What a share of the device consumes, by capacity.
pub(crate) fn consumed_by(
    requests: &CapacityRequests,
    device: &PublishedDevice,
    fractional: bool,
) -> Result<BTreeMap<String, Quantity>, CapacityError> {
    let consumed = device.capacity.iter().map(|capacity| {
        let amount = amount_of(requests, capacity, fractional)?;
        Ok((capacity.name.clone(), amount.quantity))
    });
    consumed.collect()
}

/// The amount that the request consumes: what it asks for, rounded up to what the
/// policy allows; without a request the default of the policy, or all there is.
pub(super) fn amount_of<'a>(
    requests: &'a CapacityRequests,
    capacity: &'a Capacity,
    fractional: bool,
) -> Result<Consumed<'a>, CapacityError> {
    let policy = capacity.policy.as_ref();
    let Some(request) = requests.get(&capacity.name) else {
        let default = policy.and_then(|policy| policy.default.as_ref());
        return Ok(Consumed::written(default.unwrap_or(&capacity.value)));
    };
    match policy {
        Some(Policy {
            range:
                Some(Range {
                    min: Some(min),
                    step,
                    ..
                }),
            ..
        }) if request.quantity < min.quantity || step.is_none() => {
            let amount = if request.quantity < min.quantity {
                min
            } else {
                request
            };
            Ok(Consumed::written(amount))
        }
        Some(Policy {
            range: Some(range @ Range { min: Some(_), .. }),
            ..
        }) => round_up_to_step(request, range, fractional)
            .map(Consumed::computed)
            .map_err(|problem| CapacityError {
                name: capacity.name.clone(),
                problem,
            }),
        Some(Policy {
            values: Some(values),
            ..
        }) => {
            let mut values = values.iter();
            let value = values.find(|value| request.quantity <= value.quantity);
            Ok(Consumed::written(value.unwrap_or(request)))
        }
        _ => Ok(Consumed::written(request)),
    }
}

/// Rounds up to the minimum plus a multiple of the step, in whole numbers or in
/// thousandths.
fn round_up_to_step(
    request: &Amount,
    range: &Range,
    fractional: bool,
) -> Result<Quantity, CapacityProblem> {
    let (Some(min), Some(step)) = (&range.min, &range.step) else {
        return Ok(request.quantity.clone());
    };
    let text = || request.quantity.to_string();
    let format = step.quantity.format();
    if uses_thousandths(range, fractional) {
        let requested = exact_milli(&request.quantity)
            .ok_or_else(|| CapacityProblem::NotMilli { request: text() })?;
        let (min, step) = (min.quantity.milli_value(), step.quantity.milli_value());
        let rounded = round(requested, min, step)
            .ok_or_else(|| CapacityProblem::PassesMilli { request: text() })?;
        return Ok(if rounded % 1000 == 0 {
            Quantity::from_i64(rounded / 1000, format)
        } else {
            Quantity::from_milli(rounded, format)
        });
    }
    if request.quantity > Quantity::from_i64(i64::MAX, format) {
        return Err(CapacityProblem::ExceedsInteger { request: text() });
    }
    let (min, step) = (min.quantity.value(), step.quantity.value());
    let rounded = round(request.quantity.value(), min, step)
        .ok_or_else(|| CapacityProblem::PassesInteger { request: text() })?;
    Ok(Quantity::from_i64(rounded, format))
}

/// `min` plus the smallest multiple of `step` that reaches `requested`; `None` if
/// that is no 64-bit number. A step of zero (never stored) leaves the request as it is.
fn round(requested: i64, min: i64, step: i64) -> Option<i64> {
    if step == 0 {
        return Some(requested);
    }
    let (requested, min, step) = (i128::from(requested), i128::from(min), i128::from(step));
    let added = requested - min;
    let steps = added / step + i128::from(added % step != 0);
    i64::try_from(min + steps * step).ok()
}

/// Whether the amount is not one that the policy allows.
pub(super) fn violates(policy: &Policy, amount: &Consumed<'_>, fractional: bool) -> bool {
    if let Some(default) = &policy.default
        && amount.is_written_as(default)
    {
        return false;
    }
    if let Some(range) = &policy.range {
        return violates_range(range, amount, fractional);
    }
    match policy.values.as_deref() {
        None | Some([]) => false,
        Some(values) => values.iter().all(|value| value.quantity != amount.quantity),
    }
}

fn violates_range(range: &Range, amount: &Consumed<'_>, fractional: bool) -> bool {
    if let Some(max) = &range.max
        && amount.quantity > max.quantity
    {
        return true;
    }
    let Some(step) = &range.step else {
        return false;
    };
    let read = |min: fn(&Quantity) -> i64| {
        let lowest = range.min.as_ref().map_or(0, |amount| min(&amount.quantity));
        (lowest, min(&step.quantity))
    };
    let (requested, (min, step)) = if uses_thousandths(range, fractional) {
        let Some(requested) = exact_milli(&amount.quantity) else {
            return true;
        };
        (requested, read(Quantity::milli_value))
    } else {
        (amount.quantity.value(), read(Quantity::value))
    };
    match requested.wrapping_sub(min).checked_rem(step) {
        Some(rest) => rest != 0,
        // A step of zero, or of -1 from the lowest number, reaches nothing.
        None => step == 0,
    }
}

/// Whether the range is computed in thousandths: all its bounds are representable
/// so, and the step is at least one.
fn uses_thousandths(range: &Range, fractional: bool) -> bool {
    let bounds = [&range.min, &range.max, &range.step];
    fractional
        && bounds
            .into_iter()
            .flatten()
            .all(|bound| exact_milli(&bound.quantity).is_some())
        && range
            .step
            .as_ref()
            .is_none_or(|step| step.quantity.milli_value() >= 1)
}

fn exact_milli(quantity: &Quantity) -> Option<i64> {
    let milli = quantity.milli_value();
    (Quantity::from_milli(milli, quantity.format()) == *quantity).then_some(milli)
}
