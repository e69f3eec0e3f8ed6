//! Names of pools and devices.

use std::fmt;
use std::sync::Arc;

/// A pool: a driver and a pool name. Pools of two drivers may have one name,
/// so the pool name alone never identifies a pool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolId {
    /// `spec.driver` of the slices.
    pub driver: Arc<str>,
    /// `spec.pool.name` of the slices.
    pub pool: Arc<str>,
}

impl PoolId {
    /// The pool `pool` of the driver `driver`.
    pub fn new(driver: &str, pool: &str) -> Self {
        Self {
            driver: driver.into(),
            pool: pool.into(),
        }
    }
}

impl fmt::Display for PoolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.driver, self.pool)
    }
}

/// A device, by the three names that an allocation result holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId {
    /// The pool of the device.
    pub pool: PoolId,
    /// The name of the device in the pool.
    pub device: Arc<str>,
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pool, self.device)
    }
}
