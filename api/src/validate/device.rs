//! Devices of a slice.

use serde_json::Value;

use super::attribute;
use super::capacity;
use super::checks::Checks;
use super::counters;
use super::findings::Findings;
use super::items::{self, Cover};
use super::node_allocatable;
use super::node_selector;
use super::shape;
use super::taint;
use super::view;
use crate::field::{BadValue, FieldError, FieldPath};
use crate::limits;
use crate::names::{self, check};

const ONE_OF: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

pub(super) use attribute::has_list_attributes;

/// A device; `old` is the one of that name before. Capacity and taints that did not
/// change are not checked again.
pub(super) fn device(
    device: &Value,
    old: Option<&Value>,
    per_device: bool,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) {
    out.all(check::device_name(
        view::text(device, "name"),
        &path.child("name"),
    ));
    sizes(device, path, out);
    attribute::attributes(device, path, out);
    if shape::changed(&shape::DEVICE, "capacity", device, old) {
        capacity::capacities(device, path, checks, out);
    }
    if shape::changed(&shape::DEVICE, "taints", device, old) {
        let taints = view::list(device, "taints");
        let (max, path) = (limits::DEVICE_TAINTS_MAX_LENGTH, path.child("taints"));
        items::each(
            taints,
            max,
            &path,
            Cover::Nothing,
            out,
            |item, path, out| {
                taint::taint(item, None, path, out);
            },
        );
    }
    items::each_unique(
        view::list(device, "consumesCounters"),
        limits::RESOURCE_SLICE_MAX_DEVICE_COUNTER_CONSUMPTIONS_PER_DEVICE,
        &path.child("consumesCounters"),
        Cover::SizeAndUniqueness,
        out,
        |consumption| view::text(consumption, "counterSet").to_owned(),
        |consumption, path, out| {
            let max = limits::RESOURCE_SLICE_MAX_COUNTERS_PER_DEVICE_COUNTER_CONSUMPTION;
            counters::counters(consumption, "counterSet", max, path, out);
        },
    );
    nodes(device, per_device, path, out);
    taint::binding_conditions(device, path, out);
    node_allocatable::resources(device, path, out);
}

fn sizes(device: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let count = |name| {
        view::part(device, name)
            .as_object()
            .map_or(0, serde_json::Map::len)
    };
    let total = count("attributes") + count("capacity");
    let max = limits::RESOURCE_SLICE_MAX_ATTRIBUTES_AND_CAPACITIES_PER_DEVICE;
    if total > max {
        let text = format!("the total number of attributes and capacities must not exceed {max}");
        out.add(FieldError::invalid(path, total, text));
    }
    let values = attribute::value_count(device);
    let max = limits::RESOURCE_SLICE_MAX_ATTRIBUTE_VALUES_PER_DEVICE;
    if values > max {
        let text = format!("the total number of attribute values must not exceed {max}");
        out.add(FieldError::invalid(path, values, text));
    }
}

fn nodes(device: &Value, per_device: bool, path: &FieldPath<'_>, out: &mut Findings) {
    let is_set = |name| view::present(device, name).is_some();
    if !per_device {
        if is_set("nodeName") || is_set("nodeSelector") || is_set("allNodes") {
            let text = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
            out.add(FieldError::invalid(
                path,
                BadValue::Plain("null".to_owned()),
                text,
            ));
        }
        return;
    }
    let mut set = Vec::new();
    let at_name = path.child("nodeName");
    match view::optional_text(device, "nodeName") {
        None => {}
        Some("") => out.add(FieldError::invalid(&at_name, "", "must not be empty")),
        Some(name) => {
            set.push("`nodeName`");
            for problem in names::validate_node_name(name) {
                out.add(FieldError::invalid(&at_name, name, problem));
            }
        }
    }
    if let Some(selector) = view::present(device, "nodeSelector") {
        set.push("`nodeSelector`");
        node_selector::node_selector(selector, &path.child("nodeSelector"), out);
    }
    match view::flag(device, "allNodes") {
        None => {}
        Some(true) => set.push("`allNodes`"),
        Some(false) => {
            let path = path.child("allNodes");
            out.add(FieldError::invalid(
                &path,
                false,
                "must be either unset or set to true",
            ));
        }
    }
    match set.as_slice() {
        [] => out.add(FieldError::required(path, ONE_OF)),
        [_] => {}
        several => {
            let shown = format!("{{{}}}", several.join(", "));
            out.add(FieldError::invalid(path, &shown, ONE_OF));
        }
    }
}
