//! Drivers that registered, and the calls to them.
//!
//! ```text
//! plugins  the registered drivers of one node
//! plugin   one instance: prepare and unprepare
//! link     its connection
//! wipe     deletion of the slices of drivers that are gone
//! ```

mod link;
mod plugin;
mod plugins;
mod wipe;

pub use plugin::{DraService, Plugin, SUPPORTED_SERVICES};
pub use plugins::{NoPlugin, Plugins, RegisterError};
pub(crate) use wipe::{Wiper, delete_slices};
