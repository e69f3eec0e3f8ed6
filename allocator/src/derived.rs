//! Attributes that a request computes from a device (KEP-5254, alpha in 1.37).

use std::collections::HashMap;
use std::sync::Arc;

use drakit_cel::AttributeValue;
use k8s_openapi::api::resource::v1::DeviceAttribute;

use crate::constraint::{self, Attribute};
use crate::device_id::DeviceId;
use crate::error::AllocateError;
use crate::input::Input;
use crate::inventory::OfferedDevice;
use crate::request::RequestView;

/// The computed attributes so far, by device and expression.
#[derive(Debug, Default)]
pub(crate) struct DerivedAttributes {
    values: HashMap<(DeviceId, String), Arc<DeviceAttribute>>,
}

impl DerivedAttributes {
    /// The attribute as the request sees it: its own of that name, else the
    /// published one.
    pub(crate) fn attribute<'a>(
        &mut self,
        input: &Input<'_>,
        request: &RequestView<'_>,
        device: OfferedDevice<'a>,
        name: &str,
    ) -> Result<Option<Attribute<'a>>, AllocateError> {
        // Of several with one name, the last counts.
        let derived = request.derived_attributes.iter().rev();
        let Some(derived) = derived.into_iter().find(|derived| derived.name == name) else {
            let driver = &device.slice().pool.driver;
            let object = device.object();
            return Ok(object.and_then(|object| constraint::published(object, driver, name)));
        };
        let key = (device.id(), derived.expression.clone());
        if let Some(value) = self.values.get(&key) {
            return Ok(Some(Attribute::Derived(Arc::clone(value))));
        }
        let program = input
            .cel_cache
            .derived_attribute(&derived.expression)
            .map_err(|error| AllocateError::CompileDerived {
                attribute: name.to_owned(),
                error,
            })?;
        let value = program
            .attribute(&device.published().cel.device())
            .map_err(|error| AllocateError::EvaluateDerived {
                attribute: name.to_owned(),
                device: Box::new(device.id()),
                error,
            })?;
        let value = Arc::new(as_attribute(value));
        self.values.insert(key, Arc::clone(&value));
        Ok(Some(Attribute::Derived(value)))
    }
}

/// The value as if a driver had published it.
fn as_attribute(value: AttributeValue) -> DeviceAttribute {
    let mut attribute = DeviceAttribute::default();
    match value {
        AttributeValue::Bool(value) => attribute.bool = Some(value),
        AttributeValue::Int(value) => attribute.int = Some(value),
        AttributeValue::String(value) => attribute.string = Some(value),
        AttributeValue::Version(value) => attribute.version = Some(value.to_string()),
        AttributeValue::Bools(values) => attribute.bools = Some(values),
        AttributeValue::Ints(values) => attribute.ints = Some(values),
        AttributeValue::Strings(values) => attribute.strings = Some(values),
        AttributeValue::Versions(values) => {
            attribute.versions = Some(values.iter().map(ToString::to_string).collect());
        }
    }
    attribute
}
