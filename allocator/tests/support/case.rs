//! One allocation question in a file, and the answer to it.

use std::collections::BTreeMap;

use drakit_allocator::{
    CelCache, CountedShareIds, Features, InUse, Input, Inventory, allocate_counted, never,
};
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::resource::v1::{AllocationResult, DeviceClass, ResourceClaim, ResourceSlice};
use serde::{Deserialize, Serialize};

/// A question. Claims with an allocation count as in use, the others are
/// allocated together. `allocator/oracle` reads the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Case {
    /// What the case is about.
    pub name: String,
    /// The names of the feature gates that are on.
    #[serde(default)]
    pub features: Vec<String>,
    /// The node to allocate on.
    pub node: Node,
    /// The published slices.
    #[serde(default)]
    pub slices: Vec<ResourceSlice>,
    /// The device classes.
    #[serde(default)]
    pub classes: Vec<DeviceClass>,
    /// Claims, allocated or not.
    #[serde(default)]
    pub claims: Vec<ResourceClaim>,
}

/// What the allocator says to a case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The name of the case.
    pub name: String,
    /// The results in claim order; empty if the claims do not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<AllocationResult>,
    /// The text of the error, if there was one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Whether the error is about this node only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub node_local: bool,
    /// The number of search steps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steps: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Case {
    /// Asks the allocator.
    pub fn answer(&self) -> Answer {
        let mut features = Features::NONE;
        for gate in &self.features {
            features.set(gate, true).unwrap();
        }
        let mut inventory = Inventory::new();
        for slice in &self.slices {
            inventory.apply(slice.clone().into()).unwrap();
        }
        let classes: BTreeMap<&str, DeviceClass> = self
            .classes
            .iter()
            .map(|class| (class.metadata.name.as_deref().unwrap(), class.clone()))
            .collect();
        let is_allocated = |claim: &&ResourceClaim| {
            let status = claim.status.as_ref();
            status.is_some_and(|status| status.allocation.is_some())
        };
        let (allocated, pending): (Vec<_>, Vec<_>) = self.claims.iter().partition(is_allocated);
        let mut in_use = InUse::new();
        for claim in allocated {
            in_use.add(claim);
        }
        let (result, stats) = allocate_counted(&Input {
            node: &self.node,
            claims: &pending,
            classes: &classes,
            inventory: &inventory,
            in_use: &in_use,
            features,
            cel_cache: &CelCache::new(),
            share_ids: &CountedShareIds::default(),
            interrupt: &never,
        });
        let mut answer = Answer {
            name: self.name.clone(),
            steps: stats.steps,
            ..Answer::default()
        };
        match result {
            Ok(results) => answer.results = results.unwrap_or_default(),
            Err(error) => {
                answer.node_local = error.is_node_local();
                answer.error = error.to_string();
            }
        }
        answer
    }
}
