//! Wall-clock time as the API prints it.

use std::sync::Arc;

use jiff::Timestamp;

/// Source of "now", so that golden output can use a fixed time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl Clock {
    /// The clock of the machine.
    pub fn system() -> Self {
        Self(Arc::new(Timestamp::now))
    }

    /// A clock that always shows `at`.
    pub fn fixed(at: Timestamp) -> Self {
        Self(Arc::new(move || at))
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }

    /// Now as `metav1.Time` prints it: RFC 3339, seconds, UTC.
    pub fn now_seconds(&self) -> String {
        self.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// Now as `metav1.MicroTime` prints it: RFC 3339, microseconds, UTC.
    pub fn now_micros(&self) -> String {
        self.now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
    }
}
