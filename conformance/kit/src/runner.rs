//! Runs cases in order, each on a stage of its own that is cleaned up afterwards.

use std::time::Instant;

use crate::case::{Case, Findings};
use crate::cluster::Cluster;
use crate::outcome::{Outcome, Verdict};
use crate::stage::Stage;

/// Runs one case and cleans up after it, whatever became of it. A clean-up that fails makes the
/// case fail, since the next one would meet its remains.
pub async fn run(cluster: &dyn Cluster, case: &Case) -> Outcome {
    let stage = Stage::new(cluster.client(), case);
    let start = Instant::now();
    let result = (case.run)(&stage).await;
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
