//! What the API server knows of types: OpenAPI documents, strict decoding, defaults, patches, server-side apply, protobuf. Pure.

pub mod apply;
mod canonical;
pub mod decode;
mod defaults;
mod go_print;
mod names;
pub mod openapi;
pub mod patch;
mod protobuf;
pub mod resource;
mod schemas;
pub mod selector;
pub mod table;
pub mod types;
mod validate;

pub use apply::{ApplyError, Conflict, Manager};
pub use decode::{DecodeError, Decoded, FieldValidation, MediaType};
pub use patch::PatchError;
pub use resource::{ResourceType, Subresource};
pub use schemas::{LoadError, Schemas};
pub use selector::{FieldSelector, LabelSelector, SelectorError};
pub use types::GroupVersionKind;
