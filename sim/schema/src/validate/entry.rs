//! Validation by kind.

use drakit_api::{FieldError, FieldPath};
use serde_json::Value;

use super::{
    cluster, metadata, pods,
    rules::{Errors, immutable},
    workloads,
};
use crate::{ResourceType, Schemas};

impl Schemas {
    /// What Kubernetes refuses in a new object that was decoded and defaulted: the errors of a
    /// 422, in its order. A missing name is the endpoint's to report.
    pub fn validate(&self, resource: &ResourceType, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        metadata::create(resource, object, &mut errors);
        content(resource, object, &mut errors);
        errors
    }

    /// What Kubernetes refuses in a change of an object: the errors of a 422. What a client
    /// cannot change in the metadata, the endpoint has put back.
    pub fn validate_update(
        &self,
        resource: &ResourceType,
        new: &Value,
        old: &Value,
    ) -> Vec<FieldError> {
        let mut errors = Vec::new();
        metadata::update(new, old, &mut errors);
        content(resource, new, &mut errors);
        let (new, old, path) = (&new["spec"], &old["spec"], FieldPath::new("spec"));
        match (resource.group.as_str(), resource.kind.as_str()) {
            ("", "Pod") => pods::spec_update(new, old, &path, &mut errors),
            ("apps", "Deployment" | "ReplicaSet" | "DaemonSet") => {
                immutable(new, old, "selector", &path, &mut errors);
            }
            ("batch", "Job") => workloads::job_update(new, old, &path, &mut errors),
            _ => {}
        }
        errors
    }
}

/// All but the metadata.
fn content(resource: &ResourceType, object: &Value, errors: &mut Errors) {
    let (spec, path) = (&object["spec"], FieldPath::new("spec"));
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Pod") => pods::spec(spec, &path, errors),
        ("", "Node") => cluster::taints(spec, errors),
        ("", "ConfigMap") => cluster::config_map(object, errors),
        ("apps", "Deployment") => workloads::deployment(spec, &path, errors),
        ("apps", "ReplicaSet") => workloads::replica_set(spec, &path, errors),
        ("apps", "DaemonSet") => workloads::daemon_set(spec, &path, errors),
        ("batch", "Job") => workloads::job(spec, &path, errors),
        _ => {}
    }
}
