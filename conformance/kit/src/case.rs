//! One case: data first, body last.

use std::time::Duration;

use futures::future::BoxFuture;

use crate::stage::{Stage, StageError};
use crate::wait::Timeout;

/// Why a case did not pass.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The cluster broke the requirement.
    #[error("{0}")]
    Failed(String),
    /// Something expected did not happen in time.
    #[error(transparent)]
    Timeout(#[from] Timeout),
    /// A step on the cluster did not work.
    #[error(transparent)]
    Stage(#[from] StageError),
}

impl CaseError {
    /// A failure with its reason.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }
}

/// What a case found out that is worth showing, in order: `(subject, what it got)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings(pub Vec<(String, String)>);

impl Findings {
    /// Adds a line.
    pub fn add(&mut self, subject: impl Into<String>, what: impl Into<String>) {
        self.0.push((subject.into(), what.into()));
    }
}

/// The body of a case.
pub type Body = for<'a> fn(&'a Stage) -> BoxFuture<'a, Result<Findings, CaseError>>;

/// One case.
#[derive(Clone, Copy)]
pub struct Case {
    /// Stable id, also its name on the command line.
    pub id: &'static str,
    /// What is required, in one sentence.
    pub requirement: &'static str,
    /// Manifests that the body applies: `(file name, text)`.
    pub manifests: &'static [(&'static str, &'static str)],
    /// The most time that a conforming cluster needs for one step.
    pub patience: Duration,
    /// What it does.
    pub run: Body,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Case")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
