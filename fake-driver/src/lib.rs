//! The emulated DRA driver: one runtime that serves one node, or many nodes in one process.
//!
//! | module | concept |
//! |---|---|
//! | `config` | what a process serves |
//! | `assignment` | which plugin and which publisher serves which pool (pure) |
//! | `driver` | starts everything, joins everything |
//! | `observer` | status, readiness, another fleet |
//! | `upkeep` | work in the background |
//! | `claims` | joins the publisher's client to the plugin's need |
//! | `open_files` | the limit of open files |

mod assignment;
mod claims;
mod config;
mod driver;
mod error;
mod observer;
mod open_files;
mod upkeep;

pub use config::{DriverConfig, FolderTemplates, ServedNodes};
pub use drakit_driver_plugin::{Folders, Identity, PluginStatus, ServeError, StartError};
pub use drakit_driver_publisher::PublishStatus;
pub use driver::{Driver, run};
pub use error::DriverError;
pub use observer::{DriverStatus, Observer};
