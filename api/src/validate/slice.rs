//! Resource slices.

use std::collections::BTreeMap;

use serde_json::Value;

use super::checks::Checks;
use super::counters;
use super::declared;
use super::device;
use super::findings::{Findings, merge};
use super::items::{self, Cover};
use super::meta::{self, IMMUTABLE, Naming};
use super::node_selector;
use super::shape;
use super::taint;
use super::view;
use crate::field::{FieldError, FieldPath};
use crate::limits;
use crate::names::{self, check};

const ONE_OF: &str =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
const TRUE_OR_UNSET: &str = "must be either unset or set to true";

/// A `ResourceSlice`, new or in place of `old`.
pub fn resource_slice(new: &Value, old: Option<&Value>, checks: &Checks<'_>) -> Vec<FieldError> {
    let mut out = Findings::default();
    match old {
        None => meta::object(new, false, Naming::Subdomain, &mut out),
        Some(old) => meta::object_update(new, old, &mut out),
    }
    let old_spec = old.map(|old| view::part(old, "spec"));
    spec(view::part(new, "spec"), old_spec, checks, &mut out);
    merge(out, declared::resource_slice(new, old, &checks.gates))
}

fn spec(spec: &Value, old: Option<&Value>, checks: &Checks<'_>, out: &mut Findings) {
    let path = FieldPath::new("spec");
    out.all(check::driver_name(
        view::text(spec, "driver"),
        &path.child("driver"),
    ));
    pool(view::part(spec, "pool"), &path.child("pool"), out);
    if let Some(old) = old {
        unchanged(spec, old, &path, out);
    }
    nodes(spec, &path, out);
    let is_set = |name| view::present(spec, name).is_some();
    if is_set("sharedCounters") && is_set("devices") {
        let text = "only one of `sharedCounters` or `devices` is allowed";
        out.add(FieldError::invalid(&path, "", text));
    }
    devices(spec, old, &path, checks, out);
    items::each_unique(
        view::list(spec, "sharedCounters"),
        limits::RESOURCE_SLICE_MAX_COUNTER_SETS,
        &path.child("sharedCounters"),
        Cover::SizeAndUniqueness,
        out,
        |set| view::text(set, "name").to_owned(),
        |set, path, out| {
            let max = limits::RESOURCE_SLICE_MAX_COUNTERS_PER_COUNTER_SET;
            counters::counters(set, "name", max, path, out);
        },
    );
    if let Some(name) = view::optional_text(spec, "partitionTypeAttribute") {
        partition_type(spec, name, &path, out);
    }
    taint::skip_node_operations(spec, &path, out);
}

fn pool(pool: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    out.all(check::pool_name(
        view::text(pool, "name"),
        &path.child("name"),
    ));
    let count = view::number(pool, "resourceSliceCount");
    if count <= 0 {
        let path = path.child("resourceSliceCount");
        out.add(FieldError::invalid(
            &path,
            count,
            "must be greater than zero",
        ));
    }
    let generation = view::number(pool, "generation");
    if generation < 0 {
        let path = path.child("generation");
        out.add(FieldError::invalid(
            &path,
            generation,
            "must be greater than or equal to zero",
        ));
    }
}

/// Where a slice belongs to stays.
fn unchanged(spec: &Value, old: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let pool_name = view::text(view::part(spec, "pool"), "name");
    if pool_name != view::text(view::part(old, "pool"), "name") {
        out.add(FieldError::invalid(
            &path.child("pool").child("name"),
            pool_name,
            IMMUTABLE,
        ));
    }
    let driver = view::text(spec, "driver");
    if driver != view::text(old, "driver") {
        out.add(FieldError::invalid(
            &path.child("driver"),
            driver,
            IMMUTABLE,
        ));
    }
    let node = view::optional_text(spec, "nodeName");
    if node != view::optional_text(old, "nodeName") {
        let shown = crate::field::BadValue::json(&node);
        out.add(FieldError::invalid(
            &path.child("nodeName"),
            shown,
            IMMUTABLE,
        ));
    }
}

fn nodes(spec: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let mut set = Vec::new();
    let at_name = path.child("nodeName");
    match view::optional_text(spec, "nodeName") {
        None => {}
        Some("") => {
            let text = "must be either unset or set to a non-empty string";
            out.add(FieldError::invalid(&at_name, "", text));
        }
        Some(name) => {
            set.push("`nodeName`");
            for problem in names::validate_node_name(name) {
                out.add(FieldError::invalid(&at_name, name, problem));
            }
        }
    }
    if let Some(selector) = view::present(spec, "nodeSelector") {
        set.push("`nodeSelector`");
        let path = path.child("nodeSelector");
        node_selector::node_selector(selector, &path, out);
        if view::list(selector, "nodeSelectorTerms").len() != 1 {
            let terms = view::part(selector, "nodeSelectorTerms");
            let shown = shape::internal_json(&shape::NODE_SELECTOR_TERMS, terms);
            let path = path.child("nodeSelectorTerms");
            out.add(FieldError::invalid(
                &path,
                shown,
                "must have exactly one node selector term",
            ));
        }
    }
    for (name, quoted) in [
        ("allNodes", "`allNodes`"),
        ("perDeviceNodeSelection", "`perDeviceNodeSelection`"),
    ] {
        match view::flag(spec, name) {
            None => {}
            Some(true) => set.push(quoted),
            Some(false) => out.add(FieldError::invalid(&path.child(name), false, TRUE_OR_UNSET)),
        }
    }
    match set.as_slice() {
        [] => out.add(FieldError::required(path, ONE_OF)),
        [_] => {}
        several => out.add(FieldError::invalid(
            path,
            &format!("{{{}}}", several.join(", ")),
            format!("{ONE_OF}, but multiple fields are set"),
        )),
    }
}

fn devices(
    spec: &Value,
    old: Option<&Value>,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) {
    let devices = view::list(spec, "devices");
    let is_advanced = |device: &Value| {
        !view::list(device, "taints").is_empty()
            || consumes_counters(device)
            || device::has_list_attributes(device)
    };
    let max = if devices.iter().any(is_advanced) {
        limits::RESOURCE_SLICE_MAX_DEVICES_WITH_ADVANCED_FEATURES
    } else {
        limits::RESOURCE_SLICE_MAX_DEVICES
    };
    // The first of several devices with one name counts.
    let old_devices = old
        .map_or(&[][..], |old| view::list(old, "devices"))
        .iter()
        .rev();
    let old_devices: BTreeMap<&str, &Value> = old_devices
        .map(|device| (view::text(device, "name"), device))
        .collect();
    let per_device = view::flag(spec, "perDeviceNodeSelection") == Some(true);
    items::each_unique(
        devices,
        max,
        &path.child("devices"),
        Cover::Nothing,
        out,
        |device| view::text(device, "name").to_owned(),
        |device, path, out| {
            let old = old_devices.get(view::text(device, "name")).copied();
            device::device(device, old, per_device, path, checks, out);
        },
    );
}

fn consumes_counters(device: &Value) -> bool {
    !view::list(device, "consumesCounters").is_empty()
}

/// Every device that consumes counters says of which type it is.
fn partition_type(spec: &Value, name: &str, path: &FieldPath<'_>, out: &mut Findings) {
    let devices = view::list(spec, "devices");
    let at_name = path.child("partitionTypeAttribute");
    if !devices.iter().any(consumes_counters) {
        let text = "may only be set on a slice which declares devices that consume counters";
        out.add(FieldError::invalid(&at_name, name, text));
        return;
    }
    if !check::fully_qualified_name(name, &at_name).is_empty() {
        return;
    }
    let driver = view::text(spec, "driver");
    let bare = name
        .strip_prefix(driver)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(name);
    let at_devices = path.child("devices");
    for (index, device) in devices
        .iter()
        .enumerate()
        .filter(|(_, device)| consumes_counters(device))
    {
        let attributes = view::part(device, "attributes");
        let path = at_devices.index(index);
        let path = path.child("attributes");
        let path = path.key(name);
        let attribute = attributes
            .get(name)
            .or_else(|| attributes.get(bare).filter(|_| !bare.is_empty()));
        match attribute {
            None => out.add(FieldError::required(
                &path,
                "device consumes counters and `partitionTypeAttribute` names this attribute, so it must be set",
            )),
            Some(attribute) if view::present(attribute, "string").is_none() => {
                let shown = shape::internal_json(&shape::DEVICE_ATTRIBUTE, attribute);
                let text = "must be a string value because `partitionTypeAttribute` names this attribute";
                out.add(FieldError::invalid(&path, shown, text));
            }
            Some(_) => {}
        }
    }
}
