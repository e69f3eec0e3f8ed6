//! Whether a device has the capacity that a request would consume.

use std::collections::BTreeMap;

use drakit_api::Quantity;

use super::amount::{CapacityRequests, amount_of, violates};
use crate::error::{CapacityError, CapacityProblem};
use crate::inventory::PublishedDevice;

/// Capacity that is taken already, by name.
pub(crate) type Taken = BTreeMap<String, Quantity>;

/// Whether the device can serve the request beside what is `taken` already.
///
/// An error means that the request or the device is wrong, so that no other device
/// should be tried; it has precedence over every plain "no".
pub(crate) fn fits<'t>(
    requests: &CapacityRequests,
    device: &PublishedDevice,
    taken: &(impl Iterator<Item = &'t Taken> + Clone),
    fractional: bool,
) -> Result<bool, CapacityError> {
    let has = |name: &String| {
        device
            .capacity
            .iter()
            .any(|capacity| capacity.name == *name)
    };
    if !requests.names().all(has) {
        return Ok(false);
    }
    for capacity in &device.capacity {
        let amount = amount_of(requests, capacity, fractional)?;
        if amount.quantity.signum() < 0 {
            return Err(CapacityError {
                name: capacity.name.clone(),
                problem: CapacityProblem::Negative,
            });
        }
    }
    for capacity in &device.capacity {
        let amount = amount_of(requests, capacity, fractional)?;
        if let Some(policy) = &capacity.policy
            && violates(policy, &amount, fractional)
        {
            return Ok(false);
        }
        let mut total = amount.quantity;
        for taken in taken.clone() {
            if let Some(taken) = taken.get(&capacity.name) {
                total += taken;
            }
        }
        if total > capacity.value.quantity {
            return Ok(false);
        }
    }
    Ok(true)
}
