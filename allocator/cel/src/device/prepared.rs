//! A published device, parsed once.

use drakit_api::k8s::api::resource::v1 as resource;

use super::{AttributeValue, Device, Grouped};
use drakit_api::{Quantity, Semver};

/// A published device whose names are split and whose versions and quantities are parsed.
/// Build it once per device of a slice; it lends a [`Device`] to each evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PreparedDevice {
    driver: String,
    allow_multiple_allocations: bool,
    attributes: Grouped<AttributeValue>,
    capacity: Grouped<Quantity>,
    problem: Option<String>,
}

impl PreparedDevice {
    /// A device of `driver` without attributes and capacities.
    pub fn new(driver: impl Into<String>) -> Self {
        Self {
            driver: driver.into(),
            ..Self::default()
        }
    }

    /// Prepares a device as it is published. A name without domain gets the driver's name as domain.
    ///
    /// A value that cannot be parsed is no error here: as in Kubernetes, each evaluation on such a
    /// device fails (`DeviceMatches` in `k8s.io/dynamic-resource-allocation/cel/compile.go`).
    pub fn from_published(driver: &str, device: &resource::Device) -> Self {
        let mut prepared = Self::new(driver);
        prepared.allow_multiple_allocations = device.allow_multiple_allocations.unwrap_or(false);
        for (name, attribute) in device.attributes.iter().flatten() {
            match attribute_value(attribute) {
                Ok(value) => prepared.set_attribute(name, value),
                Err(reason) => {
                    prepared
                        .problem
                        .get_or_insert(format!("attribute {name}: {reason}"));
                }
            }
        }
        for (name, capacity) in device.capacity.iter().flatten() {
            match Quantity::parse(&capacity.value.0) {
                Ok(value) => prepared.set_capacity(name, value),
                Err(reason) => {
                    prepared
                        .problem
                        .get_or_insert(format!("capacity {name}: {reason}"));
                }
            }
        }
        prepared
    }

    /// Sets whether the device can be allocated more than once.
    pub fn set_allow_multiple_allocations(&mut self, allow: bool) {
        self.allow_multiple_allocations = allow;
    }

    /// Sets the attribute with this name, which may have a domain or not.
    pub fn set_attribute(&mut self, name: &str, value: AttributeValue) {
        let (domain, id) = split(name, &self.driver);
        self.attributes.insert(domain, id, value);
    }

    /// Sets the capacity with this name, which may have a domain or not.
    pub fn set_capacity(&mut self, name: &str, value: Quantity) {
        let (domain, id) = split(name, &self.driver);
        self.capacity.insert(domain, id, value);
    }

    /// The attribute with this name, which may have a domain or not.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        let (domain, id) = split(name, &self.driver);
        self.attributes.get(domain, id)
    }

    /// The capacity with this name, which may have a domain or not.
    pub fn capacity(&self, name: &str) -> Option<&Quantity> {
        let (domain, id) = split(name, &self.driver);
        self.capacity.get(domain, id)
    }

    /// What an expression sees.
    pub fn device(&self) -> Device<'_> {
        Device {
            driver: &self.driver,
            allow_multiple_allocations: self.allow_multiple_allocations,
            attributes: &self.attributes,
            capacity: &self.capacity,
            problem: self.problem.as_deref(),
        }
    }
}

/// Domain and identifier of a qualified name.
fn split<'n>(name: &'n str, driver: &'n str) -> (&'n str, &'n str) {
    name.split_once('/').unwrap_or((driver, name))
}

/// The one value that is set; lists before scalars, in the order that Kubernetes looks at them.
fn attribute_value(attribute: &resource::DeviceAttribute) -> Result<AttributeValue, String> {
    let version = |text: &String| {
        Semver::parse(text).map_err(|reason| format!("parse semantic version: {reason}"))
    };
    if let Some(values) = &attribute.ints {
        Ok(AttributeValue::Ints(values.clone()))
    } else if let Some(values) = &attribute.bools {
        Ok(AttributeValue::Bools(values.clone()))
    } else if let Some(values) = &attribute.strings {
        Ok(AttributeValue::Strings(values.clone()))
    } else if let Some(values) = &attribute.versions {
        values
            .iter()
            .map(version)
            .collect::<Result<_, _>>()
            .map(AttributeValue::Versions)
    } else if let Some(value) = attribute.int {
        Ok(AttributeValue::Int(value))
    } else if let Some(value) = attribute.bool {
        Ok(AttributeValue::Bool(value))
    } else if let Some(value) = &attribute.string {
        Ok(AttributeValue::String(value.clone()))
    } else if let Some(value) = &attribute.version {
        version(value).map(AttributeValue::Version)
    } else {
        Err("unsupported attribute value".to_owned())
    }
}
