//! Pods.
//!
//! ```text
//! dispatch     one watch for all nodes, one worker for each pod
//! worker       the life of one pod
//! containers   making its containers
//! environment  what a container's environment is without CDI
//! status       pod status
//! qos, image   parts of it that are computed
//! logs         what `kubectl logs` shows
//! addresses    pod and node addresses
//! view         the parts of pods that are read
//! ```

pub(crate) mod addresses;
mod containers;
mod dispatch;
mod environment;
mod image;
mod logs;
mod qos;
mod status;
pub(crate) mod view;
mod worker;

pub(crate) use dispatch::{Dispatcher, Hosted};
pub(crate) use logs::LogBook;
pub use logs::LogError;
