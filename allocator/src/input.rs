//! What an allocation is decided from.

use std::sync::atomic::{AtomicU64, Ordering};

use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::resource::v1::ResourceClaim;

use crate::cel_cache::CelCache;
use crate::classes::Classes;
use crate::error::Interrupt;
use crate::features::Features;
use crate::in_use::InUse;
use crate::inventory::Inventory;

/// Everything that decides an allocation. Nothing of it is changed.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The node on which all claims must be usable.
    pub node: &'a Node,
    /// The claims to allocate together, in this order. None may be allocated yet.
    pub claims: &'a [&'a ResourceClaim],
    /// The device classes.
    pub classes: &'a dyn Classes,
    /// The published devices.
    pub inventory: &'a Inventory,
    /// The devices that other claims hold.
    pub in_use: &'a InUse,
    /// The optional behaviour.
    pub features: Features,
    /// Compiled selectors, kept from call to call.
    pub cel_cache: &'a CelCache,
    /// Where the IDs of new shares come from.
    pub share_ids: &'a dyn ShareIds,
    /// Asked again and again during the search; `Some` ends it.
    pub interrupt: &'a dyn Fn() -> Option<Interrupt>,
}

/// A source of share IDs: each names one share of a device that several claims use.
pub trait ShareIds {
    /// A new UUID, as text. Two calls must not give the same.
    fn next(&self) -> String;
}

impl<F: Fn() -> String> ShareIds for F {
    fn next(&self) -> String {
        self()
    }
}

/// Share IDs that count up, for tests and for comparing results.
#[derive(Debug, Default)]
pub struct CountedShareIds(AtomicU64);

impl ShareIds for CountedShareIds {
    fn next(&self) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        format!("00000000-0000-4000-8000-{number:012x}")
    }
}

/// A check that never interrupts.
pub fn never() -> Option<Interrupt> {
    None
}
