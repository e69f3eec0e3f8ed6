//! Examples 01, 02 and 07: counts, attributes, all devices.

use std::collections::BTreeSet;

use drakit_api::Quantity;
use drakit_kit::case::{CaseError, Findings};
use drakit_kit::stage::Stage;

use super::checks::{ensure, one_pod, published};
use crate::claims;

/// What example 02 asks for.
const EIGHTY_GIB: i64 = 80 << 30;

pub(super) async fn two_gpus(stage: &Stage) -> Result<Findings, CaseError> {
    stage.apply("two-gpus.yaml").await?;
    let mut findings = Findings::default();
    let devices = one_pod(stage, "01-two-gpus", "trainer", "GPU", &mut findings).await?;
    ensure(devices.len() == 2, || {
        format!("the container sees {devices:?}, not two GPUs")
    })?;
    let claim = claims::get(stage, "01-two-gpus", "two-gpus").await?;
    let allocated: BTreeSet<_> = claims::results(&claim)
        .into_iter()
        .map(|r| (r.pool, r.device))
        .collect();
    ensure(allocated.len() == 2, || {
        format!("allocated {}", claims::describe(&claim))
    })?;
    ensure(claims::users(&claim) == ["trainer"], || {
        format!("reserved for {:?}", claims::users(&claim))
    })?;
    Ok(findings)
}

pub(super) async fn by_attributes(stage: &Stage) -> Result<Findings, CaseError> {
    stage.apply("attribute-selection.yaml").await?;
    let mut findings = Findings::default();
    let namespace = "02-attribute-selection";
    let devices = one_pod(stage, namespace, "trainer", "GPU", &mut findings).await?;
    ensure(devices.len() == 4, || {
        format!("the container sees {devices:?}, not four GPUs")
    })?;
    let claim = claims::get(stage, namespace, "four-a100").await?;
    for result in claims::results(&claim) {
        let device = published(stage, &result).await?;
        let product = device
            .attributes
            .unwrap_or_default()
            .remove("productName")
            .and_then(|a| a.string);
        let memory = device
            .capacity
            .unwrap_or_default()
            .remove("memory")
            .and_then(|c| c.value.0.parse::<Quantity>().ok());
        ensure(
            product.as_deref().is_some_and(|p| p.contains("A100")),
            || format!("{} is {product:?}", result.device),
        )?;
        ensure(memory >= Some(Quantity::from(EIGHTY_GIB)), || {
            format!("{} has {memory:?}", result.device)
        })?;
    }
    Ok(findings)
}

pub(super) async fn all_devices(stage: &Stage) -> Result<Findings, CaseError> {
    stage.apply("all-devices.yaml").await?;
    let mut findings = Findings::default();
    let devices = one_pod(stage, "07-all-devices", "benchmark", "GPU", &mut findings).await?;
    ensure(devices.len() == 8, || {
        format!("the container sees {devices:?}, not all eight GPUs")
    })?;
    Ok(findings)
}
