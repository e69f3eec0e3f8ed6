//! The decisions themselves.

use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::{
    AllocationResult, DeviceRequestAllocationResult, ResourceClaim,
};
use drakit_api::names::DriverName;

use super::assign::{OwnConfigs, assign};
use super::config::ConfigError;
use super::held::Held;
use super::prepared::{Hold, PreparedClaim, PreparedDevice};
use crate::cdi;
use crate::plan::{PlannedDevice, PoolPlan};

/// What a prepare needs of a ResourceClaim.
#[derive(Clone, Copy, Debug)]
pub struct ClaimView<'a> {
    /// `metadata.uid`.
    pub uid: &'a str,
    /// `metadata.namespace`.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// `status.allocation`.
    pub allocation: Option<&'a AllocationResult>,
}

impl<'a> ClaimView<'a> {
    /// View of a claim as read from the API server.
    pub fn from_claim(claim: &'a ResourceClaim) -> Self {
        Self {
            uid: claim.metadata.uid.as_deref().unwrap_or_default(),
            namespace: claim.metadata.namespace.as_deref().unwrap_or_default(),
            name: claim.metadata.name.as_deref().unwrap_or_default(),
            allocation: claim
                .status
                .as_ref()
                .and_then(|status| status.allocation.as_ref()),
        }
    }

    fn label(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

/// Why a claim cannot be prepared. Goes into the claim's entry of the answer; other claims are not affected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// The uid cannot be part of a CDI name.
    #[error(
        "claim {claim}: uid {uid:?} is not usable in a CDI name (allowed: 1 to 128 letters, digits, `-`, `_`, `.`, alphanumeric at both ends)"
    )]
    Uid {
        /// `namespace/name`.
        claim: String,
        /// The uid.
        uid: String,
    },
    /// `status.allocation` is not set: kubelet asked too early or the claim was deallocated meanwhile.
    #[error("claim {claim} is not allocated (status.allocation is not set)")]
    NotAllocated {
        /// `namespace/name`.
        claim: String,
    },
    /// The allocation names a pool that this driver does not serve here.
    #[error(
        "claim {claim}, request {request:?}: pool {pool:?} is not served by driver {driver} on this node (served: {served})"
    )]
    UnknownPool {
        /// `namespace/name`.
        claim: String,
        /// Name of the request.
        request: String,
        /// Pool of the allocation result.
        pool: String,
        /// This driver.
        driver: String,
        /// Pools that it serves here.
        served: String,
    },
    /// The allocation names a device that is not in the pool.
    #[error(
        "claim {claim}, request {request:?}: device {device:?} is not in pool {pool:?} of driver {driver} (the pool has {count} devices)"
    )]
    UnknownDevice {
        /// `namespace/name`.
        claim: String,
        /// Name of the request.
        request: String,
        /// Pool of the allocation result.
        pool: String,
        /// Device of the allocation result.
        device: String,
        /// This driver.
        driver: String,
        /// Size of the pool.
        count: usize,
    },
    /// Another claim holds the device: the driver is the last line of defence against double booking (PREP-13).
    #[error(
        "claim {claim}, request {request:?}: device {pool}/{device} is held by claim {holder} (uid {holder_uid}); it must be unprepared first"
    )]
    InUse {
        /// `namespace/name`.
        claim: String,
        /// Name of the request.
        request: String,
        /// Pool of the device.
        pool: String,
        /// Name of the device.
        device: String,
        /// `namespace/name` of the claim that holds it.
        holder: String,
        /// Its uid.
        holder_uid: String,
    },
    /// The allocation gives one exclusive device to two requests.
    #[error(
        "claim {claim}: device {pool}/{device} is allocated twice, to requests {first:?} and {second:?}, but allows one allocation"
    )]
    AllocatedTwice {
        /// `namespace/name`.
        claim: String,
        /// Pool of the device.
        pool: String,
        /// Name of the device.
        device: String,
        /// Request of the first result.
        first: String,
        /// Request of the second result.
        second: String,
    },
    /// Opaque parameters for this driver cannot be decoded.
    #[error("claim {claim}, {config}: {source}")]
    Config {
        /// `namespace/name`.
        claim: String,
        /// Where the parameters come from: class or claim, position, requests.
        config: String,
        /// Every problem, with field and what is allowed.
        source: ConfigError,
    },
    /// Opaque parameters of a kind that the device does not take.
    #[error(
        "claim {claim}, {config}: kind {kind} does not fit device {pool}/{device} of request {request:?} (allowed: {allowed})"
    )]
    ConfigKind {
        /// `namespace/name`.
        claim: String,
        /// Where the parameters come from: class or claim, position, requests.
        config: String,
        /// Kind of the parameters.
        kind: &'static str,
        /// Name of the request.
        request: String,
        /// Pool of the device.
        pool: String,
        /// Name of the device.
        device: String,
        /// Kinds that the device takes.
        allowed: &'static str,
    },
}

/// An own allocation result with the device that it names.
pub(super) struct Own<'a> {
    pub(super) result: &'a DeviceRequestAllocationResult,
    pub(super) pool: &'a PoolPlan,
    pub(super) device: PlannedDevice<'a>,
    pub(super) hold: Hold,
}

/// Decides what a claim gets from this driver.
///
/// Looks at the driver's own results and configs only. The answer depends on nothing but the arguments, so a second
/// call gives the same devices; what the claim itself already holds is no obstacle. `pools` are all pools that the
/// driver serves on this node.
///
/// # Errors
/// See [`PrepareError`]. Nothing has happened then; a later call can succeed.
pub fn decide(
    claim: &ClaimView<'_>,
    driver: &DriverName,
    pools: &[Arc<PoolPlan>],
    held: &Held,
) -> Result<PreparedClaim, PrepareError> {
    if !cdi::is_usable_uid(claim.uid) {
        return Err(PrepareError::Uid {
            claim: claim.label(),
            uid: claim.uid.to_owned(),
        });
    }
    let allocation = claim.allocation.ok_or_else(|| PrepareError::NotAllocated {
        claim: claim.label(),
    })?;
    let devices = allocation.devices.as_ref();
    let results = devices
        .and_then(|devices| devices.results.as_deref())
        .unwrap_or_default();
    let own = results
        .iter()
        .filter(|result| result.driver == driver.as_ref())
        .map(|result| find(claim, driver, pools, result))
        .collect::<Result<Vec<_>, _>>()?;
    check_exclusive(claim, &own, held)?;
    let configs = devices
        .and_then(|devices| devices.config.as_deref())
        .unwrap_or_default();
    let configs = OwnConfigs::decode(&claim.label(), driver, configs)?;
    configs.check_kinds(&claim.label(), &own)?;
    let mut prepared: Vec<PreparedDevice> = Vec::with_capacity(own.len());
    for own in &own {
        let device = assign(claim.uid, driver, own, &configs, &prepared);
        prepared.push(device);
    }
    Ok(PreparedClaim {
        uid: claim.uid.to_owned(),
        namespace: claim.namespace.to_owned(),
        name: claim.name.to_owned(),
        devices: prepared,
    })
}

fn find<'a>(
    claim: &ClaimView<'_>,
    driver: &DriverName,
    pools: &'a [Arc<PoolPlan>],
    result: &'a DeviceRequestAllocationResult,
) -> Result<Own<'a>, PrepareError> {
    let served = || pools.iter().filter(|pool| pool.driver() == driver);
    let pool = served()
        .find(|pool| pool.pool().as_ref() == result.pool)
        .ok_or_else(|| PrepareError::UnknownPool {
            claim: claim.label(),
            request: result.request.clone(),
            pool: result.pool.clone(),
            driver: driver.to_string(),
            served: served()
                .map(|pool| pool.pool().to_string())
                .collect::<Vec<_>>()
                .join(", "),
        })?;
    let device = pool
        .device(&result.device)
        .ok_or_else(|| PrepareError::UnknownDevice {
            claim: claim.label(),
            request: result.request.clone(),
            pool: result.pool.clone(),
            device: result.device.clone(),
            driver: driver.to_string(),
            count: pool.device_count(),
        })?;
    let hold = match () {
        () if result.admin_access == Some(true) => Hold::Admin,
        () if device.is_shared() => Hold::Shared,
        () => Hold::Exclusive,
    };
    Ok(Own {
        result,
        pool,
        device,
        hold,
    })
}

fn check_exclusive(
    claim: &ClaimView<'_>,
    own: &[Own<'_>],
    held: &Held,
) -> Result<(), PrepareError> {
    for (index, Own { result, hold, .. }) in own.iter().enumerate() {
        let same = |other: &&Own<'_>| {
            other.result.pool == result.pool && other.result.device == result.device
        };
        if let Some(first) = own[..index]
            .iter()
            .filter(same)
            .find(|first| !first.hold.goes_with(*hold))
        {
            return Err(PrepareError::AllocatedTwice {
                claim: claim.label(),
                pool: result.pool.clone(),
                device: result.device.clone(),
                first: first.result.request.clone(),
                second: result.request.clone(),
            });
        }
        let others = held
            .holders(&result.pool, &result.device)
            .iter()
            .filter(|holder| holder.uid != claim.uid);
        if let Some(holder) = others
            .into_iter()
            .find(|holder| !holder.hold.goes_with(*hold))
        {
            return Err(PrepareError::InUse {
                claim: claim.label(),
                request: result.request.clone(),
                pool: result.pool.clone(),
                device: result.device.clone(),
                holder: format!("{}/{}", holder.namespace, holder.name),
                holder_uid: holder.uid.clone(),
            });
        }
    }
    Ok(())
}

/// What an unprepare has to undo, in this order: remove the CDI file, then forget the claim. When the file cannot be
/// removed the claim stays booked, so that its devices are not given away while a container could still see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprepare {
    /// File to remove from the CDI folder; it may be missing. Also set for a claim that is not in the checkpoint,
    /// since a prepare can have died between file and checkpoint (UNP-06).
    pub cdi_file: String,
    /// Whether the claim is booked and has to be taken out of the checkpoint.
    pub forget: bool,
}

/// Decides what an unprepare does. An unknown claim is a success (UNP-03); the claim object is not needed (UNP-02).
pub fn unprepare(driver: &DriverName, uid: &str, booked: bool) -> Unprepare {
    Unprepare {
        cdi_file: cdi::file_name(driver, uid),
        forget: booked,
    }
}
