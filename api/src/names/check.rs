//! Names in `resource.k8s.io` objects, checked as the API server does.
//!
//! Source: `kubernetes/pkg/apis/resource/validation/validation.go`, v1.37.2.

use super::kinds;
use crate::field::{FieldError, FieldPath};
use crate::limits;

/// A DNS label: devices, requests, counters.
pub fn dns1123_label(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    invalid(name, path, kinds::validate_label_name(name))
}

/// A DNS subdomain: device classes and most objects.
pub fn dns1123_subdomain(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    invalid(name, path, kinds::validate_subdomain_name(name))
}

/// The name of a device.
pub fn device_name(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    dns1123_label(name, path)
}

/// The name of a node.
pub fn node_name(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    dns1123_subdomain(name, path)
}

/// The name of a driver: a short domain, in any case (the rule of CSI drivers).
pub fn driver_name(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    if name.is_empty() {
        return vec![FieldError::required(path, "")];
    }
    let mut errors = Vec::new();
    if name.len() > limits::DRIVER_NAME_MAX_LENGTH {
        errors.push(FieldError::too_long(path, limits::DRIVER_NAME_MAX_LENGTH));
    }
    let problems = kinds::validate_subdomain_name(&name.to_lowercase());
    errors.extend(invalid(name, path, problems));
    errors
}

/// The name of a pool: domains, separated by slashes.
pub fn pool_name(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    if name.is_empty() {
        return vec![FieldError::required(path, "")];
    }
    let mut errors = Vec::new();
    if name.len() > limits::POOL_NAME_MAX_LENGTH {
        errors.push(FieldError::too_long(path, limits::POOL_NAME_MAX_LENGTH));
    }
    errors.extend(
        name.split('/')
            .flat_map(|part| dns1123_subdomain(part, path)),
    );
    errors
}

/// The name of an attribute or a capacity: a C identifier, with an optional
/// domain. As in Kubernetes, a name with two or more slashes passes.
pub fn qualified_name(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    match name.split('/').collect::<Vec<_>>().as_slice() {
        [name] => errors.extend(c_identifier(name, path)),
        [domain, name] => {
            if domain.is_empty() {
                errors.push(FieldError::invalid(
                    path,
                    "",
                    "the domain must not be empty",
                ));
            } else {
                errors.extend(driver_name(domain, path));
            }
            if name.is_empty() {
                errors.push(FieldError::invalid(path, "", "the name must not be empty"));
            } else {
                errors.extend(c_identifier(name, path));
            }
        }
        _ => {}
    }
    errors
}

/// As [`qualified_name`], with a domain that is not optional.
pub fn fully_qualified_name(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    let mut errors = qualified_name(name, path);
    if !name.contains('/') {
        errors.push(FieldError::invalid(
            path,
            name,
            "a fully qualified name must be a domain and a name separated by a slash",
        ));
    }
    errors
}

/// A C identifier of limited length.
pub fn c_identifier(name: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if name.len() > limits::DEVICE_MAX_ID_LENGTH {
        errors.push(FieldError::too_long(path, limits::DEVICE_MAX_ID_LENGTH));
    }
    errors.extend(invalid(name, path, kinds::validate_c_identifier(name)));
    errors
}

/// The value of a label, such as that of a taint.
pub fn label_value(value: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    invalid(value, path, kinds::validate_label_value(value))
}

/// The key of a label, such as that of a taint.
pub fn label_key(key: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    invalid(key, path, kinds::validate_qualified_name(key))
}

fn invalid(name: &str, path: &FieldPath<'_>, problems: Vec<String>) -> Vec<FieldError> {
    problems
        .into_iter()
        .map(|problem| FieldError::invalid(path, name, problem))
        .collect()
}
