//! The emulated driver as pure functions: what a fleet publishes and what a prepare does, without files, sockets or
//! clock.
//!
//! * [`fleet`]: the fleet file; strict, every problem at once.
//! * [`catalogue`]: built-in profiles.
//! * [`plan`]: nodes, pools and their slices.
//! * [`render`]: a plan as Kubernetes objects.
//! * [`prepare`]: NodePrepareResources and NodeUnprepareResources.
//! * [`cdi`]: files for container runtimes.

pub mod catalogue;
pub mod cdi;
mod device;
pub mod fleet;
mod kind;
pub mod plan;
pub mod prepare;
pub mod render;
mod template;
mod yaml;

pub use fleet::{Fleet, FleetErrors};
pub use kind::DeviceKind;
pub use plan::{NodePlan, Plan, PoolPlan};
