//! Waiting longer after each failure.

use std::time::Duration;

/// Doubles from `first` to `limit`.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    first: Duration,
    limit: Duration,
    next: Duration,
}

impl Backoff {
    pub(crate) const fn new(first: Duration, limit: Duration) -> Self {
        Self {
            first,
            limit,
            next: first,
        }
    }

    /// Back to the shortest wait.
    pub(crate) fn succeed(&mut self) {
        self.next = self.first;
    }
}

impl Iterator for Backoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let delay = self.next;
        self.next = (delay * 2).min(self.limit);
        Some(delay)
    }
}

impl kube::runtime::utils::Backoff for Backoff {
    fn reset(&mut self) {
        self.succeed();
    }
}
