//! Which request comes next, and which devices are tried for it.

use super::state::{Search, Stop};
use crate::error::{AllocateError, RequestProblem};
use crate::in_use::DeviceUse;
use crate::inventory::{Place, PoolState};
use crate::plan::{Alternative, DeviceAmount, MAX_RESULTS, request_error};

/// One required device: of a claim, of a request, of one of its alternatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) claim: usize,
    pub(super) request: usize,
    pub(super) alternative: usize,
    /// How many devices of the request there are before this one.
    pub(super) device: usize,
}

/// Where to start looking. Within a request, devices are tried in one order only:
/// those before the last one were tried in its place already.
const FIRST: Place = Place { pool: 0, device: 0 };

type Found = Result<bool, Stop>;

impl<'a> Search<'a> {
    pub(super) fn alternative(&self, slot: Slot) -> &Alternative<'a> {
        &self.claims[slot.claim].requests[slot.request].alternatives[slot.alternative]
    }

    /// The end of the search, because something is wrong with the request.
    pub(super) fn problem(&self, slot: Slot, problem: RequestProblem) -> Stop {
        let claim = self.claims[slot.claim].claim;
        Stop::Error(request_error(
            claim,
            self.alternative(slot).view.name,
            problem,
        ))
    }

    /// Counts the work and asks whether to go on.
    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        match (self.input.interrupt)() {
            None => Ok(()),
            Some(interrupt) => Err(AllocateError::Interrupted(interrupt).into()),
        }
    }

    /// Finds devices for this claim and all after it.
    pub(super) fn claims_from(&mut self, claim: usize) -> Found {
        if claim < self.claims.len() {
            self.requests_from(claim, 0)
        } else {
            self.step()?;
            Ok(true)
        }
    }

    /// Finds devices for this request and everything after it.
    fn requests_from(&mut self, claim: usize, request: usize) -> Found {
        self.step()?;
        let Some(plan) = self.claims[claim].requests.get(request) else {
            return match self.claims_from(claim + 1) {
                // Earlier claims may choose differently, so that a smaller
                // alternative of this one works.
                Err(Stop::TooManyDevices) => Ok(false),
                found => found,
            };
        };
        let slot = Slot {
            claim,
            request,
            alternative: 0,
            device: 0,
        };
        if plan.has_subrequests {
            self.any_alternative(slot, plan.alternatives.len())
        } else {
            self.devices(slot, FIRST)
        }
    }

    /// Tries the alternatives in order.
    fn any_alternative(&mut self, slot: Slot, count: usize) -> Found {
        let mut all_too_large = true;
        for alternative in 0..count {
            self.step()?;
            match self.devices(
                Slot {
                    alternative,
                    ..slot
                },
                FIRST,
            ) {
                Err(Stop::TooManyDevices) => {}
                Ok(true) => {
                    self.claims[slot.claim].requests[slot.request].selected = alternative;
                    return Ok(true);
                }
                Ok(false) => all_too_large = false,
                Err(stop) => return Err(stop),
            }
        }
        if all_too_large {
            Err(Stop::TooManyDevices)
        } else {
            Ok(false)
        }
    }

    /// Finds the remaining devices of one alternative, then everything after it.
    fn devices(&mut self, slot: Slot, start: Place) -> Found {
        let amount = &self.alternative(slot).amount;
        let all = match amount {
            DeviceAmount::Exact(_) => None,
            // There must be one at least.
            DeviceAmount::All(places) if places.is_empty() => return Ok(false),
            DeviceAmount::All(places) => Some(places.get(slot.device).copied()),
        };
        let count = amount.count();
        if slot.device >= count {
            return self.requests_from(slot.claim, slot.request + 1);
        }
        if count - slot.device > MAX_RESULTS.saturating_sub(self.chosen[slot.claim].len()) {
            return Err(Stop::TooManyDevices);
        }
        match all {
            Some(Some(place)) => self.exactly(slot, place),
            Some(None) => Ok(false),
            None => self.any_device(slot, start),
        }
    }

    /// Takes this one device, for a request for all devices.
    fn exactly(&mut self, slot: Slot, place: Place) -> Found {
        let Some(undo) = self.take(slot, place, true)? else {
            return Ok(false);
        };
        let found = self.next_device(slot, FIRST);
        if !matches!(found, Ok(true)) {
            self.give_back(slot, place, undo);
        }
        found
    }

    /// Tries the devices from `start` on.
    fn any_device(&mut self, slot: Slot, start: Place) -> Found {
        for pool in start.pool..self.pools.pools.len() {
            if self.pools.pools[pool].state != PoolState::Usable {
                continue;
            }
            let first = if pool == start.pool { start.device } else { 0 };
            for device in first..self.pools.pools[pool].device_count {
                let place = Place { pool, device };
                if !self.is_candidate(slot, place)? {
                    continue;
                }
                let Some(undo) = self.take(slot, place, false)? else {
                    continue;
                };
                let next = Place {
                    pool,
                    device: device + 1,
                };
                let found = self.next_device(slot, next);
                if matches!(found, Ok(true)) {
                    return found;
                }
                self.give_back(slot, place, undo);
                found?;
            }
        }
        Ok(false)
    }

    fn next_device(&mut self, slot: Slot, start: Place) -> Found {
        self.step()?;
        let device = slot.device + 1;
        self.devices(Slot { device, ..slot }, start)
    }

    /// Whether the device is worth taking: free, selected, with enough capacity.
    fn is_candidate(&mut self, slot: Slot, place: Place) -> Found {
        let admin = self.alternative(slot).view.wants_admin_access();
        let blocked = if admin {
            self.is_held_by(place, slot.claim)
        } else {
            self.is_in_use(place)
        };
        if blocked {
            return Ok(false);
        }
        let (input, pools) = (self.input, self.pools);
        let requests = &mut self.claims[slot.claim].requests[slot.request];
        let selection = &mut requests.alternatives[slot.alternative].selection;
        if !selection.selects(input, pools, place)? {
            return Ok(false);
        }
        self.has_capacity(slot, place)
    }

    /// Whether the device has the capacity left that the request consumes.
    pub(super) fn has_capacity(&self, slot: Slot, place: Place) -> Found {
        let features = self.input.features;
        if !features.consumable_capacity {
            return Ok(true);
        }
        let used = self.device_use(place).map(DeviceUse::consumed);
        let taken = self.shares.get(&self.pools.number(place));
        let taken = taken.map(|shares| &shares.consumed);
        let alternative = self.alternative(slot);
        let device = self.pools.device(place);
        crate::capacity::fits(
            &alternative.capacity,
            device.published(),
            &used.into_iter().chain(taken),
            features.fractional_capacity_range,
        )
        .map_err(|error| {
            let device = device.id().to_string();
            self.problem(slot, RequestProblem::Capacity { device, error })
        })
    }
}
