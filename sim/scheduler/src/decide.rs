//! The pure decision: a node and allocations, or why not.

use drakit_allocator::{AllocateError, CANNOT_ALLOCATE, Input, ShareIds, allocate, never};
use drakit_api::k8s::api::resource::v1::{AllocationResult, DeviceRequest, ResourceClaim};
use drakit_sim_store::{Key, Object};
use serde_json::Value;

use crate::filters;
use crate::filters::selector_matches;
use crate::pod::{self, claim_entries, claim_name, requests};
use crate::verdict::{NodeReason, Verdict};
use crate::world::{ClaimInfo, NodeInfo, World};

/// `ResourceClaimReservedForMaxSize`.
const MAX_USERS: usize = 256;

/// A pod's place.
#[derive(Debug)]
pub(crate) struct Placement {
    pub(crate) node: String,
    /// Claims that get an allocation, by key.
    pub(crate) allocations: Vec<(Key, AllocationResult)>,
    /// Every claim of the pod.
    pub(crate) claims: Vec<Key>,
}

/// A pod's claims, sorted by what must happen.
struct Claims<'a> {
    all: Vec<Key>,
    to_allocate: Vec<&'a ClaimInfo>,
    allocated: Vec<&'a ClaimInfo>,
}

/// Finds a node for `pod`, with an allocation for each claim that has none.
pub(crate) fn decide(
    world: &World,
    pod: &Object,
    share_ids: &dyn ShareIds,
) -> Result<Placement, Verdict> {
    if let Some(what) = pod::not_emulated(pod) {
        return Err(Verdict::Pod(format!(
            "{what} is not emulated by the simulation"
        )));
    }
    let claims = claims_of(world, pod)?;
    check_claims(world, pod, &claims)?;
    let needs = requests(pod);
    let to_allocate: Vec<&ResourceClaim> = claims.to_allocate.iter().map(|c| &c.typed).collect();
    let scored = to_allocate.iter().any(|c| has_alternatives(c));
    let mut reasons = Vec::new();
    let mut best: Option<(i64, Placement)> = None;
    for (_, name) in &world.by_load {
        let Some(node) = world.nodes.get(name) else {
            continue;
        };
        if let Some(refused) = filters::refuse(pod, &needs, node) {
            reasons.extend(refused);
            continue;
        }
        match on_node(world, node, &claims, &to_allocate, share_ids)? {
            Err(reason) => reasons.push(reason),
            Ok(results) => {
                let score = score(&to_allocate, &results);
                let keys = claims.to_allocate.iter().map(|c| c.object.key());
                let allocations = keys.zip(results).collect();
                let placement = Placement {
                    node: name.clone(),
                    allocations,
                    claims: claims.all.clone(),
                };
                if !scored {
                    return Ok(placement);
                }
                if best.as_ref().is_none_or(|(high, _)| score > *high) {
                    best = Some((score, placement));
                }
            }
        }
    }
    best.map(|(_, placement)| placement)
        .ok_or(Verdict::Nodes(reasons))
}

/// `PreEnqueue` and the first part of `PreFilter`.
fn claims_of<'a>(world: &'a World, pod: &Object) -> Result<Claims<'a>, Verdict> {
    let mut claims = Claims {
        all: Vec::new(),
        to_allocate: Vec::new(),
        allocated: Vec::new(),
    };
    for entry in claim_entries(pod) {
        let Some(name) = claim_name(pod, entry).map_err(Verdict::NotReady)? else {
            continue;
        };
        let key = Key::new(pod.namespace(), name);
        let Some(claim) = world.claims.get(&key) else {
            return Err(Verdict::NotReady(format!(
                "resourceclaim.resource.k8s.io \"{name}\" not found"
            )));
        };
        if claim.object.is_deleting() {
            return Err(Verdict::NotReady(format!(
                "resourceclaim \"{name}\" is being deleted"
            )));
        }
        check_owner(pod, entry, &claim.object)?;
        if claims.all.contains(&key) {
            continue;
        }
        if claim.object.at(&["status", "allocation"]).is_null() {
            claims.to_allocate.push(claim);
        } else {
            claims.allocated.push(claim);
        }
        claims.all.push(key);
    }
    Ok(claims)
}

/// A generated claim must be this pod's (`resourceclaim.IsForPod`).
fn check_owner(pod: &Object, entry: &Value, claim: &Object) -> Result<(), Verdict> {
    let generated = entry.get("resourceClaimTemplateName").is_some();
    let owned = claim
        .controller()
        .is_some_and(|c| c["uid"].as_str() == Some(pod.uid()));
    if generated && !owned {
        return Err(Verdict::NotReady(format!(
            "ResourceClaim {} was not created for pod {}/{} (pod is not owner)",
            claim.key(),
            pod.namespace(),
            pod.name()
        )));
    }
    Ok(())
}

/// The second part of `PreFilter`.
fn check_claims(world: &World, pod: &Object, claims: &Claims<'_>) -> Result<(), Verdict> {
    for claim in &claims.allocated {
        let users = claim
            .object
            .at(&["status", "reservedFor"])
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let mine = users.iter().any(|u| u["uid"].as_str() == Some(pod.uid()));
        if users.len() >= MAX_USERS && !mine {
            return Err(Verdict::Pod("resourceclaim in use".into()));
        }
    }
    for claim in &claims.to_allocate {
        for request in device_requests(&claim.typed) {
            if let Some(exactly) = &request.exactly {
                check_class(world, &exactly.device_class_name, &request.name)?;
            }
            for sub in request.first_available.iter().flatten() {
                check_class(
                    world,
                    &sub.device_class_name,
                    &format!("{}/{}", request.name, sub.name),
                )?;
            }
        }
    }
    Ok(())
}

fn check_class(world: &World, class: &str, request: &str) -> Result<(), Verdict> {
    if world.classes.contains_key(class) {
        return Ok(());
    }
    Err(Verdict::Pod(format!(
        "request {request}: device class {class} does not exist"
    )))
}

/// `Filter`: allocations for one node, or why it does not do.
fn on_node(
    world: &World,
    node: &NodeInfo,
    claims: &Claims<'_>,
    to_allocate: &[&ResourceClaim],
    share_ids: &dyn ShareIds,
) -> Result<Result<Vec<AllocationResult>, NodeReason>, Verdict> {
    let labels = node.object.at(&["metadata", "labels"]);
    for claim in &claims.allocated {
        let selector = claim.object.at(&["status", "allocation", "nodeSelector"]);
        if !selector.is_null() && !selector_matches(selector, node.object.name(), labels) {
            return Ok(Err(NodeReason::fixed(
                "resourceclaim not available on the node",
            )));
        }
    }
    if to_allocate.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let input = Input {
        node: &node.typed,
        claims: to_allocate,
        classes: &world.classes,
        inventory: &world.inventory,
        in_use: &world.in_use,
        features: world.features,
        cel_cache: &world.cel_cache,
        share_ids,
        interrupt: &never,
    };
    match allocate(&input) {
        Ok(Some(results)) => Ok(Ok(results)),
        Ok(None) => Ok(Err(NodeReason::fixed(CANNOT_ALLOCATE))),
        Err(error) if error.is_node_local() => Ok(Err(NodeReason::fixed(error.to_string()))),
        Err(error) => Err(failed(&error)),
    }
}

fn failed(error: &AllocateError) -> Verdict {
    Verdict::Error(format!(
        "running \"DynamicResources\" filter plugin: {error}"
    ))
}

fn has_alternatives(claim: &ResourceClaim) -> bool {
    device_requests(claim).any(|r| r.first_available.as_ref().is_some_and(|f| !f.is_empty()))
}

/// Earlier alternatives score higher: the first of at most eight gives eight (`computeScore`,
/// pkg/scheduler/framework/plugins/dynamicresources).
fn score(claims: &[&ResourceClaim], results: &[AllocationResult]) -> i64 {
    const MAX_ALTERNATIVES: i64 = 8;
    let mut score = 0;
    for (claim, result) in claims.iter().zip(results) {
        let chosen: Vec<&str> = result
            .devices
            .iter()
            .flat_map(|d| d.results.iter().flatten())
            .map(|r| r.request.as_str())
            .collect();
        for request in device_requests(claim) {
            let subs = request.first_available.as_deref().unwrap_or_default();
            let taken = |sub: &str| chosen.contains(&format!("{}/{sub}", request.name).as_str());
            let index = subs.iter().position(|sub| taken(&sub.name));
            score += index
                .and_then(|i| i64::try_from(i).ok())
                .map_or(0, |i| MAX_ALTERNATIVES - i);
        }
    }
    score
}

fn device_requests(claim: &ResourceClaim) -> impl Iterator<Item = &DeviceRequest> {
    claim
        .spec
        .iter()
        .filter_map(|s| s.devices.as_ref())
        .flat_map(|d| d.requests.iter().flatten())
}
