//! Makes claims from templates, and reserves allocated claims for pods that have a node already.

use std::collections::BTreeMap;

use drakit_sim_store::resource::{PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS};
use drakit_sim_store::{EventType, Expect, Key, Object, StoreError};
use serde_json::{Value, json};

use super::{ClaimName, claim_name, pod_claims};
use crate::pods::is_done;
use crate::work::ReconcileError;
use crate::world::World;

/// Ties a claim to the entry of its pod (`resourceapi.PodResourceClaimAnnotation`).
const POD_CLAIM_ANNOTATION: &str = "resource.kubernetes.io/pod-claim-name";
/// Room for a hyphen and five letters in a name of 63.
const MAX_BASE: usize = 57;
/// `ResourceClaimReservedForMaxSize`.
const MAX_USERS: usize = 256;

pub(crate) fn sync_pod(world: &mut World, key: &Key) -> Result<(), ReconcileError> {
    let Some(pod) = world.get(&PODS, key)? else {
        return Ok(());
    };
    if pod.is_deleting() || is_done(&pod) {
        return Ok(());
    }
    let mut made = BTreeMap::new();
    for entry in pod_claims(&pod) {
        let name = entry["name"].as_str().unwrap_or("");
        match claim_for(world, &pod, entry) {
            Ok(Some(claim)) => {
                made.insert(name.to_owned(), claim);
            }
            Ok(None) => {}
            Err(error) => {
                let text = format!("PodResourceClaim {name}: {error}");
                world.event(
                    "resource_claim",
                    &pod,
                    EventType::Warning,
                    "FailedResourceClaimCreation",
                    &text,
                );
                return Err(error);
            }
        }
    }
    let pod = if made.is_empty() {
        pod
    } else {
        record_names(world, &pod, &made)?
    };
    if pod.str_at(&["spec", "nodeName"]).is_empty() {
        return Ok(()); // The scheduler reserves.
    }
    pod_claims(&pod)
        .iter()
        .try_for_each(|entry| reserve(world, &pod, entry))
}

/// Makes the claim of an entry if it is missing; its name if it was made or found just now.
fn claim_for(world: &World, pod: &Object, entry: &Value) -> Result<Option<String>, ReconcileError> {
    match claim_name(pod, entry) {
        ClaimName::NotNeeded => return Ok(None),
        ClaimName::Known(name) => {
            let template = entry.get("resourceClaimTemplateName").is_some();
            let found = world.get(&RESOURCE_CLAIMS, &Key::new(pod.namespace(), name))?;
            if !template || found.is_some_and(|claim| belongs_to(&claim, pod)) {
                return Ok(None);
            }
        }
        ClaimName::ToBeMade => {}
    }
    let Some(template) = entry
        .get("resourceClaimTemplateName")
        .and_then(Value::as_str)
    else {
        return Ok(None);
    };
    if let Some(orphan) = orphan(world, pod, entry)? {
        return Ok(Some(orphan));
    }
    let Some(template) = world.get(
        &RESOURCE_CLAIM_TEMPLATES,
        &Key::new(pod.namespace(), template),
    )?
    else {
        return Err(ReconcileError::Waiting(format!(
            "resource claim template \"{template}\": resourceclaimtemplate.resource.k8s.io \"{template}\" not found"
        )));
    };
    let claim = world
        .store
        .create(&RESOURCE_CLAIMS, claim_from(&template, pod, entry))?;
    Ok(Some(claim.name().to_owned()))
}

fn belongs_to(claim: &Object, pod: &Object) -> bool {
    claim
        .controller()
        .is_some_and(|c| c["uid"].as_str() == Some(pod.uid()))
}

/// A claim that was made before the pod's status could be written.
fn orphan(world: &World, pod: &Object, entry: &Value) -> Result<Option<String>, ReconcileError> {
    for dependent in world.dependents(pod.uid()) {
        if !world.is(&dependent, &RESOURCE_CLAIMS) {
            continue;
        }
        let Some(claim) = world.get(&RESOURCE_CLAIMS, &dependent.key)? else {
            continue;
        };
        let annotation = claim.at(&["metadata", "annotations", POD_CLAIM_ANNOTATION]);
        if belongs_to(&claim, pod) && annotation == &entry["name"] && !claim.is_deleting() {
            return Ok(Some(claim.name().to_owned()));
        }
    }
    Ok(None)
}

fn claim_from(template: &Object, pod: &Object, entry: &Value) -> Value {
    let entry_name = entry["name"].as_str().unwrap_or("");
    let mut annotations = template.at(&["spec", "metadata", "annotations"]).clone();
    if !annotations.is_object() {
        annotations = json!({});
    }
    annotations[POD_CLAIM_ANNOTATION] = json!(entry_name);
    let mut claim = json!({
        "metadata": {
            "generateName": generate_name(pod.name(), entry_name),
            "namespace": pod.namespace(),
            "annotations": annotations,
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "Pod", "name": pod.name(), "uid": pod.uid(), "controller": true,
            }],
        },
        "spec": template.at(&["spec", "spec"]),
        "status": {},
    });
    let labels = template.at(&["spec", "metadata", "labels"]);
    if labels.is_object() {
        claim["metadata"]["labels"] = labels.clone();
    }
    claim
}

/// `<pod>-<entry>-`, both cut in proportion when too long.
fn generate_name(pod: &str, entry: &str) -> String {
    let full = format!("{pod}-{entry}-");
    if full.len() <= MAX_BASE {
        return full;
    }
    let cut = |text: &str| {
        text.get(..text.len() * MAX_BASE / full.len())
            .unwrap_or(text)
            .to_owned()
    };
    format!("{}-{}", cut(pod), cut(entry))
}

fn record_names(
    world: &World,
    pod: &Object,
    made: &BTreeMap<String, String>,
) -> Result<std::sync::Arc<Object>, ReconcileError> {
    let written = world
        .store
        .update_status(&PODS, &pod.key(), &Expect::uid(pod.uid()), |old| {
            let mut names: BTreeMap<String, String> = BTreeMap::new();
            for status in old
                .at(&["status", "resourceClaimStatuses"])
                .as_array()
                .into_iter()
                .flatten()
            {
                if let (Some(entry), Some(claim)) = (
                    status["name"].as_str(),
                    status["resourceClaimName"].as_str(),
                ) {
                    names.insert(entry.to_owned(), claim.to_owned());
                }
            }
            names.extend(made.clone());
            let list: Vec<Value> = names
                .iter()
                .map(|(entry, claim)| json!({"name": entry, "resourceClaimName": claim}))
                .collect();
            let mut new = old.value().clone();
            new["status"]["resourceClaimStatuses"] = json!(list);
            Ok::<_, StoreError>(new)
        })?;
    Ok(written)
}

/// Adds a pod that has a node to the users of its allocated claim: pods whose node was set by hand,
/// and claims that were allocated while the pod was being bound.
fn reserve(world: &World, pod: &Object, entry: &Value) -> Result<(), ReconcileError> {
    let ClaimName::Known(name) = claim_name(pod, entry) else {
        return Ok(());
    };
    let key = Key::new(pod.namespace(), name);
    let Some(claim) = world.get(&RESOURCE_CLAIMS, &key)? else {
        return Ok(());
    };
    let users = claim
        .at(&["status", "reservedFor"])
        .as_array()
        .map_or(0, Vec::len);
    let reserved = is_reserved_for(&claim, pod);
    if claim.at(&["status", "allocation"]).is_null() || reserved || users >= MAX_USERS {
        return Ok(());
    }
    world
        .store
        .update_status(&RESOURCE_CLAIMS, &key, &Expect::version_of(&claim), |old| {
            let mut new = old.value().clone();
            let mut users = old
                .at(&["status", "reservedFor"])
                .as_array()
                .cloned()
                .unwrap_or_default();
            users.push(json!({"resource": "pods", "name": pod.name(), "uid": pod.uid()}));
            new["status"]["reservedFor"] = json!(users);
            Ok::<_, StoreError>(new)
        })?;
    Ok(())
}

fn is_reserved_for(claim: &Object, pod: &Object) -> bool {
    let users = claim.at(&["status", "reservedFor"]).as_array();
    users
        .into_iter()
        .flatten()
        .any(|u| u["uid"].as_str() == Some(pod.uid()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_in_proportion() {
        assert_eq!(generate_name("pod", "gpu"), "pod-gpu-");
        let name = generate_name(&"p".repeat(63), &"g".repeat(63));
        assert!(name.len() <= MAX_BASE && name.contains("p-g"), "{name}");
    }
}
