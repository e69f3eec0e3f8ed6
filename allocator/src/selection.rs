//! Whether a device is what a request asks for, in use or not.

use std::sync::Arc;

use drakit_cel::{Device, Program};
use k8s_openapi::api::resource::v1::{DeviceClass, DeviceSelector, ResourceClaim};

use crate::error::{AllocateError, SelectorOwner};
use crate::features::Channel;
use crate::input::Input;
use crate::inventory::{NodePools, OfferedDevice, Place};
use crate::plan::claim_name;
use crate::request::RequestView;

/// The selectors of a class and a request, with the answers so far.
pub(crate) struct Selection<'a> {
    claim: &'a ResourceClaim,
    class: &'a DeviceClass,
    class_selectors: Selectors<'a>,
    request_selectors: Selectors<'a>,
    /// By the number of the device among all of the node; filled as needed.
    answers: Vec<Option<bool>>,
}

/// Selectors, compiled when the first device is tried: as in Kubernetes, one that
/// does not compile is no problem where there is no device.
struct Selectors<'a> {
    selectors: &'a [DeviceSelector],
    programs: Vec<Arc<Program>>,
}

impl<'a> Selection<'a> {
    pub(crate) fn new(
        claim: &'a ResourceClaim,
        class: &'a DeviceClass,
        request: &RequestView<'a>,
    ) -> Self {
        let spec = class.spec.as_ref();
        let selectors = spec.and_then(|spec| spec.selectors.as_deref());
        Self {
            claim,
            class,
            class_selectors: Selectors::new(selectors.unwrap_or_default()),
            request_selectors: Selectors::new(request.selectors),
            answers: Vec::new(),
        }
    }

    /// Whether class, request and the device's own node selection agree.
    pub(crate) fn selects(
        &mut self,
        input: &Input<'_>,
        pools: &NodePools,
        place: Place,
    ) -> Result<bool, AllocateError> {
        let device = pools.device(place);
        // Devices that need work before binding are invisible to old schedulers.
        if !input.features.device_binding_and_status
            && device
                .object()
                .and_then(|object| object.binding_conditions.as_ref())
                .is_some_and(|conditions| !conditions.is_empty())
        {
            return Ok(false);
        }
        if self.answers.is_empty() {
            self.answers.resize(pools.device_count(), None);
        }
        let number = pools.number(place);
        if let Some(answer) = self.answers[number] {
            return Ok(answer);
        }
        let answer = self.evaluate(input, device)?;
        self.answers[number] = Some(answer);
        Ok(answer)
    }

    fn evaluate(
        &mut self,
        input: &Input<'_>,
        device: OfferedDevice<'_>,
    ) -> Result<bool, AllocateError> {
        let (claim, class) = (self.claim, self.class);
        let class_owner = || SelectorOwner::Class(class.metadata.name.clone().unwrap_or_default());
        let claim_owner = || SelectorOwner::Claim(claim_name(claim));
        if !self.class_selectors.match_all(input, device, class_owner)?
            || !self
                .request_selectors
                .match_all(input, device, claim_owner)?
        {
            return Ok(false);
        }
        if !device.slice().is_per_device() {
            return Ok(true);
        }
        let nodes = &device.published().nodes;
        nodes
            .matches(input.node)
            .map_err(|error| AllocateError::DeviceNodeSelection {
                error: error.to_owned(),
            })
    }
}

impl<'a> Selectors<'a> {
    fn new(selectors: &'a [DeviceSelector]) -> Self {
        Self {
            selectors,
            programs: Vec::new(),
        }
    }

    /// Evaluates one selector after the other, until one does not match.
    fn match_all(
        &mut self,
        input: &Input<'_>,
        device: OfferedDevice<'_>,
        owner: impl Fn() -> SelectorOwner,
    ) -> Result<bool, AllocateError> {
        for (index, selector) in self.selectors.iter().enumerate() {
            if self.programs.len() == index {
                // A class selector of an unknown kind cannot match anything.
                let Some(cel) = &selector.cel else {
                    return Ok(false);
                };
                let compiled = input.cel_cache.selector(&cel.expression);
                self.programs
                    .push(compiled.map_err(|error| AllocateError::Compile {
                        owner: owner(),
                        index,
                        error,
                    })?);
            }
            let matches = self.programs[index]
                .matches(&visible(input, device))
                .map_err(|error| AllocateError::Evaluate {
                    owner: owner(),
                    index,
                    device: Box::new(device.id()),
                    error,
                })?;
            if !matches {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What an expression sees of the device. The stable allocator does not tell
/// whether it can be shared.
fn visible<'a>(input: &Input<'_>, device: OfferedDevice<'a>) -> Device<'a> {
    let visible = device.published().cel.device();
    if input.features.channel() == Channel::Stable {
        let (driver, attributes) = (visible.driver(), visible.attributes());
        Device::new(driver, false, attributes, visible.capacity())
    } else {
        visible
    }
}
