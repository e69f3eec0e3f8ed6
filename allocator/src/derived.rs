//! Attributes that a request computes from a device (KEP-5254, alpha in 1.37).

use std::collections::HashMap;
use std::sync::Arc;

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
        let _ = input;
        Err(AllocateError::NotEmulated {
            what: format!("derived attribute {}", derived.name),
        })
    }
}
