//! Example 06: a claim that outlives its pod.

use drakit_kit::case::{CaseError, Findings};
use drakit_kit::stage::Stage;

use super::checks::{ensure, one_pod};
use crate::{claims, pods};

pub(super) async fn claim_outlives_pod(stage: &Stage) -> Result<Findings, CaseError> {
    let namespace = "06-claim-outlives-pod";
    stage.apply("claim.yaml").await?;
    let mut findings = Findings::default();
    let first = one_pod(stage, namespace, "first", "GPU", &mut findings).await?;
    ensure(first.len() == 1, || format!("first sees {first:?}"))?;
    let before = claims::get(stage, namespace, "keeper").await?;

    pods::delete(stage, namespace, "first").await?;
    claims::deallocated(stage, namespace, "keeper").await?;
    findings.add("claim keeper", "is there without its pod, pending");

    stage.apply("second-pod.yaml").await?;
    let second = one_pod(stage, namespace, "second", "GPU", &mut findings).await?;
    ensure(second.len() == 1, || format!("second sees {second:?}"))?;
    let after = claims::get(stage, namespace, "keeper").await?;
    ensure(before.metadata.uid == after.metadata.uid, || {
        "the claim was replaced".into()
    })?;
    ensure(claims::users(&after) == ["second"], || {
        format!("reserved for {:?}", claims::users(&after))
    })?;
    Ok(findings)
}
