//! One allocation question in a file, and the answer to it.

use drakit_allocator::{
    CelCache, CountedShareIds, Features, InUse, Input, Inventory, allocate_counted, never,
};
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::resource::v1::{AllocationResult, DeviceClass, ResourceClaim, ResourceSlice};
use serde::{Deserialize, Serialize};

/// A question. Claims with an allocation count as in use, the others are
/// allocated together. `allocator/oracle` reads the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Case {
    /// What the case is about.
    pub(crate) name: String,
    /// The names of the feature gates that are on.
    #[serde(default)]
    pub(crate) features: Vec<String>,
    /// The node to allocate on.
    pub(crate) node: Node,
    /// The published slices.
    #[serde(default)]
    pub(crate) slices: Vec<ResourceSlice>,
    /// The device classes.
    #[serde(default)]
    pub(crate) classes: Vec<DeviceClass>,
    /// Claims, allocated or not.
    #[serde(default)]
    pub(crate) claims: Vec<ResourceClaim>,
}

/// What the allocator says to a case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    /// The name of the case.
    pub(crate) name: String,
    /// The results in claim order; empty if the claims do not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) results: Vec<AllocationResult>,
    /// The text of the error, if there was one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) error: String,
    /// Whether the error is about this node only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) node_local: bool,
    /// The number of search steps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) steps: u64,
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
    pub(crate) fn answer(&self) -> Answer {
        let mut answer = Answer {
            name: self.name.clone(),
            ..Answer::default()
        };
        match self.world() {
            Ok(world) => self.ask(&world, &mut answer),
            Err(error) => answer.error = error,
        }
        answer
    }

    fn world(&self) -> Result<World<'_>, String> {
        let mut features = Features::NONE;
        for gate in &self.features {
            features
                .set(gate, true)
                .map_err(|error| error.to_string())?;
        }
        let mut inventory = Inventory::new();
        for slice in &self.slices {
            let applied = inventory.apply(slice.clone().into());
            applied.map_err(|error| error.to_string())?;
        }
        let is_allocated = |claim: &&ResourceClaim| {
            let status = claim.status.as_ref();
            status.is_some_and(|status| status.allocation.is_some())
        };
        let (allocated, pending): (Vec<_>, Vec<_>) = self.claims.iter().partition(is_allocated);
        let mut in_use = InUse::new();
        for claim in allocated {
            in_use.add(claim);
        }
        Ok(World {
            features,
            inventory,
            in_use,
            pending,
        })
    }

    fn ask(&self, world: &World<'_>, answer: &mut Answer) {
        let (result, stats) = allocate_counted(&Input {
            node: &self.node,
            claims: &world.pending,
            classes: &self.classes,
            inventory: &world.inventory,
            in_use: &world.in_use,
            features: world.features,
            cel_cache: &CelCache::new(),
            share_ids: &CountedShareIds::default(),
            interrupt: &never,
        });
        answer.steps = stats.steps;
        match result {
            Ok(results) => answer.results = results.unwrap_or_default(),
            Err(error) => {
                answer.node_local = error.is_node_local();
                answer.error = error.to_string();
            }
        }
    }
}

/// The objects of a case as the allocator takes them.
struct World<'a> {
    features: Features,
    inventory: Inventory,
    in_use: InUse,
    pending: Vec<&'a ResourceClaim>,
}
