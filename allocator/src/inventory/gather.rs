//! The pools that one node can use, in the order in which devices are tried.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::resource::v1::{Device, DeviceTaint};

use super::generation::{Consumption, Generation};
use super::index::Inventory;
use super::slice::{PublishedDevice, Slice};
use crate::device_id::{DeviceId, PoolId};
use crate::error::AllocateError;
use crate::features::{Channel, Features};
use crate::taint_rules::PoolTaintRules;

/// The pools of a node. Devices are numbered through: those of the first pool
/// come first.
#[derive(Debug)]
pub(crate) struct NodePools {
    pub(crate) pools: Vec<Pool>,
    device_count: usize,
}

/// A pool as one node sees it.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) id: PoolId,
    pub(crate) state: PoolState,
    pub(crate) generation: Arc<Generation>,
    pub(crate) taint_rules: PoolTaintRules,
    /// The slices of the generation that offer devices to the node, with the
    /// number of devices in the pool before each.
    offered: Vec<(u32, usize)>,
    pub(crate) device_count: usize,
    /// The number of devices in all pools before this one.
    first: usize,
}

/// Whether devices may be allocated from a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PoolState {
    Usable,
    /// Slices are missing: the driver is publishing right now.
    Incomplete,
    /// The slices contradict each other.
    Invalid,
}

/// A device that the node could use: a pool, and a number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) pool: usize,
    pub(crate) device: usize,
}

impl NodePools {
    /// `GatherPools` of `structured/internal/*/pools_*.go`.
    pub(crate) fn gather(
        inventory: &Inventory,
        node: &Node,
        features: Features,
    ) -> Result<Self, AllocateError> {
        let mut relevant: BTreeMap<&PoolId, Vec<&Arc<Slice>>> = BTreeMap::new();
        for slice in relevant_slices(inventory, node, features)? {
            let slices = relevant.entry(&slice.pool).or_default();
            match slices.first().map(|first| first.generation()) {
                Some(generation) if slice.generation() < generation => continue,
                Some(generation) if slice.generation() > generation => slices.clear(),
                _ => {}
            }
            slices.push(slice);
        }

        let (mut pools, bound): (Vec<_>, Vec<_>) = relevant
            .into_iter()
            .filter_map(|(id, slices)| Pool::resolve(inventory, id, &slices, features))
            .partition(|pool| !pool.has_binding_conditions());
        // Pools that need work before binding are the last resort.
        pools.extend(bound);

        let mut device_count = 0;
        for pool in &mut pools {
            pool.first = device_count;
            pool.taint_rules = inventory.taint_rules().for_pool(&pool.id);
            device_count += pool.device_count;
        }
        Ok(Self {
            pools,
            device_count,
        })
    }

    /// How many devices there are in all pools.
    pub(crate) fn device_count(&self) -> usize {
        self.device_count
    }

    /// The number of a device among those of all pools.
    pub(crate) fn number(&self, place: Place) -> usize {
        self.pools[place.pool].first + place.device
    }

    pub(crate) fn device(&self, place: Place) -> OfferedDevice<'_> {
        self.pools[place.pool].device(place.device)
    }
}

/// The slices with something for the node, in the order of the Go code.
fn relevant_slices<'a>(
    inventory: &'a Inventory,
    node: &Node,
    features: Features,
) -> Result<Vec<&'a Arc<Slice>>, AllocateError> {
    let name = node.metadata.name.as_deref().unwrap_or_default();
    // The stable allocator takes all slices in one order, and counters from slices
    // of other nodes, too.
    let is_stable = features.channel() == Channel::Stable;
    let all_counters = is_stable && features.partitionable_devices;
    let mut slices: Vec<&Arc<Slice>> = Vec::new();
    for slice in inventory.candidates(name) {
        if slice.needs_partitionable() && !features.partitionable_devices
            || slice.uses_compatibility_groups && !features.compatibility_groups
            || slice.has_shared_counters() && all_counters
        {
            continue;
        }
        let relevant = slice
            .is_for(node)
            .map_err(|(place, error)| AllocateError::NodeSelection { place, error })?;
        if relevant {
            slices.push(slice);
        }
    }
    if all_counters {
        slices.extend(
            inventory
                .with_counters()
                .filter(|slice| !slice.uses_compatibility_groups),
        );
    }
    if is_stable {
        slices.sort_by(|left, right| left.name.cmp(&right.name));
    }
    Ok(slices)
}

impl Pool {
    /// The pool, given its slices that are for the node. `None` if the driver has
    /// replaced them by slices that are not.
    fn resolve(
        inventory: &Inventory,
        id: &PoolId,
        relevant: &[&Arc<Slice>],
        features: Features,
    ) -> Option<Self> {
        let partitionable = features.partitionable_devices;
        let first = relevant.first()?;
        let all = inventory.pool(id)?;
        let (newest, newest_count) = all.newest()?;
        let expected = usize::try_from(first.slice_count()).ok();
        let is_complete = expected == Some(relevant.len());

        if first.generation() == newest && relevant.len() == newest_count {
            if !is_complete {
                return Some(Self::incomplete(id));
            }
            let generation = all.newest_generation(partitionable);
            return Some(Self::whole(id, generation));
        }
        if is_complete {
            let slices = relevant.iter().map(|slice| Arc::clone(slice)).collect();
            let generation = Arc::new(Generation::new(slices, partitionable));
            return Some(Self::whole(id, generation));
        }
        if first.generation() < newest {
            return None;
        }

        let visible: Vec<_> = all
            .of_generation(newest)
            .filter(|slice| features.compatibility_groups || !slice.uses_compatibility_groups)
            .collect();
        if expected != Some(visible.len()) {
            return Some(Self::incomplete(id));
        }
        let generation = if visible.len() == newest_count {
            all.newest_generation(partitionable)
        } else {
            let slices = visible.into_iter().cloned().collect();
            Arc::new(Generation::new(slices, partitionable))
        };
        let mut names: Vec<&str> = relevant.iter().map(|slice| slice.name.as_str()).collect();
        names.sort_unstable();
        let offered = (0..)
            .zip(&generation.slices)
            .filter(|(_, member)| names.binary_search(&member.slice.name.as_str()).is_ok())
            .map(|(position, _)| position)
            .collect();
        Some(Self::new(id, generation, offered))
    }

    fn whole(id: &PoolId, generation: Arc<Generation>) -> Self {
        let offered = (0..).zip(&generation.slices).map(|(at, _)| at).collect();
        Self::new(id, generation, offered)
    }

    fn incomplete(id: &PoolId) -> Self {
        Self {
            state: PoolState::Incomplete,
            ..Self::new(id, Arc::new(Generation::new(Vec::new(), false)), Vec::new())
        }
    }

    fn new(id: &PoolId, generation: Arc<Generation>, members: Vec<u32>) -> Self {
        let is_invalid =
            generation.counter_error.is_some() || generation.duplicate_name(&members).is_some();
        let mut device_count = 0;
        let mut offered = Vec::new();
        if !is_invalid {
            for member in members {
                offered.push((member, device_count));
                device_count += generation.member(member).slice.devices.len();
            }
        }
        Self {
            id: id.clone(),
            state: if is_invalid {
                PoolState::Invalid
            } else {
                PoolState::Usable
            },
            generation,
            taint_rules: PoolTaintRules::default(),
            offered,
            device_count,
            first: 0,
        }
    }

    fn has_binding_conditions(&self) -> bool {
        let mut offered = self.offered.iter();
        offered.any(|(member, _)| self.generation.member(*member).slice.has_binding_conditions)
    }

    fn device(&self, number: usize) -> OfferedDevice<'_> {
        let after = self
            .offered
            .partition_point(|(_, before)| *before <= number);
        let (member, before) = self.offered[after - 1];
        OfferedDevice {
            pool: self,
            member,
            index: number - before,
        }
    }

    /// Members of the generation: those with devices for the node, then the others.
    pub(crate) fn members(&self) -> impl Iterator<Item = u32> {
        let offers = |member: &u32| {
            let position = self
                .offered
                .binary_search_by_key(member, |(offered, _)| *offered);
            position.is_ok()
        };
        let others = (0..).zip(&self.generation.slices).map(|(at, _)| at);
        self.offered
            .iter()
            .map(|(member, _)| *member)
            .chain(others.filter(move |member| !offers(member)))
    }
}

/// One device of a pool, with its slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfferedDevice<'a> {
    pool: &'a Pool,
    member: u32,
    index: usize,
}

impl<'a> OfferedDevice<'a> {
    pub(crate) fn slice(self) -> &'a Slice {
        &self.pool.generation.member(self.member).slice
    }

    pub(crate) fn published(self) -> &'a PublishedDevice {
        &self.slice().devices[self.index]
    }

    /// The API object; prepared and published devices are at the same positions.
    pub(crate) fn object(self) -> Option<&'a Device> {
        self.slice().device(self.index)
    }

    pub(crate) fn index(self) -> usize {
        self.index
    }

    /// The taints of the device: its own, then those of rules.
    pub(crate) fn taints(self) -> impl Iterator<Item = &'a DeviceTaint> {
        let own = self.object().and_then(|object| object.taints.as_ref());
        let name = &self.published().name;
        let from_rules = self.pool.taint_rules.of_device(name);
        own.into_iter().flatten().chain(from_rules)
    }

    pub(crate) fn id(self) -> DeviceId {
        DeviceId {
            pool: self.pool.id.clone(),
            device: Arc::clone(&self.published().name),
        }
    }

    /// What the device takes of its pool's counters.
    pub(crate) fn consumption(self) -> &'a [Consumption] {
        let members = &self.pool.generation.slices[self.member as usize].consumption;
        members.get(self.index).map_or(&[], Vec::as_slice)
    }
}
