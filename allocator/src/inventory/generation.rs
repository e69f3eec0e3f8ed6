//! The slices of a pool that belong together, and what must hold among them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use drakit_api::Quantity;

use super::slice::Slice;

/// Slices of one pool and one generation, checked once.
#[derive(Debug)]
pub(crate) struct Generation {
    /// The slices with devices, by name.
    pub(crate) slices: Vec<MemberSlice>,
    /// What the counters of the pool hold while no device is in use.
    pub(crate) counters: Vec<Quantity>,
    /// The names of the counter sets, in the order that [`Consumption`] counts.
    pub(crate) sets: Vec<String>,
    /// What is wrong with the counters, if anything.
    pub(crate) counter_error: Option<String>,
    names_unique: bool,
    by_name: OnceLock<PlacesByName>,
}

/// Members and device positions, by device name.
type PlacesByName = HashMap<Arc<str>, Vec<(u32, u32)>>;

/// A slice as a member of its pool.
#[derive(Debug)]
pub(crate) struct MemberSlice {
    pub(crate) slice: Arc<Slice>,
    /// For each device, what it takes of the pool's counters.
    pub(crate) consumption: Vec<Vec<Consumption>>,
}

/// What a device takes of one counter set of its pool.
#[derive(Debug)]
pub(crate) struct Consumption {
    /// Position in [`Generation::sets`].
    pub(crate) set: usize,
    /// Positions in [`Generation::counters`] and amounts.
    pub(crate) counters: Vec<(usize, Quantity)>,
}

/// Where the counters of a pool are, by set and name.
type CounterIndex<'a> = HashMap<&'a str, (usize, HashMap<&'a str, usize>)>;

impl Generation {
    /// The slices must be of one pool and generation. Without `partitionable`,
    /// counters are ignored.
    pub(crate) fn new(mut slices: Vec<Arc<Slice>>, partitionable: bool) -> Self {
        slices.sort_by(|left, right| left.name.cmp(&right.name));
        let (with_counters, with_devices): (Vec<_>, Vec<_>) = slices
            .into_iter()
            .partition(|slice| partitionable && slice.has_shared_counters());

        let mut generation = Self {
            slices: Vec::with_capacity(with_devices.len()),
            counters: Vec::new(),
            sets: Vec::new(),
            counter_error: None,
            names_unique: duplicate_name(with_devices.iter().map(AsRef::as_ref)).is_none(),
            by_name: OnceLock::new(),
        };
        let index = generation.add_counters(&with_counters);
        for slice in with_devices {
            let mut consumption = Vec::new();
            if partitionable && generation.counter_error.is_none() {
                match consumption_of(&slice, &index) {
                    Ok(resolved) => consumption = resolved,
                    Err(error) => generation.counter_error = Some(error),
                }
            }
            generation.slices.push(MemberSlice { slice, consumption });
        }
        generation
    }

    fn add_counters<'a>(&mut self, slices: &'a [Arc<Slice>]) -> CounterIndex<'a> {
        let mut index = CounterIndex::new();
        for set in slices.iter().flat_map(|slice| &slice.shared_counters) {
            if index.contains_key(set.name.as_str()) {
                self.counter_error = Some(format!("duplicate counter set name {}", set.name));
                return index;
            }
            let mut positions = HashMap::with_capacity(set.counters.len());
            for (name, value) in &set.counters {
                positions.insert(name.as_str(), self.counters.len());
                self.counters.push(value.clone());
            }
            index.insert(&set.name, (self.sets.len(), positions));
            self.sets.push(set.name.clone());
        }
        index
    }

    /// A device name that occurs twice in these slices.
    pub(crate) fn duplicate_name(&self, members: &[u32]) -> Option<Arc<str>> {
        if self.names_unique {
            return None;
        }
        duplicate_name(
            members
                .iter()
                .map(|member| self.member(*member).slice.as_ref()),
        )
    }

    /// The slice at this position.
    pub(crate) fn member(&self, position: u32) -> &MemberSlice {
        &self.slices[position as usize]
    }

    /// What the device takes of the counters; nothing if counters are ignored.
    pub(crate) fn consumption(&self, member: u32, device: u32) -> &[Consumption] {
        self.member(member)
            .consumption
            .get(device as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// Where devices of this name are: slice and device.
    pub(crate) fn find(&self, name: &str) -> &[(u32, u32)] {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name = PlacesByName::new();
            for (member, slice) in (0..).zip(&self.slices) {
                for (device, published) in (0..).zip(&slice.slice.devices) {
                    let places = by_name.entry(Arc::clone(&published.name)).or_default();
                    places.push((member, device));
                }
            }
            by_name
        });
        by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

fn duplicate_name<'a>(slices: impl Iterator<Item = &'a Slice>) -> Option<Arc<str>> {
    let mut names = HashSet::new();
    slices
        .flat_map(|slice| &slice.devices)
        .find(|device| !names.insert(&*device.name))
        .map(|device| Arc::clone(&device.name))
}

fn consumption_of(
    slice: &Slice,
    index: &CounterIndex<'_>,
) -> Result<Vec<Vec<Consumption>>, String> {
    slice
        .devices
        .iter()
        .map(|device| {
            let uses = device.consumes.iter().map(|usage| {
                let (set, positions) = index
                    .get(usage.set.as_str())
                    .ok_or_else(|| format!("counter set {} not found", usage.set))?;
                let counters = usage
                    .counters
                    .iter()
                    .map(|(name, amount)| {
                        let position = positions.get(name.as_str()).ok_or_else(|| {
                            format!("counter {name} not found in counter set {}", usage.set)
                        })?;
                        Ok((*position, amount.clone()))
                    })
                    .collect::<Result<_, String>>()?;
                Ok(Consumption {
                    set: *set,
                    counters,
                })
            });
            uses.collect()
        })
        .collect()
}
