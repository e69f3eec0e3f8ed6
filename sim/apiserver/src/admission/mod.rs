//! What the API server adds to objects, and what it forbids, before they are stored.
//!
//! ```text
//! pods      default service account, tolerations, priority (admission plugins that are on by default)
//! prepare   fields that only the server sets (the registries' strategies)
//! qos       the quality-of-service class of a pod
//! ```

mod pods;
mod prepare;
mod qos;

use serde_json::Value;

use crate::app::App;
use crate::catalogue::Kind;
use crate::failure::Failure;

pub(crate) use prepare::{prepare_for_create, prepare_for_update};

/// Changes or refuses a new object.
pub(crate) fn on_create(app: &App, kind: &Kind, value: &mut Value) -> Result<(), Failure> {
    if kind.is("", "pods") {
        return pods::admit(app, value);
    }
    Ok(())
}
