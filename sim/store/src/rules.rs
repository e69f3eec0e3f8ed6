//! Metadata rules of the API server: generation, deletion, names.
//!
//! From `k8s.io/apiserver/pkg/registry/{rest,generic/registry}` and the strategies under
//! `k8s.io/kubernetes/pkg/registry`.

use serde_json::{Map, Value, json};

use crate::object::Object;
use crate::resource::{NAMESPACES, PODS, Resource};

/// Kinds whose `metadata.generation` the API server keeps (their strategies set it to 1).
const WITH_GENERATION: &[(&str, &str)] = &[
    ("", "pods"),
    ("", "replicationcontrollers"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "daemonsets"),
    ("apps", "statefulsets"),
    ("batch", "jobs"),
    ("batch", "cronjobs"),
    ("resource.k8s.io", "resourceslices"),
    ("resource.k8s.io", "deviceclasses"),
    ("resource.k8s.io", "devicetaintrules"),
    ("networking.k8s.io", "ingresses"),
    ("networking.k8s.io", "networkpolicies"),
    ("policy", "poddisruptionbudgets"),
    ("scheduling.k8s.io", "priorityclasses"),
    (
        "admissionregistration.k8s.io",
        "validatingadmissionpolicies",
    ),
    (
        "admissionregistration.k8s.io",
        "validatingadmissionpolicybindings",
    ),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("discovery.k8s.io", "endpointslices"),
];

/// How to delete (`metav1.DeleteOptions`).
#[derive(Debug, Clone, Default)]
pub struct DeleteOptions {
    /// Seconds a pod may take to stop; `None` = what the pod says.
    pub grace_period_seconds: Option<i64>,
    /// Only this incarnation.
    pub uid: Option<String>,
    /// Only this version.
    pub resource_version: Option<String>,
    /// `Background` (the default), `Foreground` or `Orphan`.
    pub propagation_policy: Option<String>,
}

impl DeleteOptions {
    /// Remove at once, as the kubelet does when a pod has stopped.
    pub fn now(uid: impl Into<String>) -> Self {
        Self {
            grace_period_seconds: Some(0),
            uid: Some(uid.into()),
            ..Self::default()
        }
    }
}

pub(crate) fn metadata(value: &mut Value) -> Option<&mut Map<String, Value>> {
    let object = value.as_object_mut()?;
    object
        .entry("metadata")
        .or_insert_with(|| json!({}))
        .as_object_mut()
}

fn has_generation(resource: &Resource) -> bool {
    WITH_GENERATION
        .iter()
        .any(|(group, plural)| *group == resource.group && *plural == resource.plural)
}

/// The uid that the API server has chosen already, because the object's spec names it (jobs).
pub(crate) fn given_uid(value: &Value) -> Option<String> {
    let uid = value.pointer("/metadata/uid").and_then(Value::as_str)?;
    (!uid.is_empty()).then(|| uid.to_owned())
}

/// The metadata that a new object gets.
pub(crate) fn stamp_new(resource: &Resource, value: &mut Value, uid: &str, now: &str) {
    if let Some(object) = value.as_object_mut() {
        object.insert("apiVersion".into(), json!(resource.api_version()));
        object.insert("kind".into(), json!(resource.kind));
    }
    let Some(meta) = metadata(value) else { return };
    meta.insert("uid".into(), json!(uid));
    meta.insert("creationTimestamp".into(), json!(now));
    for field in [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "generation",
    ] {
        meta.remove(field);
    }
    if has_generation(resource) {
        meta.insert("generation".into(), json!(1));
    }
    if !resource.namespaced {
        meta.remove("namespace");
    }
    if *resource == NAMESPACES {
        value["spec"]["finalizers"] = json!(["kubernetes"]);
        value["status"] = json!({"phase": "Active"});
    }
}

/// Metadata that a client cannot change on update (`rest.BeforeUpdate`).
pub(crate) fn keep_old_metadata(resource: &Resource, old: &Object, new: &mut Value) {
    let old_meta = old.at(&["metadata"]);
    let deletion = [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
    ];
    if let Some(meta) = metadata(new) {
        for field in deletion {
            match old_meta.get(field) {
                Some(value) => meta.insert(field.into(), value.clone()),
                None => meta.remove(field),
            };
        }
        if !resource.namespaced {
            meta.remove("namespace");
        }
    }
    if let Some(object) = new.as_object_mut() {
        object.insert("apiVersion".into(), json!(resource.api_version()));
        object.insert("kind".into(), json!(resource.kind));
    }
}

/// Puts the old status into a plain write (kinds with a status subresource).
pub(crate) fn keep_old_status(old: &Object, new: &mut Value) {
    if let Some(object) = new.as_object_mut() {
        match old.value().get("status") {
            Some(status) => object.insert("status".into(), status.clone()),
            None => object.remove("status"),
        };
    }
}

/// Puts everything but status (and managed fields) of the old object into a status write.
pub(crate) fn keep_all_but_status(old: &Object, new: &Value) -> Value {
    let mut merged = old.value().clone();
    if let Some(object) = merged.as_object_mut() {
        match new.get("status") {
            Some(status) => object.insert("status".into(), status.clone()),
            None => object.remove("status"),
        };
    }
    let managed = new.pointer("/metadata/managedFields");
    if let (Some(meta), Some(managed)) = (metadata(&mut merged), managed) {
        meta.insert("managedFields".into(), managed.clone());
    }
    merged
}

/// Raises `metadata.generation` when anything outside metadata and status changed.
pub(crate) fn bump_generation(resource: &Resource, old: &Object, new: &mut Value) {
    if !has_generation(resource) || !spec_differs(old.value(), new) {
        return;
    }
    let next = old.at(&["metadata", "generation"]).as_i64().unwrap_or(0) + 1;
    if let Some(meta) = metadata(new) {
        meta.insert("generation".into(), json!(next));
    }
}

fn spec_differs(old: &Value, new: &Value) -> bool {
    let counted = |k: &str| !matches!(k, "metadata" | "status" | "apiVersion" | "kind");
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return true;
    };
    let fields = |o: &Map<String, Value>| o.keys().filter(|k| counted(k)).count();
    fields(old) != fields(new) || old.iter().any(|(k, v)| counted(k) && new.get(k) != Some(v))
}

/// What a delete call does to an object.
#[derive(Debug, PartialEq)]
pub(crate) enum Deletion {
    /// It goes away now.
    Remove,
    /// It stays, marked.
    Mark {
        grace_seconds: i64,
        finalizers: Vec<String>,
    },
    /// It was marked before and nothing changes.
    Unchanged,
}

/// Decides a delete (`rest.BeforeDelete`, `deletionFinalizersForGarbageCollection`).
pub(crate) fn decide_deletion(
    resource: &Resource,
    object: &Object,
    options: &DeleteOptions,
) -> Deletion {
    let mut finalizers = finalizers(object.value());
    match options.propagation_policy.as_deref() {
        Some("Foreground") if !object.is_deleting() => {
            add_once(&mut finalizers, "foregroundDeletion");
        }
        Some("Orphan") if !object.is_deleting() => add_once(&mut finalizers, "orphan"),
        _ => {}
    }
    let grace = grace_seconds(resource, object, options);
    let held = !finalizers.is_empty() || namespace_finalizers(resource, object.value());
    if object.is_deleting() {
        let pending = object
            .at(&["metadata", "deletionGracePeriodSeconds"])
            .as_i64()
            .unwrap_or(0);
        return match (grace < pending, held, grace) {
            (_, false, 0) => Deletion::Remove,
            (true, ..) => Deletion::Mark {
                grace_seconds: grace,
                finalizers,
            },
            _ => Deletion::Unchanged,
        };
    }
    if grace == 0 && !held {
        Deletion::Remove
    } else {
        Deletion::Mark {
            grace_seconds: grace,
            finalizers,
        }
    }
}

fn add_once(finalizers: &mut Vec<String>, name: &str) {
    if !finalizers.iter().any(|f| f == name) {
        finalizers.push(name.to_owned());
    }
}

/// Only pods have a grace period (`podStrategy.CheckGracefulDelete`).
fn grace_seconds(resource: &Resource, object: &Object, options: &DeleteOptions) -> i64 {
    if *resource != PODS {
        return 0;
    }
    let terminal = matches!(object.str_at(&["status", "phase"]), "Succeeded" | "Failed");
    if object.str_at(&["spec", "nodeName"]).is_empty() || terminal {
        return 0;
    }
    let own = object
        .at(&["spec", "terminationGracePeriodSeconds"])
        .as_i64()
        .unwrap_or(30);
    options.grace_period_seconds.unwrap_or(own).max(0)
}

pub(crate) fn finalizers(value: &Value) -> Vec<String> {
    let list = value
        .pointer("/metadata/finalizers")
        .and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|f| f.as_str().map(str::to_owned))
        .collect()
}

fn namespace_finalizers(resource: &Resource, value: &Value) -> bool {
    *resource == NAMESPACES
        && value
            .pointer("/spec/finalizers")
            .and_then(Value::as_array)
            .is_some_and(|f| !f.is_empty())
}

/// Whether an object marked for deletion has nothing left to wait for after an update.
pub(crate) fn may_go(resource: &Resource, value: &Value) -> bool {
    let marked = value.pointer("/metadata/deletionTimestamp").is_some();
    let grace = value
        .pointer("/metadata/deletionGracePeriodSeconds")
        .and_then(Value::as_i64)
        .unwrap_or(0);
    marked && grace == 0 && finalizers(value).is_empty() && !namespace_finalizers(resource, value)
}

/// Marks an object for deletion at `at` (RFC 3339 seconds, grace included).
pub(crate) fn mark_deleted(
    resource: &Resource,
    value: &mut Value,
    at: &str,
    grace_seconds: i64,
    finalizers: &[String],
) {
    if let Some(meta) = metadata(value) {
        meta.insert("deletionTimestamp".into(), json!(at));
        meta.insert("deletionGracePeriodSeconds".into(), json!(grace_seconds));
        if !finalizers.is_empty() {
            meta.insert("finalizers".into(), json!(finalizers));
        }
    }
    if *resource == NAMESPACES {
        value["status"]["phase"] = json!("Terminating");
    }
}
