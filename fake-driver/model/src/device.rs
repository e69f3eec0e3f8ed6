//! The devices of one driver on one kind of node, as far as they do not depend on the node.
//!
//! One [`DriverTemplate`] is shared by all nodes of a group: a thousand DGX nodes hold one copy of the device data,
//! and a node's own objects are rendered when somebody asks for them.

use std::collections::HashMap;
use std::ops::Range;

use drakit_api::k8s::api::resource::v1::{CounterSet, Device, DeviceAttribute};
use drakit_api::limits::{
    RESOURCE_SLICE_MAX_COUNTER_SETS, RESOURCE_SLICE_MAX_DEVICES,
    RESOURCE_SLICE_MAX_DEVICES_WITH_ADVANCED_FEATURES,
};
use drakit_api::names::DriverName;

use crate::kind::DeviceKind;
use crate::template::{Place, Text};

/// One device, without what only the node decides.
#[derive(Clone, Debug)]
pub(crate) struct DeviceTemplate {
    pub(crate) name: Text,
    /// Everything that is the same on every node.
    pub(crate) base: Device,
    /// String attributes that depend on the node or hold a uuid.
    pub(crate) texts: Vec<(String, AttributeText)>,
    /// Begin a new slice here, as drivers do that keep each GPU's partitions together.
    pub(crate) starts_slice: bool,
}

/// A string attribute whose value depends on the node.
#[derive(Clone, Debug)]
pub(crate) enum AttributeText {
    One(Text),
    Many(Vec<Text>),
}

impl DeviceTemplate {
    /// The device as it is published from `place`.
    pub(crate) fn render(&self, place: Place<'_>) -> Device {
        let name = self.name.render(place, "");
        let mut device = self.base.clone();
        let attributes = device.attributes.get_or_insert_default();
        for (key, text) in &self.texts {
            let attribute = match text {
                AttributeText::One(text) => DeviceAttribute {
                    string: Some(text.render(place, &name)),
                    ..DeviceAttribute::default()
                },
                AttributeText::Many(texts) => DeviceAttribute {
                    strings: Some(texts.iter().map(|text| text.render(place, &name)).collect()),
                    ..DeviceAttribute::default()
                },
            };
            attributes.insert(key.clone(), attribute);
        }
        if attributes.is_empty() {
            device.attributes = None;
        }
        device.name = name;
        device
    }

    /// Whether the device brings the limit of devices per slice down.
    fn is_advanced(&self) -> bool {
        let lists = |attribute: &DeviceAttribute| {
            attribute.bools.is_some()
                || attribute.ints.is_some()
                || attribute.strings.is_some()
                || attribute.versions.is_some()
        };
        self.base.taints.is_some()
            || self.base.consumes_counters.is_some()
            || self
                .base
                .attributes
                .iter()
                .flatten()
                .any(|(_, attribute)| lists(attribute))
            || self
                .texts
                .iter()
                .any(|(_, text)| matches!(text, AttributeText::Many(_)))
    }
}

/// A host path that containers with the device see.
#[derive(Clone, Debug)]
pub(crate) struct MountTemplate {
    pub(crate) host_path: Text,
    pub(crate) container_path: Text,
}

/// What one slice of the pool holds. Counters and devices never share a slice (Kubernetes 1.35 and later).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SliceContent {
    Counters(Range<usize>),
    Devices(Range<usize>),
}

/// A driver's devices, shared by every node that has them.
#[derive(Clone, Debug)]
pub(crate) struct DriverTemplate {
    pub(crate) driver: DriverName,
    pub(crate) kind: DeviceKind,
    pub(crate) devices: Vec<DeviceTemplate>,
    pub(crate) counter_sets: Vec<CounterSet>,
    pub(crate) partition_type_attribute: Option<String>,
    pub(crate) mounts: Vec<MountTemplate>,
    layout: Vec<SliceContent>,
    by_name: HashMap<String, usize>,
}

/// The parts of a [`DriverTemplate`] that a fleet file gives.
#[derive(Clone, Debug)]
pub(crate) struct DriverParts {
    pub(crate) driver: DriverName,
    pub(crate) kind: DeviceKind,
    pub(crate) devices: Vec<DeviceTemplate>,
    pub(crate) counter_sets: Vec<CounterSet>,
    pub(crate) partition_type_attribute: Option<String>,
    pub(crate) mounts: Vec<MountTemplate>,
}

impl DriverTemplate {
    pub(crate) fn new(parts: DriverParts) -> Self {
        let DriverParts {
            driver,
            kind,
            devices,
            counter_sets,
            partition_type_attribute,
            mounts,
        } = parts;
        let fixed = |(index, device): (usize, &DeviceTemplate)| {
            Some((device.name.fixed()?.to_owned(), index))
        };
        let by_name = devices.iter().enumerate().filter_map(fixed).collect();
        let layout = layout(&devices, counter_sets.len());
        Self {
            driver,
            kind,
            devices,
            counter_sets,
            partition_type_attribute,
            mounts,
            layout,
            by_name,
        }
    }

    /// The same devices under another driver's name.
    pub(crate) fn renamed(&self, driver: DriverName) -> Self {
        Self {
            driver,
            ..self.clone()
        }
    }

    pub(crate) fn layout(&self) -> &[SliceContent] {
        &self.layout
    }

    /// Position of a device in the pool.
    pub(crate) fn find(&self, name: &str, place: Place<'_>) -> Option<usize> {
        self.by_name.get(name).copied().or_else(|| {
            let named_by_node = |device: &DeviceTemplate| device.name.fixed().is_none();
            self.devices
                .iter()
                .position(|device| named_by_node(device) && device.name.render(place, "") == name)
        })
    }
}

/// Splits a pool into slices: counter sets first, then devices in their order, as few slices as the limits allow.
/// A pool without devices is one empty slice, which tells "nothing here" from "driver gone".
fn layout(devices: &[DeviceTemplate], counter_sets: usize) -> Vec<SliceContent> {
    let mut slices = Vec::new();
    for start in (0..counter_sets).step_by(RESOURCE_SLICE_MAX_COUNTER_SETS) {
        slices.push(SliceContent::Counters(
            start..counter_sets.min(start + RESOURCE_SLICE_MAX_COUNTER_SETS),
        ));
    }
    let advanced = devices.iter().any(DeviceTemplate::is_advanced);
    let limit = if advanced {
        RESOURCE_SLICE_MAX_DEVICES_WITH_ADVANCED_FEATURES
    } else {
        RESOURCE_SLICE_MAX_DEVICES
    };
    let mut start = 0;
    for (index, device) in devices.iter().enumerate() {
        if index > start && (index - start == limit || device.starts_slice) {
            slices.push(SliceContent::Devices(start..index));
            start = index;
        }
    }
    if start < devices.len() || slices.is_empty() {
        slices.push(SliceContent::Devices(start..devices.len()));
    }
    slices
}
