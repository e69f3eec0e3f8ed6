//! Compatibility groups: devices that draw from one counter set must have a group
//! in common (`structured/internal/experimental/compatibility_groups.go`).

use std::collections::BTreeSet;

use super::state::Search;
use crate::in_use::PoolUse;
use crate::inventory::{Place, Pool};

/// The devices on each counter set of a pool, as far as groups are concerned.
#[derive(Debug)]
pub(super) struct PoolGroups(Vec<SetGroups>);

/// What the devices on one counter set have in common. A device without groups
/// goes only with others without groups.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SetGroups {
    /// No device yet: any may come.
    Free,
    /// Only devices without groups.
    Ungrouped,
    /// Devices with these groups in common.
    Common(BTreeSet<String>),
}

/// The state of counter sets before a device joined.
#[derive(Debug)]
pub(super) struct Restore(Vec<(usize, SetGroups)>);

impl SetGroups {
    fn admits(&self, groups: &[String]) -> bool {
        match self {
            Self::Free => true,
            Self::Ungrouped => groups.is_empty(),
            Self::Common(common) => groups.iter().any(|group| common.contains(group)),
        }
    }

    /// Devices in use may contradict each other, if their slice changed meanwhile.
    fn add(&mut self, groups: &[String]) {
        match self {
            Self::Free if groups.is_empty() => *self = Self::Ungrouped,
            Self::Free => *self = Self::Common(groups.iter().cloned().collect()),
            Self::Ungrouped => {}
            Self::Common(_) if groups.is_empty() => {}
            Self::Common(common) => common.retain(|group| groups.contains(group)),
        }
    }
}

impl PoolGroups {
    fn new(pool: &Pool, used: Option<&PoolUse>) -> Self {
        let mut sets = vec![SetGroups::Free; pool.generation.sets.len()];
        let Some(used) = used else {
            return Self(sets);
        };
        for member in pool.members() {
            let slice = &pool.generation.member(member).slice;
            for (index, device) in (0..).zip(&slice.devices) {
                if used.device(&device.name).is_none() {
                    continue;
                }
                let consumption = pool.generation.consumption(member, index);
                for (consumed, usage) in consumption.iter().zip(&device.consumes) {
                    sets[consumed.set].add(&usage.groups);
                }
            }
        }
        Self(sets)
    }
}

impl Search<'_> {
    /// Lets the device join the others on its counter sets, if they get along.
    pub(super) fn join_groups(&mut self, place: Place) -> Option<Restore> {
        let groups = self.groups[place.pool].get_or_insert_with(|| {
            PoolGroups::new(&self.pools.pools[place.pool], self.used[place.pool])
        });
        let device = self.pools.device(place);
        let mut before = Vec::new();
        for (consumed, usage) in device
            .consumption()
            .iter()
            .zip(&device.published().consumes)
        {
            let set = &mut groups.0[consumed.set];
            if !set.admits(&usage.groups) {
                self.leave_groups(place, Restore(before));
                return None;
            }
            before.push((consumed.set, set.clone()));
            set.add(&usage.groups);
        }
        Some(Restore(before))
    }

    /// Undoes [`join_groups`](Self::join_groups).
    pub(super) fn leave_groups(&mut self, place: Place, restore: Restore) {
        let Some(groups) = &mut self.groups[place.pool] else {
            return;
        };
        for (set, before) in restore.0.into_iter().rev() {
            groups.0[set] = before;
        }
    }
}
