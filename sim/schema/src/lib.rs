//! What the API server knows of types: OpenAPI documents, strict decoding, defaults, patches, server-side apply, protobuf. Pure.

mod names;
pub mod openapi;
pub mod resource;
mod schemas;
pub mod types;

pub use resource::{ResourceType, Subresource};
pub use schemas::{LoadError, Schemas};
pub use types::GroupVersionKind;
