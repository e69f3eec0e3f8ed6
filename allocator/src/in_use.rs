//! Which devices existing claims hold.

use std::collections::{BTreeMap, HashMap};

use drakit_api::Quantity;
use k8s_openapi::api::resource::v1::{DeviceRequestAllocationResult, ResourceClaim};

use crate::device_id::PoolId;
use crate::features::Features;

/// The devices that allocated claims hold, kept up to date claim by claim.
///
/// Devices allocated with admin access do not count. A device may be held whole,
/// or in shares, each with the capacity that it consumes
/// (`pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go`).
#[derive(Clone, Debug, Default)]
pub struct InUse {
    pools: HashMap<PoolId, PoolUse>,
}

/// What is in use of one pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoolUse {
    devices: HashMap<String, DeviceUse>,
}

/// How one device is in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceUse {
    whole: u32,
    shares: u32,
    consumed: BTreeMap<String, Quantity>,
}

impl InUse {
    /// Nothing in use.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in what the claim's status holds; nothing if it is not allocated.
    ///
    /// Quantities that do not parse (an API server stores none) count as absent.
    pub fn add(&mut self, claim: &ResourceClaim) {
        for result in held(claim) {
            let pool = PoolId::new(&result.driver, &result.pool);
            let devices = &mut self.pools.entry(pool).or_default().devices;
            let device = devices.entry(result.device.clone()).or_default();
            if result.share_id.is_none() {
                device.whole += 1;
                continue;
            }
            device.shares += 1;
            for (name, quantity) in consumed(result) {
                device
                    .consumed
                    .entry(name.clone())
                    .and_modify(|sum| *sum += &quantity)
                    .or_insert(quantity);
            }
        }
    }

    /// Releases what [`add`](Self::add) took in for the same claim status.
    pub fn remove(&mut self, claim: &ResourceClaim) {
        for result in held(claim) {
            let pool = PoolId::new(&result.driver, &result.pool);
            let Some(used) = self.pools.get_mut(&pool) else {
                continue;
            };
            let Some(device) = used.devices.get_mut(&result.device) else {
                continue;
            };
            if result.share_id.is_none() {
                device.whole = device.whole.saturating_sub(1);
            } else {
                device.shares = device.shares.saturating_sub(1);
                for (name, quantity) in consumed(result) {
                    if let Some(sum) = device.consumed.get_mut(name) {
                        *sum -= &quantity;
                    }
                }
            }
            if device.whole == 0 && device.shares == 0 {
                used.devices.remove(&result.device);
            }
            if used.devices.is_empty() {
                self.pools.remove(&pool);
            }
        }
    }

    /// Whether some claim holds the device, whole or in part.
    pub fn contains(&self, driver: &str, pool: &str, device: &str) -> bool {
        self.pool(&PoolId::new(driver, pool))
            .is_some_and(|used| used.device(device).is_some())
    }

    pub(crate) fn pool(&self, id: &PoolId) -> Option<&PoolUse> {
        self.pools.get(id)
    }
}

impl PoolUse {
    pub(crate) fn device(&self, name: &str) -> Option<&DeviceUse> {
        self.devices.get(name)
    }

    /// The names of all devices in use, in no order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.devices.keys().map(String::as_str)
    }
}

impl DeviceUse {
    /// Whether nobody else may have the device. Without the sharing feature, a
    /// share is the whole device.
    pub(crate) fn is_exclusive(&self, features: Features) -> bool {
        self.whole > 0 || (self.shares > 0 && !features.consumable_capacity)
    }

    /// Whether claims hold shares of the device.
    pub(crate) fn is_shared(&self, features: Features) -> bool {
        self.shares > 0 && features.consumable_capacity
    }

    /// The capacity that all shares consume together.
    pub(crate) fn consumed(&self) -> &BTreeMap<String, Quantity> {
        &self.consumed
    }
}

fn held(claim: &ResourceClaim) -> impl Iterator<Item = &DeviceRequestAllocationResult> {
    claim
        .status
        .iter()
        .filter_map(|status| status.allocation.as_ref())
        .filter_map(|allocation| allocation.devices.as_ref())
        .filter_map(|devices| devices.results.as_ref())
        .flatten()
        .filter(|result| result.admin_access != Some(true))
}

fn consumed(result: &DeviceRequestAllocationResult) -> impl Iterator<Item = (&String, Quantity)> {
    result
        .consumed_capacity
        .iter()
        .flatten()
        .filter_map(|(name, value)| Some((name, Quantity::parse(&value.0).ok()?)))
}
