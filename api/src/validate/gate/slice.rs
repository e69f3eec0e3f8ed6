//! Fields of a slice. Source: `kubernetes/pkg/registry/resource/resourceslice`.

use serde_json::Value;

use super::Gates;
use super::drop::{filled, items, items_mut, remove, set};
use crate::validate::view;

const DEVICES: &str = "/spec/devices";
const LISTS: [&str; 4] = ["bools", "ints", "strings", "versions"];
const NODES: [&str; 3] = ["nodeName", "nodeSelector", "allNodes"];

/// Drops from a `ResourceSlice`.
pub(super) fn drop_from_slice(new: &mut Value, old: Option<&Value>, gates: &Gates) {
    let spec = old.map(|old| view::part(old, "spec"));
    let spec_has = |test: fn(&Value, &str) -> bool, name| spec.is_some_and(|spec| test(spec, name));
    let device_has =
        |test: &dyn Fn(&Value) -> bool| old.is_some_and(|old| items(old, DEVICES).any(test));
    if !gates.device_taints && !device_has(&|device| filled(device, "taints")) {
        remove_from_devices(new, &["taints"]);
    }
    let is_partitioned = |device: &Value| {
        filled(device, "consumesCounters") || NODES.iter().any(|name| set(device, name))
    };
    if !gates.partitionable_devices
        && !spec_has(filled, "sharedCounters")
        && !spec_has(set, "perDeviceNodeSelection")
        && !device_has(&is_partitioned)
    {
        remove(new.get_mut("spec"), "sharedCounters");
        remove(new.get_mut("spec"), "perDeviceNodeSelection");
        remove_from_devices(new, &["consumesCounters"]);
        remove_from_devices(new, &NODES);
    }
    let binds = |device: &Value| {
        filled(device, "bindingConditions")
            || filled(device, "bindingFailureConditions")
            || set(device, "bindsToNode")
    };
    let has_conditions = gates.device_binding_conditions && gates.resource_claim_device_status;
    if !has_conditions && !device_has(&binds) {
        let names = [
            "bindingConditions",
            "bindingFailureConditions",
            "bindsToNode",
        ];
        remove_from_devices(new, &names);
    }
    drop_from_parts(new, old, gates);
    let partition = "partitionTypeAttribute";
    if !gates.partitionable_devices_type && !spec_has(set, partition) {
        remove(new.get_mut("spec"), partition);
    }
    let skip = "skipNodeOperations";
    if !gates.optional_node_operations && !spec_has(filled, skip) {
        remove(new.get_mut("spec"), skip);
    }
}

/// Drops from attributes, capacities and counter consumptions.
fn drop_from_parts(new: &mut Value, old: Option<&Value>, gates: &Gates) {
    let device_has =
        |test: &dyn Fn(&Value) -> bool| old.is_some_and(|old| items(old, DEVICES).any(test));
    let values = |device: &Value, name: &str, test: &dyn Fn(&Value) -> bool| {
        view::part(device, name)
            .as_object()
            .is_some_and(|map| map.values().any(test))
    };
    let shares = |device: &Value| {
        set(device, "allowMultipleAllocations")
            || values(device, "capacity", &|capacity| {
                set(capacity, "requestPolicy")
            })
    };
    if !gates.consumable_capacity && !device_has(&shares) {
        remove_from_devices(new, &["allowMultipleAllocations"]);
        remove_from_values(new, "capacity", &["requestPolicy"]);
    }
    let groups = "compatibilityGroups";
    let has_groups =
        |device: &Value| items(device, "/consumesCounters").any(|item| filled(item, groups));
    if !gates.device_compatibility_groups && !device_has(&has_groups) {
        for device in items_mut(new, DEVICES) {
            items_mut(device, "/consumesCounters").for_each(|item| remove(Some(item), groups));
        }
    }
    let resources = "nodeAllocatableResources";
    if !gates.node_allocatable_resources && !device_has(&|device| filled(device, resources)) {
        remove_from_devices(new, &[resources]);
    }
    let has_lists = |device: &Value| {
        values(device, "attributes", &|attribute| {
            LISTS.iter().any(|name| set(attribute, name))
        })
    };
    if !gates.list_type_attributes && !device_has(&has_lists) {
        remove_from_values(new, "attributes", &LISTS);
    }
}

fn remove_from_devices(new: &mut Value, names: &[&str]) {
    for device in items_mut(new, DEVICES) {
        for name in names {
            remove(Some(device), name);
        }
    }
}

fn remove_from_values(new: &mut Value, map: &str, names: &[&str]) {
    for device in items_mut(new, DEVICES) {
        let values = device.get_mut(map).and_then(Value::as_object_mut);
        for value in values.into_iter().flat_map(serde_json::Map::values_mut) {
            for name in names {
                remove(Some(value), name);
            }
        }
    }
}
