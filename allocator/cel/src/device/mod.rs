//! What an expression sees of a device.

mod attribute;
mod grouped;
mod prepared;

pub use attribute::AttributeValue;
pub use grouped::Grouped;
pub(crate) use grouped::find;
pub use prepared::PreparedDevice;

use drakit_api::Quantity;

/// One device, borrowed: the value of the variable `device`. Costs nothing to make and to copy.
#[derive(Debug, Clone, Copy)]
pub struct Device<'a> {
    driver: &'a str,
    allow_multiple_allocations: bool,
    attributes: &'a Grouped<AttributeValue>,
    capacity: &'a Grouped<Quantity>,
    problem: Option<&'a str>,
}

impl<'a> Device<'a> {
    /// A device of `driver` with attributes and capacities grouped by domain.
    pub fn new(
        driver: &'a str,
        allow_multiple_allocations: bool,
        attributes: &'a Grouped<AttributeValue>,
        capacity: &'a Grouped<Quantity>,
    ) -> Self {
        Self {
            driver,
            allow_multiple_allocations,
            attributes,
            capacity,
            problem: None,
        }
    }

    /// `device.driver`.
    pub fn driver(&self) -> &'a str {
        self.driver
    }

    /// `device.allowMultipleAllocations`, false when the device does not say.
    pub fn allow_multiple_allocations(&self) -> bool {
        self.allow_multiple_allocations
    }

    /// `device.attributes`.
    pub fn attributes(&self) -> &'a Grouped<AttributeValue> {
        self.attributes
    }

    /// `device.capacity`.
    pub fn capacity(&self) -> &'a Grouped<Quantity> {
        self.capacity
    }

    /// Why the device cannot be evaluated at all.
    pub(crate) fn problem(&self) -> Option<&'a str> {
        self.problem
    }
}
