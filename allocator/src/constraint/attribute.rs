//! The attribute of a device that a constraint compares.

use std::sync::Arc;

use k8s_openapi::api::resource::v1::{Device, DeviceAttribute};

/// An attribute: as published, or computed for the request.
#[derive(Debug, Clone)]
pub(crate) enum Attribute<'a> {
    Published(&'a DeviceAttribute),
    Derived(Arc<DeviceAttribute>),
}

impl AsRef<DeviceAttribute> for Attribute<'_> {
    fn as_ref(&self) -> &DeviceAttribute {
        match self {
            Self::Published(attribute) => attribute,
            Self::Derived(attribute) => attribute,
        }
    }
}

/// The published attribute with a fully qualified name. Attributes without a
/// domain belong to the domain of the driver.
pub(crate) fn published<'a>(device: &'a Device, driver: &str, name: &str) -> Option<Attribute<'a>> {
    let attributes = device.attributes.as_ref()?;
    let attribute = attributes.get(name).or_else(|| {
        let (domain, id) = name.split_once('/')?;
        (domain == driver).then(|| attributes.get(id)).flatten()
    })?;
    Some(Attribute::Published(attribute))
}
