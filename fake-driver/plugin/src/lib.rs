//! Kubelet edge of the emulated driver: registration, DRA, sockets, checkpoint, CDI files.
//!
//! | module | concept |
//! |---|---|
//! | `layout` | where the files of one driver on one node are |
//! | `plugin` | one driver on one node: start, serve, stop |
//! | `registration`, `dra` | the gRPC services |
//! | `server`, `socket` | a socket that appears when it is ready, and who serves it |
//! | `claims` | Prepare and Unprepare of one claim, step by step |
//! | `failure` | what they need from outside, and how they fail |
//! | `table` | what is prepared and what is under way, in memory |
//! | `decision` | the seam to the pure decisions of `drakit_driver_model` |
//! | `checkpoint`, `cdi_folder`, `durable` | the same on disk |
//! | `status`, `error` | what is reported |

mod cdi_folder;
mod checkpoint;
mod claims;
mod decision;
mod dra;
mod durable;
mod error;
mod failure;
mod layout;
mod plugin;
mod registration;
mod server;
mod socket;
mod status;
mod table;

pub use decision::{Identity, Rejected};
pub use error::{CheckpointError, ServeError, StartError};
pub use failure::{ClaimRef, ClaimSource, ClaimSourceError, PrepareFailure, UnprepareFailure};
pub use layout::{Folders, SOCKET_PATH_LIMIT};
pub use plugin::{Plugin, PluginConfig, PluginHandle};
pub use status::PluginStatus;
