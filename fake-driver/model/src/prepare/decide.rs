//! The decisions themselves.

use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::{
    AllocationResult, DeviceRequestAllocationResult, ResourceClaim,
};
use drakit_api::names::DriverName;

use super::assign::assign;
use super::configs::OwnConfigs;
use super::counters;
use super::error::{PrepareError, Subject};
use super::held::{Held, Holder};
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

    /// `namespace/name`, for error texts.
    pub(super) fn label(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
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
    counters::check(claim, &own, held)?;
    let configs = devices
        .and_then(|devices| devices.config.as_deref())
        .unwrap_or_default();
    let configs = OwnConfigs::decode(claim, driver, configs)?;
    configs.check_kinds(claim, &own)?;
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
    let pool = served().find(|pool| pool.pool() == result.pool.as_str());
    let pool = pool.ok_or_else(|| PrepareError::UnknownPool {
        subject: Box::new(subject(claim, result)),
        driver: driver.to_string(),
        served: served()
            .map(|pool| pool.pool().to_string())
            .collect::<Vec<_>>()
            .join(", "),
    })?;
    let device = pool
        .device(&result.device)
        .ok_or_else(|| PrepareError::UnknownDevice {
            subject: Box::new(subject(claim, result)),
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

/// What an error about one result is about.
pub(super) fn subject(claim: &ClaimView<'_>, result: &DeviceRequestAllocationResult) -> Subject {
    Subject {
        claim: claim.label(),
        request: result.request.clone(),
        pool: result.pool.clone(),
        device: result.device.clone(),
    }
}

fn check_exclusive(
    claim: &ClaimView<'_>,
    own: &[Own<'_>],
    held: &Held,
) -> Result<(), PrepareError> {
    for (index, Own { result, hold, .. }) in own.iter().enumerate() {
        let clashes = |other: &&Own<'_>| {
            other.result.pool == result.pool
                && other.result.device == result.device
                && !other.hold.goes_with(*hold)
        };
        if let Some(first) = own[..index].iter().find(clashes) {
            let first = first.result.request.clone();
            return Err(PrepareError::AllocatedTwice {
                subject: Box::new(subject(claim, result)),
                first,
            });
        }
        let clashes = |holder: &&Holder| holder.uid != claim.uid && !holder.hold.goes_with(*hold);
        if let Some(holder) = held
            .holders(&result.pool, &result.device)
            .iter()
            .find(clashes)
        {
            return Err(PrepareError::InUse {
                subject: Box::new(subject(claim, result)),
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
