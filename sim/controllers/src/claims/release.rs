//! Removes users that are gone from a claim, deallocates it with the last, and deletes generated
//! claims of pods that are done.

use drakit_sim_store::resource::{PODS, RESOURCE_CLAIMS};
use drakit_sim_store::{DeleteOptions, Expect, Key, Object, StoreError};
use serde_json::{Value, json};

use super::FINALIZER;
use crate::pods::is_done;
use crate::work::{ReconcileError, gone_is_fine};
use crate::world::World;

pub(crate) fn sync_claim(world: &World, key: &Key) -> Result<(), ReconcileError> {
    let Some(claim) = world.get(&RESOURCE_CLAIMS, key)? else {
        return Ok(());
    };
    let users = claim
        .at(&["status", "reservedFor"])
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut remaining = Vec::with_capacity(users.len());
    for user in &users {
        if still_uses(world, &claim, user)? {
            remaining.push(user.clone());
        }
    }
    let protected = has_finalizer(&claim);
    if remaining.len() < users.len() || (protected && claim.is_deleting() && remaining.is_empty()) {
        release(world, &claim, &remaining, protected)?;
    }
    if remaining.is_empty() {
        delete_if_generated(world, &claim)
    } else {
        Ok(())
    }
}

fn still_uses(world: &World, claim: &Object, user: &Value) -> Result<bool, ReconcileError> {
    let group = user.get("apiGroup").and_then(Value::as_str).unwrap_or("");
    if !group.is_empty() || user["resource"] != "pods" {
        return Ok(true); // Not ours to judge.
    }
    let pod = Key::new(claim.namespace(), user["name"].as_str().unwrap_or(""));
    let Some(pod) = world.get(&PODS, &pod)? else {
        return Ok(false);
    };
    Ok(user["uid"].as_str() == Some(pod.uid()) && !is_done(&pod))
}

fn has_finalizer(claim: &Object) -> bool {
    claim
        .at(&["metadata", "finalizers"])
        .as_array()
        .into_iter()
        .flatten()
        .any(|f| f == FINALIZER)
}

/// Writes the remaining users; with none left, also clears the allocation and lets the claim go.
/// Kubernetes makes two writes of it; nobody can act between them, so here it is one.
fn release(
    world: &World,
    claim: &Object,
    remaining: &[Value],
    protected: bool,
) -> Result<(), ReconcileError> {
    let write = world.store.update_all(
        &RESOURCE_CLAIMS,
        &claim.key(),
        &Expect::version_of(claim),
        |old| {
            let mut new = old.value().clone();
            let Some(status) = new["status"].as_object_mut() else {
                return Ok(new);
            };
            if remaining.is_empty() {
                status.remove("reservedFor");
            } else {
                status.insert("reservedFor".into(), json!(remaining));
            }
            if remaining.is_empty() && protected {
                // Device statuses belong to the allocation and go with it.
                status.remove("allocation");
                status.remove("devices");
                drop_finalizer(&mut new);
            }
            Ok::<_, StoreError>(new)
        },
    );
    gone_is_fine(write)
}

fn drop_finalizer(claim: &mut Value) {
    if let Some(meta) = claim["metadata"].as_object_mut() {
        if let Some(list) = meta.get_mut("finalizers").and_then(Value::as_array_mut) {
            list.retain(|f| f != FINALIZER);
        }
        if meta
            .get("finalizers")
            .and_then(Value::as_array)
            .is_some_and(Vec::is_empty)
        {
            meta.remove("finalizers");
        }
    }
}

/// A generated claim whose pod was replaced or will not run is deleted before the pod is.
fn delete_if_generated(world: &World, claim: &Object) -> Result<(), ReconcileError> {
    let Some(owner) = claim
        .controller()
        .filter(|o| o["kind"] == "Pod" && o["apiVersion"] == "v1")
    else {
        return Ok(());
    };
    let pod = Key::new(claim.namespace(), owner["name"].as_str().unwrap_or(""));
    let Some(pod) = world.get(&PODS, &pod)? else {
        return Ok(());
    };
    if owner["uid"].as_str() == Some(pod.uid()) && !is_done(&pod) {
        return Ok(());
    }
    let options = DeleteOptions {
        uid: Some(claim.uid().to_owned()),
        ..DeleteOptions::default()
    };
    gone_is_fine(world.store.delete(&RESOURCE_CLAIMS, &claim.key(), &options))
}
