//! The counters that the devices of a pool share (KEP-4815).

use drakit_api::Quantity;

use super::state::Search;
use crate::in_use::PoolUse;
use crate::inventory::{Place, Pool};

/// What is left of the counters of one pool.
#[derive(Debug)]
pub(super) struct PoolCounters {
    available: Vec<Quantity>,
    /// Whether devices in use consume more than there is. Then nothing that needs
    /// a counter of this pool can be had.
    exhausted: bool,
}

impl PoolCounters {
    /// The counters without what devices in use consume. Only those devices are
    /// looked at.
    fn new(pool: &Pool, used: Option<&PoolUse>) -> Self {
        let generation = &pool.generation;
        let mut available = generation.counters.clone();
        let names = used.into_iter().flat_map(PoolUse::names);
        for (member, device) in names.flat_map(|name| generation.find(name)) {
            for consumption in generation.consumption(*member, *device) {
                for (counter, amount) in &consumption.counters {
                    available[*counter] -= amount;
                }
            }
        }
        Self {
            exhausted: available.iter().any(|counter| counter.signum() < 0),
            available,
        }
    }
}

impl Search<'_> {
    /// Consumes what the device needs, if there is enough.
    pub(super) fn consume_counters(&mut self, place: Place) -> bool {
        let counters = self.counters[place.pool].get_or_insert_with(|| {
            PoolCounters::new(&self.pools.pools[place.pool], self.used[place.pool])
        });
        if counters.exhausted {
            return false;
        }
        let consumption = self.pools.device(place).consumption();
        let amounts = || consumption.iter().flat_map(|each| &each.counters);
        for (counter, amount) in amounts() {
            counters.available[*counter] -= amount;
        }
        let enough = amounts().all(|(counter, _)| counters.available[*counter].signum() >= 0);
        if !enough {
            self.release_counters(place);
        }
        enough
    }

    /// Undoes [`consume_counters`](Self::consume_counters).
    pub(super) fn release_counters(&mut self, place: Place) {
        let Some(counters) = &mut self.counters[place.pool] else {
            return;
        };
        let consumption = self.pools.device(place).consumption();
        for (counter, amount) in consumption.iter().flat_map(|each| &each.counters) {
            counters.available[*counter] += amount;
        }
    }
}
