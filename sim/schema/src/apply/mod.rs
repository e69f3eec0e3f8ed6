//! Field management and server-side apply (apimachinery `pkg/util/managedfields`,
//! sigs.k8s.io/structured-merge-diff):
//! * `set`: sets of field paths; `fields_v1`: their form in `metadata.managedFields`;
//! * `shape`: how a type's places are told apart (granular or atomic, item keys);
//! * `field_set`, `compare`, `merge`, `remove`, `validate`: the five walks over typed objects;
//! * `entries`: `metadata.managedFields` <-> managers and their sets;
//! * `reset`: fields that an endpoint ignores;
//! * `update`: who owns what after an update; `server_side`: an apply request;
//! * `error`: conflicts and refusals, in the words of Kubernetes.
//!
//! Every kind is served in one version, so no set is ever converted to another.

mod compare;
mod entries;
mod error;
mod field_set;
mod fields_v1;
mod merge;
mod remove;
mod reset;
mod server_side;
mod set;
mod shape;
mod update;
mod validate;

pub use error::{ApplyError, Conflict};

/// Who changes an object, through which endpoint, when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manager<'a> {
    /// `fieldManager` of the request, or the start of its user agent.
    pub name: &'a str,
    /// `status` and the like; empty for the object itself.
    pub subresource: &'a str,
    /// RFC 3339, whole seconds.
    pub time: &'a str,
}
