//! The search for devices: exhaustive, depth first, first fit, in the order of
//! `allocateOne` of `structured/internal/experimental`.
//!
//! * `walk`: which request comes next, and which devices are tried for it;
//! * `take`: whether one device can be had, and giving it back;
//! * `state`: what is taken at the moment;
//! * `counters`: the shared counters of pools (partitionable devices);
//! * `groups`: the compatibility groups on counter sets.

mod counters;
mod groups;
mod state;
mod take;
mod walk;

pub(crate) use state::{Chosen, Search};
