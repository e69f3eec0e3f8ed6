//! Controllers of the simulated cluster.
//!
//! ```text
//! engine       the one task: hears every change, runs what it made work for
//! world        what controllers see: the store, who owns what, which pod uses which claim
//! work         the queue: each item once, failed ones again later
//! template     pods from pod templates
//! claims       claims from templates, reservations, deallocation
//! replicas     ReplicaSets          deployments   Deployments
//! daemons      DaemonSets           jobs          Jobs
//! namespaces   default namespaces and accounts, deletion of contents
//! garbage      objects whose owners are gone
//! ```
//!
//! A real controller manager runs these in parallel; here one task runs them in turn, so that a test
//! sees one order of events and no two controllers race.

mod claims;
mod daemons;
mod deployments;
mod engine;
mod garbage;
mod jobs;
mod namespaces;
mod pods;
mod replicas;
mod template;
mod work;
mod world;

pub use engine::{ControllersConfig, start};
pub use work::ReconcileError;
