//! Facts that all sides share about `resource.k8s.io`. Pure.
//!
//! * [`k8s`]: the API types, of the one Kubernetes version that they are built for
//! * [`quantity`], [`semver`]: values, equal to Go's
//! * [`names`], [`limits`]: what Kubernetes accepts
//! * [`field`]: validation errors with Kubernetes' texts
//! * [`validate`]: what an API server refuses

pub mod field;
pub mod limits;
pub mod names;
pub mod quantity;
pub mod semver;
pub mod validate;

pub use k8s_openapi as k8s;

pub use field::{FieldError, FieldPath};
pub use names::{DeviceName, DriverName, NodeName, PoolName};
pub use quantity::Quantity;
pub use semver::Semver;
