//! Examples 08 and 09: admin access, opaque parameters.

use std::collections::BTreeSet;

use drakit_kit::case::{CaseError, Findings};
use drakit_kit::stage::Stage;

use super::checks::{container, ensure};
use crate::{claims, pods};

pub(super) async fn admin(stage: &Stage) -> Result<Findings, CaseError> {
    let namespace = "08-admin-access";
    stage.apply("admin-access.yaml").await?;
    let mut findings = Findings::default();
    let workload = container(stage, namespace, "workload", None, &mut findings).await?;
    stage.apply("monitor.yaml").await?;
    let monitor = container(stage, namespace, "monitor", None, &mut findings).await?;
    let used: BTreeSet<_> = pods::device_names(&workload, "GPU").into_iter().collect();
    let seen: BTreeSet<_> = pods::device_names(&monitor, "GPU").into_iter().collect();
    ensure(used.len() == 8 && used == seen, || {
        format!("the workload uses {used:?}, the monitor sees {seen:?}")
    })?;
    ensure(monitor.contains_key("DRA_ADMIN_ACCESS"), || {
        format!("the monitor has no admin access: {monitor:?}")
    })?;
    let claim = claims::get(stage, namespace, "workload").await?;
    ensure(claims::results(&claim).len() == 8, || {
        format!("the workload lost devices: {}", claims::describe(&claim))
    })?;
    Ok(findings)
}

pub(super) async fn opaque_config(stage: &Stage) -> Result<Findings, CaseError> {
    let namespace = "09-opaque-config";
    stage.apply("opaque-config.yaml").await?;
    let mut findings = Findings::default();
    let main = container(stage, namespace, "configured", Some("main"), &mut findings).await?;
    let network = container(
        stage,
        namespace,
        "configured",
        Some("network"),
        &mut findings,
    )
    .await?;
    let sidecar = container(
        stage,
        namespace,
        "configured",
        Some("sidecar"),
        &mut findings,
    )
    .await?;
    let has = |seen: &pods::Environment, end: &str, value: &str| {
        seen.iter().any(|(n, v)| n.ends_with(end) && v == value)
    };

    ensure(pods::device_names(&main, "GPU").len() == 1, || {
        format!("main sees {main:?}, not one GPU")
    })?;
    ensure(has(&main, "_TIMESLICE_INTERVAL", "Short"), || {
        format!("main has no time slice: {main:?}")
    })?;
    ensure(has(&network, "_MTU", "9000"), || {
        format!("the NIC has no MTU: {network:?}")
    })?;
    ensure(pods::device_names(&network, "GPU").is_empty(), || {
        format!("network sees GPUs: {network:?}")
    })?;
    ensure(pods::device_names(&sidecar, "GPU").len() == 1, || {
        format!("sidecar sees {sidecar:?}, not one GPU")
    })?;
    ensure(has(&sidecar, "_PARTITION_COUNT", "4"), || {
        format!("sidecar has no partitions: {sidecar:?}")
    })?;
    ensure(!has(&sidecar, "_TIMESLICE_INTERVAL", "Short"), || {
        format!("sidecar sees main's GPU: {sidecar:?}")
    })?;
    Ok(findings)
}
