//! The configuration that applies to the chosen devices: first that of the
//! classes, then that of the claim.

use k8s_openapi::api::resource::v1::{
    DeviceAllocationConfiguration, DeviceClaimConfiguration, DeviceClassConfiguration,
};

use crate::plan::{ClaimPlan, RequestPlan};

const FROM_CLASS: &str = "FromClass";
const FROM_CLAIM: &str = "FromClaim";

pub(super) fn for_claim(plan: &ClaimPlan<'_>) -> Vec<DeviceAllocationConfiguration> {
    let mut result = class_configs(plan);
    let spec = plan.claim.spec.as_ref();
    let devices = spec.and_then(|spec| spec.devices.as_ref());
    let configs = devices.and_then(|devices| devices.config.as_ref());
    result.extend(
        configs
            .into_iter()
            .flatten()
            .filter(|config| is_used(plan, config))
            .map(from_claim),
    );
    // No names means all requests.
    for config in &mut result {
        let names = config.requests.as_deref().unwrap_or_default();
        if names.is_empty() || plan.requests.iter().all(|request| is_named(request, names)) {
            config.requests = None;
        }
    }
    result
}

/// The configuration of each class, once, for all requests that chose the class.
fn class_configs(plan: &ClaimPlan<'_>) -> Vec<DeviceAllocationConfiguration> {
    let mut classes: Vec<(&str, &[DeviceClassConfiguration], Vec<String>)> = Vec::new();
    for chosen in plan.requests.iter().filter_map(RequestPlan::selected) {
        let name = chosen.class.metadata.name.as_deref().unwrap_or_default();
        let request = chosen.view.result_name();
        let known = classes.iter_mut().find(|(class, _, _)| *class == name);
        if let Some((_, _, requests)) = known {
            requests.push(request);
        } else {
            let spec = chosen.class.spec.as_ref();
            let configs = spec.and_then(|spec| spec.config.as_deref());
            classes.push((name, configs.unwrap_or_default(), vec![request]));
        }
    }
    let of_class = |(_, configs, requests): (_, &[DeviceClassConfiguration], Vec<String>)| {
        let configs = configs.iter().map(|config| DeviceAllocationConfiguration {
            opaque: config.opaque.clone(),
            requests: Some(requests.clone()),
            source: FROM_CLASS.to_owned(),
        });
        configs.collect::<Vec<_>>()
    };
    classes.into_iter().flat_map(of_class).collect()
}

fn from_claim(config: &DeviceClaimConfiguration) -> DeviceAllocationConfiguration {
    DeviceAllocationConfiguration {
        opaque: config.opaque.clone(),
        requests: config.requests.clone(),
        source: FROM_CLAIM.to_owned(),
    }
}

/// Whether the config names a request, or an alternative that was chosen.
fn is_used(plan: &ClaimPlan<'_>, config: &DeviceClaimConfiguration) -> bool {
    let names = config.requests.as_deref().unwrap_or_default();
    names.is_empty() || plan.requests.iter().any(|request| is_named(request, names))
}

fn is_named(request: &RequestPlan<'_>, names: &[String]) -> bool {
    names.contains(&request.source.name)
        || request
            .selected()
            .is_some_and(|chosen| chosen.view.is_named_in(names))
}
