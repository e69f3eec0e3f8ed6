//! What became of a case.

use std::time::Duration;

use crate::case::Findings;

/// Pass or fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The requirement holds.
    Pass,
    /// It does not; why.
    Fail(String),
}

/// The result of one case.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The case's id.
    pub id: &'static str,
    /// Its requirement.
    pub requirement: &'static str,
    /// Pass or fail.
    pub verdict: Verdict,
    /// How long it took, clean-up left out.
    pub took: Duration,
    /// What it found.
    pub findings: Findings,
}

impl Outcome {
    /// True for [`Verdict::Pass`].
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Pass
    }
}
