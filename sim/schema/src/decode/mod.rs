//! Request bodies -> objects, with the strictness and the words of Kubernetes:
//! * `raw`: JSON or YAML text -> a tree that keeps order and duplicates;
//! * `walk`: that tree against a type: unknown and duplicate fields, wrong types;
//! * `scalar`: quantities and times;
//! * `body`: media types, `apiVersion` and `kind`, validation modes;
//! * `error`: what is refused, in the words of Kubernetes.

mod body;
mod error;
mod raw;
pub(crate) mod scalar;
mod walk;

pub use body::{Decoded, FieldValidation, MediaType};
pub(crate) use error::SCHEME;
pub use error::{Cause, DecodeError};
pub(crate) use raw::{Raw, parse_json, parse_yaml};
pub(crate) use walk::is_written;
