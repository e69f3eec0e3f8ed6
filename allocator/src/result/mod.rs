//! From a solution to what is stored in the claims' status.
//!
//! * `devices`: one entry for each device;
//! * `config`: the configuration of classes and claims that applies;
//! * `node_selector`: where the claim can be used.

mod config;
mod devices;
mod node_selector;

use k8s_openapi::api::resource::v1::{AllocationResult, DeviceAllocationResult};

use crate::error::AllocateError;
use crate::input::Input;
use crate::inventory::NodePools;
use crate::plan::ClaimPlan;
use crate::search::Chosen;

/// The result for one claim.
pub(crate) fn allocation(
    input: &Input<'_>,
    pools: &NodePools,
    plan: &ClaimPlan<'_>,
    chosen: Vec<Chosen>,
) -> Result<AllocationResult, AllocateError> {
    let node_selector = node_selector::for_devices(input, pools, plan, &chosen)?;
    let config = config::for_claim(plan);
    let results = devices::results(input, pools, plan, chosen);
    Ok(AllocationResult {
        allocation_timestamp: None,
        devices: Some(DeviceAllocationResult {
            config: (!config.is_empty()).then_some(config),
            results: (!results.is_empty()).then_some(results),
        }),
        node_selector,
    })
}
