//! Checks that several examples share.

use drakit_api::k8s::api::resource::v1::{Device, DeviceRequestAllocationResult, ResourceSlice};
use drakit_kit::case::{CaseError, Findings};
use drakit_kit::stage::Stage;
use kube::Api;
use kube::api::ListParams;

use crate::pods::{self, Environment};

/// Fails with the text unless `holds`.
pub(super) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), CaseError> {
    if holds {
        Ok(())
    } else {
        Err(CaseError::Failed(otherwise()))
    }
}

/// Waits for the one pod of that name and returns the devices of `kind` that it sees.
pub(super) async fn one_pod(
    stage: &Stage,
    namespace: &str,
    pod: &str,
    kind: &str,
    findings: &mut Findings,
) -> Result<Vec<String>, CaseError> {
    let environment = container(stage, namespace, pod, None, findings).await?;
    Ok(pods::device_names(&environment, kind))
}

/// Waits until a pod runs and returns what one of its containers sees.
pub(super) async fn container(
    stage: &Stage,
    namespace: &str,
    pod: &str,
    container: Option<&str>,
    findings: &mut Findings,
) -> Result<Environment, CaseError> {
    let api = stage.namespaced(namespace);
    let running = drakit_kit::wait::until(
        &format!("pod {namespace}/{pod} to run"),
        stage.patience(),
        || async { pods::look(&api, pod).await },
    )
    .await?;
    let environment = pods::environment(stage, &running, container).await?;
    let subject = match container {
        Some(container) => format!("{pod}/{container} on {}", pods::node(&running)),
        None => format!("{pod} on {}", pods::node(&running)),
    };
    findings.add(subject, pods::describe(&environment));
    Ok(environment)
}

/// The device as its slice publishes it.
pub(super) async fn published(
    stage: &Stage,
    result: &DeviceRequestAllocationResult,
) -> Result<Device, CaseError> {
    let api: Api<ResourceSlice> = Api::all(stage.client().clone());
    let selector = format!("spec.driver={}", result.driver);
    let slices = api
        .list(&ListParams::default().fields(&selector))
        .await
        .map_err(|error| CaseError::failed(format!("list ResourceSlices: {error}")))?;
    slices
        .items
        .into_iter()
        .filter(|s| s.spec.pool.name == result.pool)
        .flat_map(|s| s.spec.devices.unwrap_or_default())
        .find(|d| d.name == result.device)
        .ok_or_else(|| {
            CaseError::failed(format!("{}/{} is in no slice", result.pool, result.device))
        })
}
