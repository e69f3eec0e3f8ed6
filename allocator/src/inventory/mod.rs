//! The published devices, kept so that one node's are found without looking at
//! those of others.
//!
//! * `index`: the slices by name, node and pool, and how they change;
//! * `slice`, `quantities`: one slice, prepared once;
//! * `generation`: the newest slices of a pool, checked once;
//! * `gather`: the pools that one node can use.

mod gather;
mod generation;
mod index;
mod quantities;
mod slice;

pub use index::{Inventory, SliceError};

pub(crate) use gather::{NodePools, OfferedDevice, Place, Pool, PoolState};
pub(crate) use quantities::{Amount, Capacity, Policy, Range};
pub(crate) use slice::PublishedDevice;
