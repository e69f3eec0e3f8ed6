//! A plan as objects that a person can read or apply: ResourceSlices with names, and DeviceClasses.

use drakit_api::k8s::api::resource::v1::{DeviceClass, ResourceSlice, ResourceSliceSpec};
use drakit_api::k8s::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::plan::{Plan, PoolPlan};
use crate::template::name_suffix;

/// Generation of a pool that was never changed.
pub const FIRST_GENERATION: i64 = 1;

/// Longest object name (`ValidateResourceSliceName` in k8s.io/kubernetes is a DNS subdomain).
const MAX_NAME: usize = 253;
/// What the API server appends to a `generateName`.
const SUFFIX: usize = 5;

/// Every slice of the plan: node by node, then network pools; the same plan always gives the same bytes.
///
/// Owner references are missing, since they need the uid of a node object. Iterates lazily: a thousand nodes are never
/// in memory at once.
pub fn resource_slices(plan: &Plan) -> impl Iterator<Item = ResourceSlice> + '_ {
    let of_nodes = plan.nodes.iter().flat_map(|node| &node.drivers);
    of_nodes
        .chain(&plan.pools)
        .flat_map(|pool| pool_slices(pool))
}

/// The slices of one pool.
pub fn pool_slices(pool: &PoolPlan) -> Vec<ResourceSlice> {
    let slice = |(index, spec): (usize, ResourceSliceSpec)| ResourceSlice {
        metadata: ObjectMeta {
            name: Some(slice_name(pool, index)),
            ..ObjectMeta::default()
        },
        spec,
    };
    pool.specs(FIRST_GENERATION)
        .into_iter()
        .enumerate()
        .map(slice)
        .collect()
}

/// The classes of the plan.
pub fn device_classes(plan: &Plan) -> &[DeviceClass] {
    &plan.device_classes
}

/// A name as the API server would make of the pool's `generateName`, but the same every time.
fn slice_name(pool: &PoolPlan, index: usize) -> String {
    let base = pool.generate_name(index);
    let key = format!("{}\0{}\0{index}", pool.driver(), pool.pool());
    if base.len() + SUFFIX <= MAX_NAME {
        return format!("{base}{}", name_suffix(&key, SUFFIX));
    }
    // Cut names can collide, so they get a longer suffix.
    let suffix = name_suffix(&key, 3 * SUFFIX);
    let cut: String = base.chars().take(MAX_NAME - suffix.len() - 1).collect();
    format!("{}-{suffix}", cut.trim_end_matches(['-', '.']))
}
