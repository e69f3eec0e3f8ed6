//! What the kubelet edge reports about itself, for readiness, metrics and tests.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::watch;

/// Live numbers of one driver on one node.
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) contacted: AtomicBool,
    pub(crate) registered: watch::Sender<bool>,
    pub(crate) prepares: AtomicU64,
    pub(crate) prepare_failures: AtomicU64,
    pub(crate) unprepares: AtomicU64,
    pub(crate) unprepare_failures: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            contacted: AtomicBool::new(false),
            registered: watch::Sender::new(false),
            prepares: AtomicU64::new(0),
            prepare_failures: AtomicU64::new(0),
            unprepares: AtomicU64::new(0),
            unprepare_failures: AtomicU64::new(0),
        }
    }
}

/// Counts a call, and its failure.
pub(crate) fn count(all: &AtomicU64, failures: &AtomicU64, failed: bool) {
    all.fetch_add(1, Ordering::Relaxed);
    if failed {
        failures.fetch_add(1, Ordering::Relaxed);
    }
}

/// A snapshot of one driver on one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PluginStatus {
    /// The kubelet asked for the registration socket's info at least once.
    pub contacted: bool,
    /// The kubelet's last word: registered or refused.
    pub registered: bool,
    /// Claims that are prepared now.
    pub prepared: usize,
    /// Claims in Prepare calls since the start.
    pub prepares: u64,
    /// Those that failed.
    pub prepare_failures: u64,
    /// Claims in Unprepare calls since the start.
    pub unprepares: u64,
    /// Those that failed.
    pub unprepare_failures: u64,
}
