//! Runs cases in order, each on a stage of its own that is cleaned up afterwards.

use std::future::Future;
use std::time::Instant;

use crate::case::{Case, CaseError, Findings};
use crate::cluster::Cluster;
use crate::outcome::{Outcome, Verdict};
use crate::stage::Stage;

/// Runs one case and cleans up after it, whatever became of it. A clean-up that fails makes the
/// case fail, since the next one would meet its remains. Once `interrupted` is over the case fails,
/// and is cleaned up all the same: nothing may stay on a real cluster.
pub async fn run(
    cluster: &dyn Cluster,
    case: &Case,
    interrupted: impl Future<Output = ()>,
) -> Outcome {
    let stage = Stage::new(cluster.client(), case);
    let start = Instant::now();
    let result = tokio::select! {
        result = (case.run)(&stage) => result,
        () = interrupted => Err(CaseError::failed("interrupted")),
    };
    let took = start.elapsed();
    let cleaned = stage.clean_up().await;
    let (verdict, findings) = match (result, cleaned) {
        (Ok(findings), Ok(())) => (Verdict::Pass, findings),
        (Ok(findings), Err(error)) => (
            Verdict::Fail(format!("clean up: {}", chain(&error))),
            findings,
        ),
        (Err(error), _) => (Verdict::Fail(chain(&error)), Findings::default()),
    };
    Outcome {
        id: case.id,
        requirement: case.requirement,
        verdict,
        took,
        findings,
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
