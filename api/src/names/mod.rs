//! Names: what Kubernetes accepts, with its own texts, and types for the checked.
//!
//! * `kinds`: the general kinds of names, as texts
//! * [`check`]: names in `resource.k8s.io` objects, as [`crate::field::FieldError`]s
//! * `checked`: [`DriverName`], [`PoolName`], [`DeviceName`], [`NodeName`]

pub mod check;
mod checked;
mod kinds;

pub use checked::{DeviceName, DriverName, NameError, NodeName, PoolName};
pub use kinds::{
    validate_c_identifier, validate_device_attribute_name, validate_device_name,
    validate_dns1123_label, validate_dns1123_subdomain, validate_driver_name, validate_label_name,
    validate_label_value, validate_node_name, validate_pool_name, validate_qualified_name,
    validate_subdomain_name,
};
