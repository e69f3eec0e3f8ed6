//! One result entry for each device.

use k8s_openapi::api::resource::v1::DeviceRequestAllocationResult;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::features::Channel;
use crate::input::Input;
use crate::inventory::NodePools;
use crate::plan::ClaimPlan;
use crate::search::Chosen;

pub(super) fn results(
    input: &Input<'_>,
    pools: &NodePools,
    plan: &ClaimPlan<'_>,
    chosen: Vec<Chosen>,
) -> Vec<DeviceRequestAllocationResult> {
    chosen
        .into_iter()
        .map(|chosen| result(input, pools, plan, chosen))
        .collect()
}

fn result(
    input: &Input<'_>,
    pools: &NodePools,
    plan: &ClaimPlan<'_>,
    chosen: Chosen,
) -> DeviceRequestAllocationResult {
    let view = plan.requests[chosen.request].alternatives[chosen.alternative].view;
    let device = pools.device(chosen.place);
    let slice = device.slice();
    // Without the feature, no device with conditions was chosen.
    let object = device
        .object()
        .filter(|_| input.features.device_binding_and_status);
    let share_id = chosen.share.as_ref().map(|_| input.share_ids.next());
    let consumed = chosen.share.filter(|consumed| !consumed.is_empty());
    DeviceRequestAllocationResult {
        admin_access: view.wants_admin_access().then_some(true),
        binding_conditions: object.and_then(|object| filled(object.binding_conditions.as_ref())),
        binding_failure_conditions: object
            .and_then(|object| filled(object.binding_failure_conditions.as_ref())),
        consumed_capacity: consumed.map(|consumed| {
            let consumed = consumed.into_iter();
            consumed
                .map(|(name, amount)| (name, Quantity(amount.to_string())))
                .collect()
        }),
        device: device.published().name.to_string(),
        driver: slice.pool.driver.to_string(),
        pool: slice.pool.pool.to_string(),
        request: view.result_name(),
        share_id,
        skip_node_operations: filled(slice.source.spec.skip_node_operations.as_ref())
            .filter(|_| input.features.channel() == Channel::Experimental),
        tolerations: filled(view.tolerations),
    }
}

/// A copy of the list; an empty one is left out, as in Go's JSON.
fn filled<T: Clone>(list: Option<&Vec<T>>) -> Option<Vec<T>> {
    list.filter(|list| !list.is_empty()).cloned()
}
