//! Example 04: devices that belong together.

use std::collections::BTreeSet;

use drakit_api::k8s::api::resource::v1::DeviceAttribute;
use drakit_kit::case::{CaseError, Findings};
use drakit_kit::stage::Stage;

use super::checks::{container, ensure, published};
use crate::{claims, pods};

pub(super) async fn same_numa(stage: &Stage) -> Result<Findings, CaseError> {
    let namespace = "04-same-numa";
    stage.apply("same-numa.yaml").await?;
    let mut findings = Findings::default();
    let pair = container(stage, namespace, "numa-pair", None, &mut findings).await?;
    ensure(pods::device_names(&pair, "GPU").len() == 2, || {
        format!("numa-pair sees {pair:?}")
    })?;
    one_value(
        stage,
        "numa-pair",
        "resource.kubernetes.io/numaNode",
        2,
        &mut findings,
    )
    .await?;

    let both = container(stage, namespace, "gpu-with-nic", None, &mut findings).await?;
    let (gpus, nics) = (
        pods::device_names(&both, "GPU"),
        pods::device_names(&both, "NIC"),
    );
    ensure(gpus.len() == 1 && nics.len() == 1, || {
        format!("gpu-with-nic sees {both:?}")
    })?;
    one_value(
        stage,
        "gpu-with-nic",
        "resource.kubernetes.io/pcieRoot",
        2,
        &mut findings,
    )
    .await?;
    Ok(findings)
}

/// All devices of the claim have one value of the attribute.
async fn one_value(
    stage: &Stage,
    claim: &str,
    attribute: &str,
    devices: usize,
    findings: &mut Findings,
) -> Result<(), CaseError> {
    let results = claims::results(&claims::get(stage, "04-same-numa", claim).await?);
    ensure(results.len() == devices, || {
        format!("claim {claim} has {} devices, not {devices}", results.len())
    })?;
    let mut values = BTreeSet::new();
    for result in &results {
        let device = published(stage, result).await?;
        let value = device.attributes.unwrap_or_default().remove(attribute);
        values.insert(value.map_or("absent".into(), |v| text(&v)));
    }
    ensure(values.len() == 1 && !values.contains("absent"), || {
        format!("{attribute} of {claim} is {values:?}")
    })?;
    findings.add(
        format!("claim {claim}"),
        format!("{attribute} = {}", values.into_iter().collect::<String>()),
    );
    Ok(())
}

fn text(value: &DeviceAttribute) -> String {
    value
        .string
        .clone()
        .or_else(|| value.int.map(|i| i.to_string()))
        .unwrap_or_else(|| format!("{value:?}"))
}
