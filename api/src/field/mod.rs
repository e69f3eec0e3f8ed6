//! Validation errors with the text of Go's `field.Error`.
//!
//! * [`FieldPath`][]: where
//! * [`FieldError`], [`ErrorKind`], [`BadValue`]: what
//! * [`go_quote`]: a string as Go's `%q`
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation/field`, v0.37.2.

mod error;
mod path;
mod quote;

pub use error::{BadValue, ErrorKind, FieldError};
pub use path::FieldPath;
pub use quote::go_quote;
