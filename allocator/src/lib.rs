//! The structured allocator of Kubernetes: which devices claims get on a node.
//!
//! Equal to `k8s.io/dynamic-resource-allocation/structured` v0.37.2 in result,
//! order and error text. Pure: no clock, no files, no threads.
//!
//! * [`Inventory`]: the published slices; [`InUse`]: what claims hold already;
//! * [`Features`]: the feature gates; [`Classes`]: the device classes;
//! * [`allocate()`]: the decision, from an [`Input`].
//!
//! Inside: `plan` checks what the claims ask for, `search` looks for devices,
//! `result` writes down what was found. `selection`, `capacity`, `constraint`,
//! `taints` and `derived` hold the rules of one feature each.

mod allocate;
mod capacity;
mod cel_cache;
mod classes;
mod constraint;
mod derived;
mod device_id;
mod error;
mod extras;
mod features;
mod in_use;
mod input;
mod inventory;
mod node_rule;
mod node_selector;
mod plan;
mod request;
mod result;
mod search;
mod selection;
mod taint_rules;
mod taints;

pub use allocate::{Stats, allocate, allocate_counted};
pub use cel_cache::{CelCache, DEFAULT_CAPACITY};
pub use classes::Classes;
pub use device_id::{DeviceId, PoolId};
pub use error::{
    AllocateError, CANNOT_ALLOCATE, CapacityError, CapacityProblem, Interrupt, RequestProblem,
    SelectorOwner,
};
pub use extras::Extras;
pub use features::{FeatureError, Features};
pub use in_use::InUse;
pub use input::{CountedShareIds, Input, ShareIds, never};
pub use inventory::{Inventory, SliceError};
pub use plan::MAX_RESULTS;
pub use taints::tolerates;
