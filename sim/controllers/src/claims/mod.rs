//! Claims of pods (`pkg/controller/resourceclaim`): made from templates, reserved, released.

mod generate;
mod release;

use drakit_sim_store::{Change, ChangeKind, Key, Object};
use serde_json::Value;

pub(crate) use generate::sync_pod;
pub(crate) use release::sync_claim;

use crate::pods::is_done;
use crate::work::{Item, Work};

/// The finalizer that keeps an allocated claim (`resourceapi.Finalizer`).
pub(crate) const FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// A pod changed: its claims may have to be made, or let go.
pub(crate) fn notice_pod(change: &Change, work: &mut Work) {
    let pod = &change.object;
    if pod_claims(pod).is_empty() {
        return;
    }
    if change.kind == ChangeKind::Deleted || is_done(pod) {
        for claim in pod_claims(pod) {
            if let ClaimName::Known(name) = claim_name(pod, claim) {
                work.add(Item::Claim(Key::new(pod.namespace(), name)));
            }
        }
    }
    if change.kind != ChangeKind::Deleted {
        work.add(Item::PodClaims(pod.key()));
    }
}

pub(crate) fn pod_claims(pod: &Object) -> &[Value] {
    pod.at(&["spec", "resourceClaims"])
        .as_array()
        .map_or(&[], Vec::as_slice)
}

/// What a pod's claim entry refers to (`resourceclaim.Name`).
pub(crate) enum ClaimName {
    /// The claim of this name.
    Known(String),
    /// Made from a template, but not yet.
    ToBeMade,
    /// The status says that none is needed.
    NotNeeded,
}

pub(crate) fn claim_name(pod: &Object, entry: &Value) -> ClaimName {
    if let Some(name) = entry.get("resourceClaimName").and_then(Value::as_str) {
        return ClaimName::Known(name.to_owned());
    }
    let statuses = pod.at(&["status", "resourceClaimStatuses"]).as_array();
    match statuses
        .into_iter()
        .flatten()
        .find(|s| s["name"] == entry["name"])
    {
        None => ClaimName::ToBeMade,
        Some(status) => match status.get("resourceClaimName").and_then(Value::as_str) {
            Some(name) => ClaimName::Known(name.to_owned()),
            None => ClaimName::NotNeeded,
        },
    }
}
