//! What is taken at one moment of the search.

use std::collections::{BTreeMap, HashMap};

use drakit_api::Quantity;

use super::counters::PoolCounters;
use super::groups::PoolGroups;
use crate::capacity::Taken;
use crate::derived::DerivedAttributes;
use crate::error::AllocateError;
use crate::in_use::{DeviceUse, PoolUse};
use crate::input::Input;
use crate::inventory::{NodePools, Place};
use crate::plan::ClaimPlan;

/// A running search.
pub(crate) struct Search<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) pools: &'a NodePools,
    pub(super) claims: Vec<ClaimPlan<'a>>,
    /// For each pool, what earlier claims hold of it.
    pub(super) used: Vec<Option<&'a PoolUse>>,
    /// For each device by number, the claims of this search that hold it whole.
    pub(super) holders: HashMap<usize, Vec<usize>>,
    /// For each device by number, the shares that this search took.
    pub(super) shares: HashMap<usize, Shares>,
    /// For each pool, its counters; `None` until a device needs them.
    pub(super) counters: Vec<Option<PoolCounters>>,
    /// For each pool, its compatibility groups; `None` until a device needs them.
    pub(super) groups: Vec<Option<PoolGroups>>,
    pub(super) derived: DerivedAttributes,
    /// For each claim, the devices chosen for it, in order.
    pub(super) chosen: Vec<Vec<Chosen>>,
    /// How often a device, request or claim came up; a measure of the work.
    pub(super) steps: u64,
}

/// The shares of one device that a search took.
#[derive(Debug, Default)]
pub(super) struct Shares {
    pub(super) count: usize,
    pub(super) consumed: Taken,
}

/// A device that was chosen for a request.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) place: Place,
    pub(crate) request: usize,
    pub(crate) alternative: usize,
    /// What the share consumes; `None` if the device is taken whole.
    pub(crate) share: Option<BTreeMap<String, Quantity>>,
}

/// Why a branch of the search ends.
#[derive(Debug)]
pub(super) enum Stop {
    /// More devices than a claim can hold. Smaller alternatives may still work.
    TooManyDevices,
    /// The input is wrong, or the caller wants to stop.
    Error(AllocateError),
}

impl From<AllocateError> for Stop {
    fn from(error: AllocateError) -> Self {
        Self::Error(error)
    }
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        input: &'a Input<'a>,
        pools: &'a NodePools,
        claims: Vec<ClaimPlan<'a>>,
    ) -> Self {
        let count = pools.pools.len();
        Self {
            input,
            pools,
            chosen: claims.iter().map(|_| Vec::new()).collect(),
            claims,
            used: pools
                .pools
                .iter()
                .map(|pool| input.in_use.pool(&pool.id))
                .collect(),
            holders: HashMap::new(),
            shares: HashMap::new(),
            counters: (0..count).map(|_| None).collect(),
            groups: (0..count).map(|_| None).collect(),
            derived: DerivedAttributes::default(),
            steps: 0,
        }
    }

    /// Looks for devices for all claims.
    pub(crate) fn run(&mut self) -> Result<bool, AllocateError> {
        self.claims_from(0).map_err(|stop| match stop {
            Stop::TooManyDevices => AllocateError::TooManyDevices,
            Stop::Error(error) => error,
        })
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// The claims with the alternatives and the devices of the solution.
    pub(crate) fn into_solution(self) -> Vec<(ClaimPlan<'a>, Vec<Chosen>)> {
        self.claims.into_iter().zip(self.chosen).collect()
    }

    /// How earlier claims use the device.
    pub(super) fn device_use(&self, place: Place) -> Option<&'a DeviceUse> {
        self.used[place.pool]?.device(&self.pools.device(place).published().name)
    }

    /// Whether nobody else may take the device now.
    pub(super) fn is_in_use(&self, place: Place) -> bool {
        self.device_use(place)
            .is_some_and(|used| used.is_exclusive(self.input.features))
            || self
                .holders
                .get(&self.pools.number(place))
                .is_some_and(|holders| !holders.is_empty())
    }

    /// Whether the claim itself took the device already.
    pub(super) fn is_held_by(&self, place: Place, claim: usize) -> bool {
        self.holders
            .get(&self.pools.number(place))
            .is_some_and(|holders| holders.contains(&claim))
    }
}
