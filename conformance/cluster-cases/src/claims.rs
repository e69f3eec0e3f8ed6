//! Waiting for claims, and what they hold.

use drakit_api::k8s::api::resource::v1::{DeviceRequestAllocationResult, ResourceClaim};
use drakit_kit::case::CaseError;
use drakit_kit::stage::Stage;
use drakit_kit::wait::{self, Look};

/// A claim as it is now.
///
/// # Errors
/// When it cannot be read.
pub async fn get(stage: &Stage, namespace: &str, name: &str) -> Result<ResourceClaim, CaseError> {
    let api = stage.namespaced::<ResourceClaim>(namespace);
    api.get(name).await.map_err(|error| {
        CaseError::failed(format!("get ResourceClaim {namespace}/{name}: {error}"))
    })
}

/// The devices that a claim holds, in the order of the allocation.
pub fn results(claim: &ResourceClaim) -> Vec<DeviceRequestAllocationResult> {
    let allocation = claim.status.as_ref().and_then(|s| s.allocation.as_ref());
    allocation
        .and_then(|a| a.devices.as_ref())
        .and_then(|d| d.results.clone())
        .unwrap_or_default()
}

/// `request: driver/pool/device` of each result.
pub fn describe(claim: &ResourceClaim) -> String {
    let shown = |r: DeviceRequestAllocationResult| {
        format!("{}: {}/{}/{}", r.request, r.driver, r.pool, r.device)
    };
    results(claim)
        .into_iter()
        .map(shown)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Names in `status.reservedFor`, sorted.
pub fn users(claim: &ResourceClaim) -> Vec<String> {
    let reserved = claim
        .status
        .as_ref()
        .and_then(|s| s.reserved_for.clone())
        .unwrap_or_default();
    let mut names: Vec<String> = reserved.into_iter().map(|r| r.name).collect();
    names.sort();
    names
}

/// Waits until a claim exists without an allocation.
///
/// # Errors
/// A time-out with what it holds.
pub async fn deallocated(stage: &Stage, namespace: &str, name: &str) -> Result<(), CaseError> {
    wait::until(
        &format!("claim {namespace}/{name} to be deallocated"),
        stage.patience(),
        || async {
            match get(stage, namespace, name).await {
                Ok(claim) if results(&claim).is_empty() => Look::Seen(()),
                Ok(claim) => Look::NotYet(describe(&claim)),
                Err(error) => Look::NotYet(error.to_string()),
            }
        },
    )
    .await?;
    Ok(())
}
