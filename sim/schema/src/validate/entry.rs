//! Validation by kind.

use drakit_api::{FieldError, FieldPath};
use serde_json::Value;

use super::{cluster, pods, rules::immutable, workloads};
use crate::{ResourceType, Schemas};

impl Schemas {
    /// What Kubernetes refuses in a new object that was decoded and defaulted: the errors of a
    /// 422, in its order. Metadata is not looked at here.
    pub fn validate(&self, resource: &ResourceType, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let (spec, path) = (&object["spec"], FieldPath::new("spec"));
        match (resource.group.as_str(), resource.kind.as_str()) {
            ("", "Pod") => pods::spec(spec, &path, &mut errors),
            ("", "Node") => cluster::taints(spec, &mut errors),
            ("", "ConfigMap") => cluster::config_map(object, &mut errors),
            ("apps", "Deployment") => workloads::deployment(spec, &path, &mut errors),
            ("apps", "ReplicaSet") => workloads::replica_set(spec, &path, &mut errors),
            ("apps", "DaemonSet") => workloads::daemon_set(spec, &path, &mut errors),
            ("batch", "Job") => workloads::job(spec, &path, &mut errors),
            _ => {}
        }
        errors
    }

    /// What Kubernetes refuses in a change of an object: the errors of a 422. Metadata is not
    /// looked at here.
    pub fn validate_update(
        &self,
        resource: &ResourceType,
        new: &Value,
        old: &Value,
    ) -> Vec<FieldError> {
        let mut errors = self.validate(resource, new);
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
