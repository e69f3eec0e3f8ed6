//! The fleet file: what exists, written by a person or taken from the catalogue.
//!
//! ```yaml
//! apiVersion: drakit/v1alpha1
//! kind: Fleet
//! metadata: {name: lab}
//! seed: 7                          # all uuids follow from it; 0 when absent
//! nodes:
//! - {name: "gpu-{index}", count: 2, profile: dgx-h100}
//! - name: edge
//!   labels: {zone: lab}            # {index} works here too
//!   drivers:
//!   - name: gpu.example.com
//!     kind: gpu                    # gpu, nic, rdma, device; guessed from the name when absent
//!     devices:
//!     - name: "gpu-{index}"
//!       count: 4
//!       attributes: {model: {string: A100}, numa: {int: 0}}
//!       capacity: {memory: 80Gi}
//!     - name: "gpu-{bus}"
//!       each:                      # one device per row; columns are placeholders
//!       - {bus: 1b, root: 15}
//!       - {bus: 43, root: 3d}
//!       attributes:
//!         uuid: {string: "GPU-{uuid}"}
//!         resource.kubernetes.io/pcieRoot: {string: "pci0000:{root}"}
//! pools:                           # not bound to one node
//! - {driver: rdma.example.com, name: rack-1, profile: network-rdma}
//! - driver: rdma.example.com
//!   name: rack-2
//!   nodeSelector: {rack: "2"}      # node labels; all nodes when absent (or allNodes: true)
//!   devices: [{name: "rdma-{index}", count: 2, allowMultipleAllocations: true}]
//! deviceClasses:                   # added to those of profiles; each written-out driver gets one of its own name
//! - {name: big-gpu, selectors: ["device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) > 0"]}
//! ```
//!
//! **Devices** take `name`, `count` or `each`, `attributes`, `capacity`, `allowMultipleAllocations`,
//! `consumesCounters: [{counterSet, counters, compatibilityGroups}]`, `taints: [{key, value, effect}]`, `bindsToNode`,
//! `bindingConditions`, `bindingFailureConditions`, `startsSlice` (begin a new slice with the entry).
//! **Attributes** have one of `string`, `int`, `bool`, `version`, or a list: `strings`, `ints`, `bools`, `versions`.
//! **Capacities** are a quantity, or `{value, requestPolicy: {default, validValues, validRange: {min, max, step}}}`.
//! **Drivers** take `name`, `kind`, `devices`, `sharedCounters: [{name, count | each, counters}]`,
//! `partitionTypeAttribute`, `mounts: [{hostPath, containerPath}]`.
//! **Placeholders** in texts of devices: `{index}` (in the entry, from 0), `{node}`, `{nodeIndex}`, `{uuid}`,
//! `{uuid:DEVICE}` (the uuid of another device of the driver), `{mac}`, and the columns of `each`; in numbers,
//! quantities and counters `{index}` and columns only. `{{` and `}}` are braces.
//!
//! Reading is strict: whatever is unknown, of a wrong type, out of a limit of the Kubernetes API or not unique is a
//! [`Problem`] with line, column and path, and all problems are reported at once. What the YAML reader takes as
//! boolean follows Go's reader (`yes`, `on`), so that a fleet reads as a manifest does.

mod attributes;
mod capacity;
mod classes;
mod counters;
mod device;
mod document;
mod driver;
mod groups;
mod pools;
mod problem;
mod slices;
mod table;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::DeviceClass;
use drakit_api::names::{NodeName, PoolName};

pub use problem::{FleetErrors, Problem};

pub(crate) use document::read_profile;
pub(crate) use groups::Profile;
pub(crate) use table::Wrong;

use crate::device::DriverTemplate;
use crate::plan::{NodePlan, Plan, PoolPlan, Reach};
use crate::yaml;

/// `apiVersion` of a fleet file.
pub const API_VERSION: &str = "drakit/v1alpha1";

/// A valid fleet.
#[derive(Clone, Debug)]
pub struct Fleet {
    name: String,
    seed: u64,
    groups: Vec<NodeGroup>,
    pools: Vec<NetworkPool>,
    device_classes: BTreeMap<String, DeviceClass>,
}

/// Nodes with the same drivers.
#[derive(Clone, Debug)]
struct NodeGroup {
    nodes: Vec<GroupNode>,
    drivers: Vec<Arc<DriverTemplate>>,
}

#[derive(Clone, Debug)]
struct GroupNode {
    name: NodeName,
    /// Pool of each driver: named after the node, as all node-local drivers do.
    pool: PoolName,
    labels: BTreeMap<String, String>,
}

/// A pool that is not bound to one node.
#[derive(Clone, Debug)]
struct NetworkPool {
    name: PoolName,
    reach: Reach,
    driver: Arc<DriverTemplate>,
}

impl Fleet {
    /// Reads a fleet file; `file` is only used in error texts.
    ///
    /// # Errors
    /// Every problem of the file at once.
    pub fn parse(file: &str, text: &str) -> Result<Self, FleetErrors> {
        let root = yaml::load(text).map_err(|problems| FleetErrors::new(file, problems))?;
        document::read(&root).map_err(|problems| FleetErrors::new(file, problems))
    }

    /// A fleet of equal nodes with one profile. `nodes` is the name of a node, with `{index}` when `count` is more
    /// than one. A network profile becomes one pool that all nodes reach.
    ///
    /// # Errors
    /// Unknown profile, bad node name or count; the file in the text is `profile NAME`.
    pub fn from_profile(
        profile: &str,
        nodes: &str,
        count: usize,
        seed: u64,
    ) -> Result<Self, FleetErrors> {
        document::from_profile(profile, nodes, count, seed)
            .map_err(|problems| FleetErrors::new(&format!("profile {profile}"), problems))
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The seed of all uuids.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Spells out every node, pool and class.
    pub fn plan(&self) -> Plan {
        let nodes = self.groups.iter().flat_map(|group| {
            group
                .nodes
                .iter()
                .enumerate()
                .map(|(index, GroupNode { name, pool, labels })| {
                    let plan = |driver: &Arc<DriverTemplate>| {
                        let reach = Reach::Node(name.clone(), index);
                        Arc::new(PoolPlan::new(
                            Arc::clone(driver),
                            reach,
                            pool.clone(),
                            self.seed,
                        ))
                    };
                    let drivers = group.drivers.iter().map(plan).collect();
                    NodePlan {
                        name: name.clone(),
                        labels: labels.clone(),
                        drivers,
                    }
                })
        });
        let pool = |pool: &NetworkPool| {
            Arc::new(PoolPlan::new(
                Arc::clone(&pool.driver),
                pool.reach.clone(),
                pool.name.clone(),
                self.seed,
            ))
        };
        Plan {
            nodes: nodes.collect(),
            pools: self.pools.iter().map(pool).collect(),
            device_classes: self.device_classes.values().cloned().collect(),
        }
    }
}
