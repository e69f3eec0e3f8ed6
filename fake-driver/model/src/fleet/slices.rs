//! The last check: would the API server take the slices? What it would refuse is reported here, where somebody can
//! still do something about it, and not when a driver publishes.

use std::sync::Arc;

use drakit_api::field::FieldError;
use drakit_api::k8s::api::resource::v1::{ResourceSlice, ResourceSliceSpec};
use drakit_api::names::{NodeName, PoolName};
use drakit_api::validate::{self, Checks, Gates};

use crate::device::DriverTemplate;
use crate::plan::{PoolPlan, Reach};
use crate::yaml::reader::{Item, Problems};

/// One wrong entry can make thousands of wrong devices.
const MAX_REPORTED: usize = 10;

/// Checks the slices of a node's driver, on the first and the last node of the group.
pub(super) fn check_nodes(
    item: &Item<'_>,
    driver: &Arc<DriverTemplate>,
    names: &[(NodeName, PoolName)],
    problems: &mut Problems,
) {
    let mut ends: Vec<(usize, &(NodeName, PoolName))> = names.iter().enumerate().take(1).collect();
    ends.extend(names.iter().enumerate().skip(1).last());
    for (index, (node, pool)) in ends {
        let reach = Reach::Node(node.clone(), index);
        check_pool(
            item,
            &PoolPlan::new(Arc::clone(driver), reach, pool.clone(), 0),
            problems,
        );
    }
}

/// Checks the slices of one pool; `item` is what describes it.
pub(super) fn check_pool(item: &Item<'_>, pool: &PoolPlan, problems: &mut Problems) {
    // Features that a cluster may have switched off are dropped by its API server, not refused.
    let gates = Gates {
        device_compatibility_groups: true,
        list_type_attributes: true,
        partitionable_devices_type: true,
        ..Gates::default()
    };
    let mut reported = 0;
    for (index, spec) in pool.specs(1).into_iter().enumerate() {
        let mut slice = ResourceSlice {
            spec,
            ..ResourceSlice::default()
        };
        slice.metadata.name = Some("slice".to_owned());
        let Ok(object) = serde_json::to_value(&slice) else {
            problems.add(item, format!("slice {index} cannot be written as JSON"));
            return;
        };
        for error in validate::resource_slice(&object, None, &Checks::new(gates)) {
            reported += 1;
            if reported > MAX_REPORTED {
                return;
            }
            problems.add(item, refusal(&slice.spec, index, &error));
        }
    }
}

/// Kubernetes' own words, with the name of the device instead of its number in the slice.
fn refusal(spec: &ResourceSliceSpec, index: usize, error: &FieldError) -> String {
    let named = error.field.strip_prefix("spec.devices[").and_then(|rest| {
        let (number, rest) = rest.split_once(']')?;
        let device = spec.devices.as_ref()?.get(number.parse::<usize>().ok()?)?;
        Some((device.name.as_str(), rest.trim_start_matches('.')))
    });
    match named {
        Some((device, field)) => {
            let text = error.to_string();
            let text = text.strip_prefix(&error.field).unwrap_or(&text);
            format!("Kubernetes would refuse device {device:?}: {field}{text}")
        }
        None => format!("Kubernetes would refuse slice {index}: {error}"),
    }
}
