//! Scheduler of the simulated cluster, over `drakit-allocator`.
//!
//! ```text
//! engine     the one task: hears changes, tries pods
//! queue      pods that wait: ready, backing off, until something changes
//! world      nodes, claims, slices and classes as the scheduler sees them
//! pod        what one pod asks for
//! filters    which nodes a pod may use: taints, affinity, resources
//! decide     the pure decision: a node and allocations, or why not
//! verdict    reasons, in the words of kube-scheduler
//! commit     writes: claims, binding, conditions, events
//! ```
//!
//! Of nodes that fit, the one with the fewest pods is taken, by name among equals; kube-scheduler
//! scores more and picks at random among equals. Priorities of `firstAvailable` requests are scored
//! as the dynamic resources plugin scores them.

mod commit;
mod decide;
mod engine;
mod filters;
mod pod;
mod queue;
mod verdict;
mod world;

pub use engine::{SchedulerConfig, start};
