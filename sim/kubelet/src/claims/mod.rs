//! The kubelet's DRA manager.
//!
//! ```text
//! manager     prepare and unprepare: the calls
//! cache       which claims, for which pods: the decisions
//! checkpoint  what survives a restart
//! info, view  the data
//! ```

mod cache;
mod checkpoint;
mod error;
mod info;
mod manager;
mod view;

pub use checkpoint::CheckpointError;
pub use error::{PrepareError, UnprepareError};
pub(crate) use manager::ClaimManager;
