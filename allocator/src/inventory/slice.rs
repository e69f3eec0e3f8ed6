//! One published slice, prepared for many evaluations.

use std::sync::Arc;

use drakit_cel::PreparedDevice;
use k8s_openapi::api::core::v1::{Node, NodeSelector};
use k8s_openapi::api::resource::v1::{Device, ResourceSlice};

use super::quantities::{self, Capacity, CounterSet, CounterUse, QuantityError};
use crate::device_id::PoolId;
use crate::node_rule::NodeRule;

/// A slice with everything parsed that the search looks at.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) source: Arc<ResourceSlice>,
    pub(crate) name: String,
    pub(crate) pool: PoolId,
    pub(crate) placement: Placement,
    pub(crate) devices: Vec<PublishedDevice>,
    pub(crate) shared_counters: Vec<CounterSet>,
    pub(crate) uses_compatibility_groups: bool,
    pub(crate) has_binding_conditions: bool,
}

/// How the nodes of a slice are told.
#[derive(Debug)]
pub(crate) enum Placement {
    /// For the whole slice.
    Slice(NodeRule),
    /// By each device.
    PerDevice,
    /// In a way of the future.
    Unknown,
}

/// A device of a slice. Its source is the device at the same position.
#[derive(Debug)]
pub(crate) struct PublishedDevice {
    pub(crate) name: Arc<str>,
    pub(crate) cel: PreparedDevice,
    pub(crate) capacity: Vec<Capacity>,
    pub(crate) consumes: Vec<CounterUse>,
    /// The device's own node selection; read only if the slice says so.
    pub(crate) nodes: NodeRule,
}

impl Slice {
    pub(crate) fn new(source: Arc<ResourceSlice>) -> Result<Self, QuantityError> {
        let spec = &source.spec;
        let devices: Vec<PublishedDevice> = spec
            .devices
            .iter()
            .flatten()
            .map(|device| PublishedDevice::new(&spec.driver, device))
            .collect::<Result<_, _>>()?;
        let shared_counters = spec
            .shared_counters
            .iter()
            .flatten()
            .map(quantities::counter_set)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            name: source.metadata.name.clone().unwrap_or_default(),
            pool: PoolId::new(&spec.driver, &spec.pool.name),
            placement: Placement::new(&source),
            uses_compatibility_groups: devices.iter().any(PublishedDevice::is_grouped),
            has_binding_conditions: spec
                .devices
                .iter()
                .flatten()
                .any(|device| device.binding_conditions.is_some()),
            devices,
            shared_counters,
            source,
        })
    }

    /// The API object of the device at this position.
    pub(crate) fn device(&self, index: usize) -> Option<&Device> {
        self.source.spec.devices.as_ref()?.get(index)
    }

    pub(crate) fn generation(&self) -> i64 {
        self.source.spec.pool.generation
    }

    /// How many slices the pool has in this generation.
    pub(crate) fn slice_count(&self) -> i64 {
        self.source.spec.pool.resource_slice_count
    }

    /// The node whose slice this is, if it is for one node as a whole.
    pub(crate) fn node_name(&self) -> Option<&str> {
        let name = self.source.spec.node_name.as_deref();
        name.filter(|name| !name.is_empty())
    }

    pub(crate) fn is_per_device(&self) -> bool {
        self.source.spec.per_device_node_selection == Some(true)
    }

    pub(crate) fn has_shared_counters(&self) -> bool {
        !self.shared_counters.is_empty()
    }

    /// Whether the slice needs the `DRAPartitionableDevices` feature.
    pub(crate) fn needs_partitionable(&self) -> bool {
        self.source.spec.per_device_node_selection.is_some() || self.has_shared_counters()
    }

    /// The selector that a result with this device inherits: its node name, if
    /// it has one, and its selector.
    pub(crate) fn node_limits(&self, index: usize) -> (bool, Option<&NodeSelector>) {
        if self.is_per_device() {
            let device = self.device(index);
            (
                device.is_some_and(|device| device.node_name.is_some()),
                device.and_then(|device| device.node_selector.as_ref()),
            )
        } else {
            let spec = &self.source.spec;
            (spec.node_name.is_some(), spec.node_selector.as_ref())
        }
    }

    /// Whether the slice offers anything to the node; else the place and the text
    /// of what is wrong with a selector.
    pub(crate) fn is_for(&self, node: &Node) -> Result<bool, (String, String)> {
        match &self.placement {
            Placement::Slice(rule) => rule
                .matches(node)
                .map_err(|error| (format!("slice {}", self.name), error.to_owned())),
            Placement::PerDevice => {
                for device in &self.devices {
                    let matches = device.nodes.matches(node).map_err(|error| {
                        let place = format!("device {} in slice {}", device.name, self.name);
                        (place, error.to_owned())
                    })?;
                    if matches {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Placement::Unknown => Ok(false),
        }
    }
}

impl Placement {
    fn new(slice: &ResourceSlice) -> Self {
        let spec = &slice.spec;
        let rule = NodeRule::new(
            spec.node_name.as_deref(),
            spec.all_nodes,
            spec.node_selector.as_ref(),
        );
        match rule {
            NodeRule::None if spec.per_device_node_selection == Some(true) => Self::PerDevice,
            NodeRule::None => Self::Unknown,
            rule => Self::Slice(rule),
        }
    }
}

impl PublishedDevice {
    fn new(driver: &str, device: &Device) -> Result<Self, QuantityError> {
        Ok(Self {
            name: device.name.as_str().into(),
            cel: PreparedDevice::from_published(driver, device),
            capacity: quantities::capacities(device)?,
            consumes: device
                .consumes_counters
                .iter()
                .flatten()
                .map(|consumption| quantities::counter_use(&device.name, consumption))
                .collect::<Result<_, _>>()?,
            nodes: NodeRule::new(
                device.node_name.as_deref(),
                device.all_nodes,
                device.node_selector.as_ref(),
            ),
        })
    }

    fn is_grouped(&self) -> bool {
        self.consumes.iter().any(|usage| !usage.groups.is_empty())
    }
}
