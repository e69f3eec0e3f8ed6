//! What an API server of 1.37.2 refuses in objects of `resource.k8s.io/v1`, in its
//! own words and order. Pure; over JSON values that were decoded strictly and
//! defaulted before.
//!
//! * `dispatch`: by kind; [`create`], [`update`], [`status_update`]
//! * `claim`, `claim_status`, `class`, `slice`, `taint_rule`: one kind each
//! * `meta`, `conditions`, `node_selector`: parts of Kubernetes that these kinds use
//! * `request`, `config`, `cel`: parts of a claim
//! * `device`, `attribute`, `capacity`, `counters`, `node_allocatable`, `taint`:
//!   parts of a slice
//! * `declared`: the second layer, which Kubernetes generates from markers on its types
//! * `findings`: how the two layers merge
//! * `gate`: [`Gates`] and what is dropped when one is off
//! * `shape`: the Go types, for comparing and for showing values
//! * `view`: reading a JSON value
//!
//! Sources: `k8s.io/kubernetes` v1.37.2, `pkg/apis/resource/validation`,
//! `pkg/apis/resource/v1/zz_generated.validations.go`, `pkg/registry/resource`,
//! and what they call of `k8s.io/apimachinery` and `k8s.io/apiserver`.
//!
//! Three differences: opaque parameters are compact JSON with sorted keys here, so
//! that their size is counted and they are shown and compared that way (Kubernetes
//! keeps the bytes as sent); where Kubernetes walks a map in random order, this goes
//! by key; unprintable letters in a field manager's name pass.

mod attribute;
mod capacity;
mod cel;
mod checks;
mod claim;
mod claim_status;
mod class;
mod conditions;
mod config;
mod counters;
mod declared;
mod device;
mod dispatch;
mod findings;
mod gate;
mod items;
mod meta;
mod node_allocatable;
mod node_selector;
mod request;
mod shape;
mod slice;
mod taint;
mod taint_rule;
mod view;

pub use checks::{CelCheck, CelProblem, CelUse, Checks};
pub use claim::{
    resource_claim, resource_claim_template, resource_claim_template_update, resource_claim_update,
};
pub use claim_status::resource_claim_status_update;
pub use class::{device_class, device_class_update};
pub use dispatch::{create, status_update, update};
pub use gate::{Gates, Part, drop_disabled_fields};
pub use slice::resource_slice;
pub use taint_rule::{
    device_taint_rule, device_taint_rule_status_update, device_taint_rule_update,
};
