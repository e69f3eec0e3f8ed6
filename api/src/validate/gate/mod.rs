//! Feature gates of the API server, and what is dropped when one is off.
//!
//! * `gates`: [`Gates`]
//! * `drop`: [`drop_disabled_fields`], by kind
//! * `claim`, `claim_status`, `slice`: the fields of each feature

mod claim;
mod claim_status;
mod drop;
mod gates;
mod slice;

pub use drop::{Part, drop_disabled_fields};
pub use gates::Gates;
