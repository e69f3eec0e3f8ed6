//! What the publisher reports about itself.

use std::collections::BTreeSet;

/// A snapshot for readiness, metrics and tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishStatus {
    /// Number of pools that are wanted.
    pub pools: usize,
    /// Number of them that the last pass found or made right.
    pub published: usize,
    /// No pass runs, waits or is planned.
    pub idle: bool,
    /// Slices created since the start.
    pub creates: u64,
    /// Slices updated since the start.
    pub updates: u64,
    /// Slices deleted since the start.
    pub deletes: u64,
    /// Paths that the API server dropped or changed, because the feature that
    /// they need is off.
    pub dropped_fields: BTreeSet<String>,
    /// The last failure, until everything is published.
    pub last_error: Option<String>,
}

impl PublishStatus {
    /// Whether every wanted pool is at the API server as wanted.
    pub fn is_published(&self) -> bool {
        self.published == self.pools
    }
}
