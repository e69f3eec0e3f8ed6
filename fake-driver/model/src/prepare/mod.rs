//! What NodePrepareResources and NodeUnprepareResources decide, without touching a file.
//!
//! * [`decide`]: allocation in, [`PreparedClaim`] out (rules PREP-06 to PREP-18 of the kubelet contract).
//! * [`unprepare`]: what has to be undone; needs only the uid (UNP-02).
//! * [`Held`]: who holds which device now.
//! * [`GpuConfig`], [`NicConfig`]: opaque parameters, decoded strictly.

mod assign;
mod config;
mod configs;
mod counters;
mod decide;
mod error;
mod held;
mod prepared;
mod strict;
#[cfg(test)]
mod tests;

pub use config::{API_VERSION, ConfigError, GpuConfig, GpuSharing, Interval, NicConfig};
pub use decide::{ClaimView, Unprepare, decide, unprepare};
pub use error::{PrepareError, Subject};
pub use held::{Held, Holder};
pub use prepared::{DeviceNode, Hold, Mount, PreparedClaim, PreparedDevice};
