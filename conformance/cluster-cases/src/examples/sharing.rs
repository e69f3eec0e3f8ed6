//! Examples 03 and 05: one device for several pods.

use std::collections::BTreeSet;

use drakit_api::k8s::api::resource::v1::ResourceClaim;
use drakit_kit::case::{CaseError, Findings};
use drakit_kit::stage::Stage;

use super::checks::{container, ensure};
use crate::{claims, pods};

pub(super) async fn inference(stage: &Stage) -> Result<Findings, CaseError> {
    let namespace = "03-shared-inference";
    stage.apply("partitions.yaml").await?;
    stage.apply("time-sliced.yaml").await?;
    let mut findings = Findings::default();

    let mut partitions = BTreeSet::new();
    for pod in pods::running(stage, namespace, Some("partitioned"), 4).await? {
        let environment = pods::environment(stage, &pod, None).await?;
        findings.add(
            format!("{} on {}", pods::name(&pod), pods::node(&pod)),
            pods::describe(&environment),
        );
        partitions.extend(pods::device_names(&environment, "GPU"));
    }
    ensure(partitions.len() == 4, || {
        format!("the replicas see {partitions:?}, not four partitions")
    })?;
    let parents: BTreeSet<_> = partitions
        .iter()
        .map(|p| p.split("-mig-").next().unwrap_or(p))
        .collect();
    ensure(parents.len() == 1, || {
        format!("the partitions are of {parents:?}, not of one GPU")
    })?;

    let mut shared = BTreeSet::new();
    for pod in pods::running(stage, namespace, Some("time-sliced"), 4).await? {
        let environment = pods::environment(stage, &pod, None).await?;
        findings.add(
            format!("{} on {}", pods::name(&pod), pods::node(&pod)),
            pods::describe(&environment),
        );
        let sliced = environment
            .iter()
            .any(|(n, v)| n.ends_with("_SHARING_STRATEGY") && v == "TimeSlicing");
        ensure(sliced, || {
            format!(
                "{} does not see time slicing: {environment:?}",
                pods::name(&pod)
            )
        })?;
        shared.extend(pods::device_names(&environment, "GPU"));
    }
    ensure(shared.len() == 1, || {
        format!("the replicas see {shared:?}, not one GPU")
    })?;

    let all: Vec<ResourceClaim> = stage.list(namespace).await?;
    ensure(all.len() == 5, || {
        format!(
            "{} claims, not four generated ones and the shared one",
            all.len()
        )
    })?;
    Ok(findings)
}

pub(super) async fn rdma(stage: &Stage) -> Result<Findings, CaseError> {
    let namespace = "05-shared-rdma";
    stage.apply("shared-rdma.yaml").await?;
    let mut findings = Findings::default();
    let a = container(stage, namespace, "pod-a", None, &mut findings).await?;
    let b = container(stage, namespace, "pod-b", None, &mut findings).await?;
    let (a, b) = (
        pods::device_names(&a, "RDMA"),
        pods::device_names(&b, "RDMA"),
    );
    ensure(a.len() == 1 && a == b, || {
        format!("pod-a sees {a:?}, pod-b {b:?}, not the same NIC")
    })?;
    let claim = claims::get(stage, namespace, "rdma").await?;
    ensure(claims::users(&claim) == ["pod-a", "pod-b"], || {
        format!("reserved for {:?}", claims::users(&claim))
    })?;
    Ok(findings)
}
