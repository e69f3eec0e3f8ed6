//! All slices of the cluster, by name, node and pool.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use k8s_openapi::api::resource::v1::{DeviceTaintRule, ResourceSlice};

use super::generation::Generation;
use super::slice::{Placement, Slice};
use crate::device_id::PoolId;
use crate::node_rule::NodeRule;
use crate::taint_rules::TaintRules;

/// All published slices. Applying or removing one costs nothing for the others.
///
/// Devices are parsed when their slice is applied, pools are checked when a node
/// first asks for them.
#[derive(Debug, Default)]
pub struct Inventory {
    slices: SlicesByName,
    /// Slices for one node as a whole.
    by_node: HashMap<String, SlicesByName>,
    /// Slices whose devices each name one node, under each of these nodes.
    by_device_node: HashMap<String, SlicesByName>,
    /// All other slices; every node has to look at them.
    shared: SlicesByName,
    /// Slices with shared counters, whatever their node.
    with_counters: SlicesByName,
    pools: HashMap<PoolId, PoolSlices>,
    taint_rules: TaintRules,
}

type SlicesByName = BTreeMap<String, Arc<Slice>>;

/// The slices of one pool, of all generations.
#[derive(Debug, Default)]
pub(crate) struct PoolSlices {
    slices: SlicesByName,
    /// How many slices there are of each generation.
    generations: BTreeMap<i64, usize>,
    /// The newest generation, without and with partitionable devices.
    newest: [OnceLock<Arc<Generation>>; 2],
}

/// Why a slice cannot be used. An API server stores no such slice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// `metadata.name` is missing.
    #[error("resource slice of pool {pool} has no metadata.name; name it")]
    NoName {
        /// The pool that it is for.
        pool: PoolId,
    },
    /// A quantity does not parse.
    #[error(
        "resource slice {slice}: spec.{field} is not a quantity: {value:?}; use a number with an optional suffix such as Gi"
    )]
    Quantity {
        /// Name of the slice.
        slice: String,
        /// The field below `spec`.
        field: String,
        /// The quantity as given.
        value: String,
    },
}

impl Inventory {
    /// No slices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a slice, or replaces the one of the same name.
    ///
    /// After an error there is no slice of this name: the devices that it had
    /// before are not offered either, and its pool is incomplete.
    pub fn apply(&mut self, slice: Arc<ResourceSlice>) -> Result<(), SliceError> {
        let Some(name) = slice.metadata.name.clone().filter(|name| !name.is_empty()) else {
            return Err(SliceError::NoName {
                pool: PoolId::new(&slice.spec.driver, &slice.spec.pool.name),
            });
        };
        self.remove(&name);
        let slice = Arc::new(Slice::new(slice).map_err(|error| SliceError::Quantity {
            slice: name.clone(),
            field: error.field,
            value: error.value,
        })?);
        self.edit_indexes(&slice, |slices| {
            slices.insert(name.clone(), Arc::clone(&slice));
        });
        self.pools
            .entry(slice.pool.clone())
            .or_default()
            .insert(Arc::clone(&slice));
        self.slices.insert(name, slice);
        Ok(())
    }

    /// Takes the slice of this name out; nothing if there is none.
    pub fn remove(&mut self, name: &str) {
        let Some(slice) = self.slices.remove(name) else {
            return;
        };
        self.edit_indexes(&slice, |slices| {
            slices.remove(name);
        });
        if let Some(pool) = self.pools.get_mut(&slice.pool) {
            pool.remove(&slice);
            if pool.slices.is_empty() {
                self.pools.remove(&slice.pool);
            }
        }
    }

    /// Adds a taint rule, or replaces the one of the same name. With the
    /// `DRADeviceTaints` feature, its taint counts as one of the devices it selects.
    ///
    /// An empty device selector selects all devices, an absent one none.
    pub fn apply_taint_rule(&mut self, rule: Arc<DeviceTaintRule>) {
        self.taint_rules.apply(rule);
    }

    /// Takes the taint rule of this name out; nothing if there is none.
    pub fn remove_taint_rule(&mut self, name: &str) {
        self.taint_rules.remove(name);
    }

    pub(crate) fn taint_rules(&self) -> &TaintRules {
        &self.taint_rules
    }

    /// How many slices there are.
    pub fn len(&self) -> usize {
        self.slices.len()
    }

    /// Whether there are no slices.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty()
    }

    /// The slices, by name.
    pub fn slices(&self) -> impl Iterator<Item = &Arc<ResourceSlice>> {
        self.slices.values().map(|slice| &slice.source)
    }

    /// The slices that may be for the node, in the order in which the Go code
    /// sees them: those of the node, then shared ones, each sorted by name.
    pub(crate) fn candidates(&self, node: &str) -> impl Iterator<Item = &Arc<Slice>> {
        let own = self
            .by_node
            .get(node)
            .into_iter()
            .flat_map(BTreeMap::values);
        let mut named = self
            .by_device_node
            .get(node)
            .into_iter()
            .flat_map(BTreeMap::values)
            .peekable();
        let mut shared = self.shared.values().peekable();
        let merged = std::iter::from_fn(move || match (named.peek(), shared.peek()) {
            (Some(left), Some(right)) if left.name < right.name => named.next(),
            (Some(_), None) => named.next(),
            _ => shared.next(),
        });
        own.chain(merged)
    }

    pub(crate) fn with_counters(&self) -> impl Iterator<Item = &Arc<Slice>> {
        self.with_counters.values()
    }

    pub(crate) fn pool(&self, id: &PoolId) -> Option<&PoolSlices> {
        self.pools.get(id)
    }

    /// Calls `edit` on every node index that the slice belongs to.
    fn edit_indexes(&mut self, slice: &Slice, edit: impl Fn(&mut SlicesByName)) {
        if let Some(node) = slice.node_name() {
            edit_entry(&mut self.by_node, node, &edit);
        } else if let Some(nodes) = device_nodes(slice) {
            for node in nodes {
                edit_entry(&mut self.by_device_node, node, &edit);
            }
        } else {
            edit(&mut self.shared);
        }
        if slice.has_shared_counters() {
            edit(&mut self.with_counters);
        }
    }
}

impl PoolSlices {
    /// The newest generation that any slice has, and how many slices have it.
    pub(crate) fn newest(&self) -> Option<(i64, usize)> {
        let (generation, count) = self.generations.last_key_value()?;
        Some((*generation, *count))
    }

    /// The slices of a generation, by name.
    pub(crate) fn of_generation(&self, generation: i64) -> impl Iterator<Item = &Arc<Slice>> {
        self.slices
            .values()
            .filter(move |slice| slice.generation() == generation)
    }

    /// The newest generation as a whole, checked when first asked for.
    pub(crate) fn newest_generation(&self, partitionable: bool) -> Arc<Generation> {
        let cached = &self.newest[usize::from(partitionable)];
        Arc::clone(cached.get_or_init(|| {
            let newest = self.newest().map_or(0, |(generation, _)| generation);
            let slices = self.of_generation(newest).cloned().collect();
            Arc::new(Generation::new(slices, partitionable))
        }))
    }

    fn insert(&mut self, slice: Arc<Slice>) {
        *self.generations.entry(slice.generation()).or_default() += 1;
        self.slices.insert(slice.name.clone(), slice);
        self.newest = Default::default();
    }

    fn remove(&mut self, slice: &Slice) {
        if self.slices.remove(&slice.name).is_some()
            && let Some(count) = self.generations.get_mut(&slice.generation())
        {
            *count -= 1;
            if *count == 0 {
                self.generations.remove(&slice.generation());
            }
        }
        self.newest = Default::default();
    }
}

fn edit_entry(
    index: &mut HashMap<String, SlicesByName>,
    key: &str,
    edit: &impl Fn(&mut SlicesByName),
) {
    let slices = index.entry(key.to_owned()).or_default();
    edit(slices);
    if slices.is_empty() {
        index.remove(key);
    }
}

/// The nodes of a slice whose devices all name one; sorted, each once.
fn device_nodes(slice: &Slice) -> Option<Vec<&str>> {
    if !matches!(slice.placement, Placement::PerDevice) || slice.devices.is_empty() {
        return None;
    }
    let mut nodes = slice
        .devices
        .iter()
        .map(|device| match &device.nodes {
            NodeRule::Name(name) => Some(name.as_str()),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()?;
    nodes.sort_unstable();
    nodes.dedup();
    Some(nodes)
}
