//! Taking one device, and giving it back when the search goes another way.

use super::groups::Restore;
use super::state::{Chosen, Search, Shares, Stop};
use super::walk::Slot;
use crate::capacity;
use crate::error::RequestProblem;
use crate::features::Channel;
use crate::inventory::Place;
use crate::taints;

/// The node feature that a node declares when its kubelet can skip operations.
const OPTIONAL_NODE_OPERATIONS: &str = "DRAOptionalNodeOperations";

/// What [`Search::take`] changed.
#[derive(Debug, Default)]
pub(super) struct Undo {
    groups: Option<Restore>,
    counters: bool,
    constraints: usize,
    held: bool,
    shared: bool,
}

impl Search<'_> {
    /// Takes a device that is selected, if it can be had and no constraint is
    /// violated. With `must`, a violated constraint is an error: the request wants
    /// exactly this device.
    pub(super) fn take(
        &mut self,
        slot: Slot,
        place: Place,
        must: bool,
    ) -> Result<Option<Undo>, Stop> {
        let features = self.input.features;
        let device = self.pools.device(place);
        let object = device.object();
        let shareable = features.consumable_capacity
            && object.is_some_and(|object| object.allow_multiple_allocations == Some(true));
        let view = self.alternative(slot).view;
        let admin = view.wants_admin_access();
        if admin && !shareable && self.is_held_by(place, slot.claim)
            || !admin && self.is_in_use(place)
            || !self.node_supports(place)
        {
            return Ok(None);
        }
        let counts = !device.published().consumes.is_empty();
        if counts && !features.partitionable_devices {
            return Ok(None);
        }

        let mut undo = Undo::default();
        // The counters of a shared device are paid once, by the first share.
        let pays = counts && !(shareable && self.is_shared(place));
        if pays && features.compatibility_groups {
            undo.groups = self.join_groups(place);
            if undo.groups.is_none() {
                return Ok(None);
            }
        }
        if pays {
            undo.counters = self.consume_counters(place);
        }
        let tainted = features.device_taints && taints::prevent(device.taints(), &view);
        if pays && !undo.counters || tainted {
            self.give_back_parts(slot, place, undo);
            return Ok(None);
        }
        match self.add_to_constraints(slot, place, &mut undo) {
            Ok(true) => {}
            Ok(false) => {
                self.give_back_parts(slot, place, undo);
                return if must {
                    Err(self.violated(slot, place))
                } else {
                    Ok(None)
                };
            }
            Err(stop) => {
                self.give_back_parts(slot, place, undo);
                return Err(stop);
            }
        }
        match self.commit(slot, place, shareable, &mut undo) {
            Ok(true) => Ok(Some(undo)),
            other => {
                self.give_back_parts(slot, place, undo);
                other.map(|_| None)
            }
        }
    }

    /// Gives back a device that was taken.
    pub(super) fn give_back(&mut self, slot: Slot, place: Place, undo: Undo) {
        self.chosen[slot.claim].pop();
        self.give_back_parts(slot, place, undo);
    }

    fn give_back_parts(&mut self, slot: Slot, place: Place, undo: Undo) {
        let number = self.pools.number(place);
        if undo.shared {
            self.remove_share(slot, place);
        }
        if undo.held
            && let Some(holders) = self.holders.get_mut(&number)
        {
            holders.retain(|claim| *claim != slot.claim);
        }
        let view = self.alternative(slot).view;
        let constraints = &mut self.claims[slot.claim].constraints[..undo.constraints];
        for constraint in constraints.iter_mut().rev() {
            if constraint.applies_to(&view) {
                constraint.remove();
            }
        }
        if let Some(restore) = undo.groups {
            self.leave_groups(place, restore);
        }
        if undo.counters {
            self.release_counters(place);
        }
    }

    /// Marks the device as taken and records it for the claim, if the capacity is there.
    fn commit(
        &mut self,
        slot: Slot,
        place: Place,
        shareable: bool,
        undo: &mut Undo,
    ) -> Result<bool, Stop> {
        let number = self.pools.number(place);
        if !shareable {
            self.holders.entry(number).or_default().push(slot.claim);
            undo.held = true;
        }
        if !self.has_capacity(slot, place)? {
            return Ok(false);
        }
        let share = if shareable {
            Some(self.add_share(slot, place)?)
        } else {
            None
        };
        undo.shared = shareable;
        self.chosen[slot.claim].push(Chosen {
            place,
            request: slot.request,
            alternative: slot.alternative,
            share,
        });
        Ok(true)
    }

    /// Whether somebody has a share of the device already.
    fn is_shared(&self, place: Place) -> bool {
        let features = self.input.features;
        self.device_use(place)
            .is_some_and(|used| used.is_shared(features))
            || self
                .shares
                .get(&self.pools.number(place))
                .is_some_and(|shares| shares.count > 0)
    }

    fn share_of(&self, slot: Slot, place: Place) -> Result<capacity::Taken, Stop> {
        let alternative = self.alternative(slot);
        let device = self.pools.device(place);
        let fractional = self.input.features.fractional_capacity_range;
        capacity::consumed_by(&alternative.capacity, device.published(), fractional).map_err(
            |error| {
                let device = device.id().to_string();
                self.problem(slot, RequestProblem::Capacity { device, error })
            },
        )
    }

    fn add_share(&mut self, slot: Slot, place: Place) -> Result<capacity::Taken, Stop> {
        let consumed = self.share_of(slot, place)?;
        let number = self.pools.number(place);
        let shares: &mut Shares = self.shares.entry(number).or_default();
        shares.count += 1;
        for (name, amount) in &consumed {
            shares
                .consumed
                .entry(name.clone())
                .and_modify(|sum| *sum += amount)
                .or_insert_with(|| amount.clone());
        }
        Ok(consumed)
    }

    fn remove_share(&mut self, slot: Slot, place: Place) {
        // What it consumes does not depend on what else is taken.
        let Ok(consumed) = self.share_of(slot, place) else {
            return;
        };
        let number = self.pools.number(place);
        if let Some(shares) = self.shares.get_mut(&number) {
            shares.count = shares.count.saturating_sub(1);
            for (name, amount) in consumed {
                if let Some(sum) = shares.consumed.get_mut(&name) {
                    *sum -= &amount;
                }
            }
        }
    }

    /// Whether the node can use a device that skips prepare and unprepare. Only the
    /// experimental allocator looks; the others allocate it as any device.
    fn node_supports(&self, place: Place) -> bool {
        if self.input.features.channel() != Channel::Experimental {
            return true;
        }
        let slice = &self.pools.device(place).slice().source;
        let skipped = slice.spec.skip_node_operations.as_deref();
        if skipped.unwrap_or_default().is_empty() {
            return true;
        }
        let status = self.input.node.status.as_ref();
        let declared = status.and_then(|status| status.declared_features.as_deref());
        self.input.features.optional_node_operations
            && declared
                .unwrap_or_default()
                .iter()
                .any(|feature| feature == OPTIONAL_NODE_OPERATIONS)
    }

    fn add_to_constraints(
        &mut self,
        slot: Slot,
        place: Place,
        undo: &mut Undo,
    ) -> Result<bool, Stop> {
        let view = self.alternative(slot).view;
        for index in 0..self.claims[slot.claim].constraints.len() {
            let constraint = &self.claims[slot.claim].constraints[index];
            if constraint.applies_to(&view) {
                let name = constraint.attribute();
                let device = self.pools.device(place);
                let attribute = self.derived.attribute(self.input, &view, device, name)?;
                if !self.claims[slot.claim].constraints[index].add(attribute) {
                    return Ok(false);
                }
            }
            undo.constraints += 1;
        }
        Ok(true)
    }

    fn violated(&self, slot: Slot, place: Place) -> Stop {
        let device = self.pools.device(place).id();
        self.problem(slot, RequestProblem::ConstraintViolated { device })
    }
}
