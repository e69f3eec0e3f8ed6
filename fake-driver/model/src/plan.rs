//! A fleet spelled out: which node runs which driver, and what each pool publishes.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_api::k8s::api::core::v1::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};
use drakit_api::k8s::api::resource::v1::{Device, DeviceClass, ResourcePool, ResourceSliceSpec};
use drakit_api::names::{DriverName, NodeName, PoolName};

use crate::device::{DriverTemplate, SliceContent};
use crate::kind::DeviceKind;
use crate::template::Place;

/// Everything that a fleet consists of. Cheap to clone: pools are shared.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Nodes in the order of the fleet file.
    pub nodes: Vec<NodePlan>,
    /// Pools that are not bound to one node.
    pub pools: Vec<Arc<PoolPlan>>,
    /// Classes that claims can name, sorted by name.
    pub device_classes: Vec<DeviceClass>,
}

/// One node and the drivers that run on it.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Name of the node.
    pub name: NodeName,
    /// Labels of the fleet file and of the profile; `kubernetes.io/hostname` is not among them.
    pub labels: BTreeMap<String, String>,
    /// One pool per driver.
    pub drivers: Vec<Arc<PoolPlan>>,
}

/// Which nodes can use a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The one node, with its index in the group.
    Node(NodeName, usize),
    AllNodes,
    /// Nodes that have all these labels.
    Labels(BTreeMap<String, String>),
}

/// One pool: the devices of one driver on one node, or of one network-attached pool.
///
/// Holds no device data of its own; slices are rendered on demand from data that all equal nodes share.
#[derive(Clone, Debug)]
pub struct PoolPlan {
    template: Arc<DriverTemplate>,
    reach: Reach,
    pool: PoolName,
    seed: u64,
}

impl PoolPlan {
    pub(crate) fn new(
        template: Arc<DriverTemplate>,
        reach: Reach,
        pool: PoolName,
        seed: u64,
    ) -> Self {
        Self {
            template,
            reach,
            pool,
            seed,
        }
    }

    /// Driver that publishes the pool.
    pub fn driver(&self) -> &DriverName {
        &self.template.driver
    }

    /// Sort of its devices.
    pub fn kind(&self) -> DeviceKind {
        self.template.kind
    }

    /// The node of a node-local pool.
    pub fn node(&self) -> Option<&NodeName> {
        match &self.reach {
            Reach::Node(node, _) => Some(node),
            Reach::AllNodes | Reach::Labels(_) => None,
        }
    }

    /// Name of the pool: the node's name, or the name that the fleet file gives.
    pub fn pool(&self) -> &PoolName {
        &self.pool
    }

    /// Whether pods on `node` can use the pool's devices.
    pub fn reachable_from(&self, node: &NodePlan) -> bool {
        match &self.reach {
            Reach::Node(name, _) => *name == node.name,
            Reach::AllNodes => true,
            Reach::Labels(labels) => labels
                .iter()
                .all(|(key, value)| node.labels.get(key) == Some(value)),
        }
    }

    /// How many devices the pool has.
    pub fn device_count(&self) -> usize {
        self.template.devices.len()
    }

    /// Every device in the pool's order, as it is published.
    pub fn devices(&self) -> impl Iterator<Item = Device> + '_ {
        self.template
            .devices
            .iter()
            .map(|device| device.render(self.place()))
    }

    /// The device with this name.
    pub fn device(&self, name: &str) -> Option<PlannedDevice<'_>> {
        let index = self.template.find(name, self.place())?;
        Some(PlannedDevice { pool: self, index })
    }

    /// How many slices the pool has, at least one.
    pub fn slice_count(&self) -> usize {
        self.template.layout().len()
    }

    /// The pool's slices, complete and in order: the same generation always gives the same bytes.
    pub fn specs(&self, generation: i64) -> Vec<ResourceSliceSpec> {
        let count = i64::try_from(self.slice_count()).unwrap_or(i64::MAX);
        let place = self.place();
        let template = &*self.template;
        template
            .layout()
            .iter()
            .map(|content| {
                let (devices, shared_counters) = match content {
                    SliceContent::Counters(range) => {
                        (None, Some(template.counter_sets[range.clone()].to_vec()))
                    }
                    SliceContent::Devices(range) => {
                        let devices = &template.devices[range.clone()];
                        (
                            Some(devices.iter().map(|device| device.render(place)).collect()),
                            None,
                        )
                    }
                };
                ResourceSliceSpec {
                    driver: template.driver.to_string(),
                    pool: ResourcePool {
                        name: self.pool.to_string(),
                        generation,
                        resource_slice_count: count,
                    },
                    node_name: self.node().map(ToString::to_string),
                    node_selector: self.node_selector(),
                    all_nodes: (self.reach == Reach::AllNodes).then_some(true),
                    partition_type_attribute: devices
                        .as_ref()
                        .and(template.partition_type_attribute.clone()),
                    devices,
                    shared_counters,
                    ..ResourceSliceSpec::default()
                }
            })
            .collect()
    }

    /// `metadata.generateName` of the slice at `index`, as the Go helper of Kubernetes 1.37 makes it
    /// (`resourceslicecontroller.go`): `<index, 5 hex digits>-<driver>-[<node>-]`. The allocator tries slices in the
    /// order of their names, hence the index in front.
    pub fn generate_name(&self, index: usize) -> String {
        match self.node() {
            Some(node) => format!("{index:05x}-{}-{node}-", self.driver()),
            None => format!("{index:05x}-{}-", self.driver()),
        }
    }

    pub(crate) fn template(&self) -> &DriverTemplate {
        &self.template
    }

    pub(crate) fn place(&self) -> Place<'_> {
        let (node, node_index) = match &self.reach {
            Reach::Node(node, index) => (node.as_ref(), *index),
            // A network pool has no node: its name keeps the uuids of two pools apart.
            Reach::AllNodes | Reach::Labels(_) => (self.pool.as_ref(), 0),
        };
        Place {
            seed: self.seed,
            node,
            node_index,
            driver: self.template.driver.as_ref(),
        }
    }

    fn node_selector(&self) -> Option<NodeSelector> {
        let Reach::Labels(labels) = &self.reach else {
            return None;
        };
        let requirement = |(key, value): (&String, &String)| NodeSelectorRequirement {
            key: key.clone(),
            operator: "In".to_owned(),
            values: Some(vec![value.clone()]),
        };
        let match_expressions = Some(labels.iter().map(requirement).collect());
        let term = NodeSelectorTerm {
            match_expressions,
            ..NodeSelectorTerm::default()
        };
        Some(NodeSelector {
            node_selector_terms: vec![term],
        })
    }
}

/// A device of a pool.
#[derive(Clone, Copy, Debug)]
pub struct PlannedDevice<'a> {
    pool: &'a PoolPlan,
    index: usize,
}

impl PlannedDevice<'_> {
    /// Position in the pool, from 0; containers see it as `GPU_DEVICE_<position>`.
    pub fn position(&self) -> usize {
        self.index
    }

    /// Whether several claims may hold it at once.
    pub fn is_shared(&self) -> bool {
        self.pool.template.devices[self.index]
            .base
            .allow_multiple_allocations
            == Some(true)
    }

    /// The device as it is published.
    pub fn publish(&self) -> Device {
        self.pool.template.devices[self.index].render(self.pool.place())
    }
}
