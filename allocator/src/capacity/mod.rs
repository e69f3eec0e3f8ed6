//! Consumable capacity: what a request takes of a device, and whether it is there
//! (`structured/internal/*/consumable_capacity.go`, KEP-5075).
//!
//! * `amount`: the capacity that a request consumes, rounded by the device's policy;
//! * `fit`: whether a device has that much left.

mod amount;
mod fit;

pub(crate) use amount::{CapacityRequests, consumed_by};
pub(crate) use fit::{Taken, fits};
