//! Fields of a claim's spec. Source: `kubernetes/pkg/registry/resource/resourceclaimspec`.

use serde_json::Value;

use super::Gates;
use super::drop::{filled, items, items_mut, remove, set};

/// Drops from the `ResourceClaimSpec` at the JSON pointer `at`.
pub(super) fn drop_from_spec(new: &mut Value, old: Option<&Value>, at: &str, gates: &Gates) {
    let requests = format!("{at}/devices/requests");
    let constraints = format!("{at}/devices/constraints");
    let used = |is_used: &dyn Fn(&Value) -> bool| {
        old.is_some_and(|old| items(old, &requests).any(is_used))
    };
    let in_any = |name: &'static str, test: fn(&Value, &str) -> bool| {
        used(&|request| {
            request
                .get("exactly")
                .is_some_and(|exactly| test(exactly, name))
                || items(request, "/firstAvailable").any(|request| test(request, name))
        })
    };
    if !gates.prioritized_list && !used(&|request| filled(request, "firstAvailable")) {
        items_mut(new, &requests).for_each(|request| remove(Some(request), "firstAvailable"));
    }
    if !gates.device_taints && !in_any("tolerations", filled) {
        remove_from_each(new, &requests, "tolerations");
    }
    if !gates.admin_access && !admin_access_in_spec(old, at) {
        items_mut(new, &requests)
            .for_each(|request| remove(request.get_mut("exactly"), "adminAccess"));
    }
    if !gates.consumable_capacity && !consumable_capacity_in_spec(old, at) {
        items_mut(new, &constraints)
            .for_each(|constraint| remove(Some(constraint), "distinctAttribute"));
        remove_from_each(new, &requests, "capacity");
    }
    if !gates.derived_attributes && !in_any("derivedAttributes", filled) {
        remove_from_each(new, &requests, "derivedAttributes");
    }
}

fn remove_from_each(new: &mut Value, requests: &str, name: &str) {
    for request in items_mut(new, requests) {
        remove(request.get_mut("exactly"), name);
        items_mut(request, "/firstAvailable").for_each(|request| remove(Some(request), name));
    }
}

/// Whether a request in the spec at `at` has `adminAccess`.
pub(super) fn admin_access_in_spec(object: Option<&Value>, at: &str) -> bool {
    let requests = format!("{at}/devices/requests");
    let is_used = |request: &Value| {
        request
            .get("exactly")
            .is_some_and(|exactly| set(exactly, "adminAccess"))
    };
    object.is_some_and(|object| items(object, &requests).any(is_used))
}

/// Whether the spec at `at` uses consumable capacity.
pub(super) fn consumable_capacity_in_spec(object: Option<&Value>, at: &str) -> bool {
    let constraints = format!("{at}/devices/constraints");
    let requests = format!("{at}/devices/requests");
    let in_request = |request: &Value| {
        request
            .get("exactly")
            .is_some_and(|exactly| set(exactly, "capacity"))
            || items(request, "/firstAvailable").any(|request| set(request, "capacity"))
    };
    object.is_some_and(|object| {
        items(object, &constraints).any(|constraint| set(constraint, "distinctAttribute"))
            || items(object, &requests).any(in_request)
    })
}
