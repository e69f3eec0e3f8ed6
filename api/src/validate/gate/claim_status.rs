//! Fields of a claim's status. Source: `kubernetes/pkg/registry/resource/resourceclaim`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Gates;
use super::claim::{admin_access_in_spec, consumable_capacity_in_spec};
use super::drop::{filled, items, items_mut, remove, set};
use crate::validate::view;

const RESULTS: &str = "/status/allocation/devices/results";
const DEVICES: &str = "/status/devices";

/// Drops from the status of a `ResourceClaim`.
pub(super) fn drop_from_status(new: &mut Value, old: Option<&Value>, gates: &Gates) {
    let result_has = |test: fn(&Value, &str) -> bool, names: &[&str]| {
        let has = |result: &Value| names.iter().any(|name| test(result, name));
        old.is_some_and(|old| items(old, RESULTS).any(has))
    };
    let has_devices = old.is_some_and(|old| items(old, DEVICES).next().is_some());
    let keeps_devices = gates.resource_claim_device_status || has_devices;
    if !keeps_devices {
        remove(new.get_mut("status"), "devices");
    }
    if !gates.admin_access
        && !admin_access_in_spec(old, "/spec")
        && !result_has(set, &["adminAccess"])
    {
        remove_from_results(new, &["adminAccess"]);
    }
    let shares = old.is_some_and(|old| items(old, DEVICES).any(|device| set(device, "shareID")));
    if !gates.consumable_capacity
        && !consumable_capacity_in_spec(old, "/spec")
        && !result_has(set, &["shareID", "consumedCapacity"])
        && !shares
    {
        remove_from_results(new, &["shareID", "consumedCapacity"]);
        items_mut(new, DEVICES).for_each(|device| remove(Some(device), "shareID"));
    }
    let binding = ["bindingConditions", "bindingFailureConditions"];
    if !gates.device_binding_conditions && !result_has(set, &binding) {
        remove_from_results(new, &binding);
    }
    if !gates.optional_node_operations && !result_has(filled, &["skipNodeOperations"]) {
        remove_from_results(new, &["skipNodeOperations"]);
    }
    if keeps_devices {
        drop_deallocated(new, old);
    }
}

fn remove_from_results(new: &mut Value, names: &[&str]) {
    for result in items_mut(new, RESULTS) {
        for name in names {
            remove(Some(result), name);
        }
    }
}

/// What drivers said of devices that are no longer allocated.
fn drop_deallocated(new: &mut Value, old: Option<&Value>) {
    let before: BTreeSet<[&str; 4]> = old
        .map(|old| items(old, RESULTS).map(identity).collect())
        .unwrap_or_default();
    let kept: Vec<Value> = {
        let now: BTreeSet<[&str; 4]> = items(new, RESULTS).map(identity).collect();
        let stays = |device: &&Value| {
            let id = identity(device);
            now.contains(&id) || !before.contains(&id)
        };
        if items(new, DEVICES).all(|device| stays(&device)) && items(new, DEVICES).next().is_some()
        {
            return;
        }
        items(new, DEVICES).filter(stays).cloned().collect()
    };
    match new.get_mut("status") {
        Some(Value::Object(status)) if kept.is_empty() => {
            status.remove("devices");
        }
        Some(Value::Object(status)) => {
            status.insert("devices".to_owned(), Value::Array(kept));
        }
        _ => {}
    }
}

fn identity(device: &Value) -> [&str; 4] {
    ["driver", "pool", "device", "shareID"].map(|name| view::text(device, name))
}
