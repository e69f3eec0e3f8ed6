//! The Go types of the API, as far as validation compares and shows values of them.
//!
//! * `types`: what a type is made of
//! * `slice_types`, `claim_types`, `shared_types`: the types
//! * `same`: `equality.Semantic.DeepEqual`
//! * `render`: `json.Marshal`

mod claim_types;
mod render;
mod same;
mod shared_types;
mod slice_types;
mod types;

pub(super) use claim_types::*;
pub(super) use render::{internal_json, template_spec_json, wire_json};
pub(super) use same::{changed, same};
pub(super) use shared_types::{NODE_SELECTOR_TERMS, OWNER_REFERENCE, OWNER_REFERENCES};
pub(super) use slice_types::*;
pub(super) use types::Shape;
