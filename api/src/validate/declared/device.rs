//! Devices of a slice.

use super::formats;
use super::markers::{self, Parent, item_text};
use super::taint;
use crate::field::{FieldError, FieldPath};
use crate::limits;
use crate::validate::findings::{Findings, Level};
use crate::validate::{shape, view};
use serde_json::Value;

const UNION: &str = "union";
const VALUES: [&str; 8] = [
    "int", "bool", "string", "version", "ints", "bools", "strings", "versions",
];

/// A device, which has no old one here.
pub(super) fn device(device: &Parent<'_>, out: &mut Findings) {
    let path = device.path.child("attributes");
    for (name, attribute) in view::entries(device.new, "attributes") {
        self::attribute(attribute, &path.key(name), out);
    }
    consumptions(device, out);
    let taints = device.items("taints", usize::MAX, Level::Beta, out);
    markers::each(
        taints,
        &shape::DEVICE_TAINT,
        &device.path.child("taints"),
        out,
        taint::taint,
    );
    device.items(
        "bindingConditions",
        limits::BINDING_CONDITIONS_MAX_SIZE,
        Level::Beta,
        out,
    );
    let max = limits::BINDING_FAILURE_CONDITIONS_MAX_SIZE;
    device.items("bindingFailureConditions", max, Level::Beta, out);
    let path = device.path.child("nodeAllocatableResources");
    for (name, resource) in view::entries(device.new, "nodeAllocatableResources") {
        if let Some(mapping) = view::present(resource, "mapping") {
            let path = path.key(name);
            let set = ["capacityKey", "deviceMultiplier"]
                .map(|name| (name, view::present(mapping, name).is_some()));
            union(&set, &path.child("mapping"), Level::Stable, out);
        }
    }
}

fn attribute(attribute: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let set = VALUES.map(|name| {
        let value = view::part(attribute, name);
        (
            name,
            value
                .as_array()
                .map_or(!value.is_null(), |list| !list.is_empty()),
        )
    });
    union(&set, path, Level::Beta, out);
}

fn union(members: &[(&str, bool)], path: &FieldPath<'_>, level: Level, out: &mut Findings) {
    let all: Vec<String> = members
        .iter()
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let all = all.join(", ");
    let set: Vec<&str> = members
        .iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(name, _)| *name)
        .collect();
    let error = match set.as_slice() {
        [] => FieldError::invalid(path, "", format!("must specify one of: {all}")),
        [_] => return,
        several => FieldError::invalid(
            path,
            &format!("{{{}}}", several.join(", ")),
            format!("must specify exactly one of: {all}"),
        ),
    };
    out.declared(level, UNION, error);
}

fn consumptions(device: &Parent<'_>, out: &mut Findings) {
    let name = "consumesCounters";
    let max = limits::RESOURCE_SLICE_MAX_DEVICE_COUNTER_CONSUMPTIONS_PER_DEVICE;
    let items = device.items(name, max, Level::Beta, out);
    let path = device.path.child(name);
    let shape = &shape::DEVICE_COUNTER_CONSUMPTION;
    let key = |item| view::text(item, "counterSet");
    markers::unique(
        items,
        key,
        |item| shape::wire_json(shape, item),
        &path,
        Level::Beta,
        out,
    );
    markers::each_by_key(items, None, shape, key, &path, out, |consumption, out| {
        consumption.required_text("counterSet", Level::Beta, Some(formats::short_name), out);
        consumption.required_keys("counters", formats::short_name, out);
        groups(consumption, out);
    });
}

fn groups(consumption: &Parent<'_>, out: &mut Findings) {
    let name = "compatibilityGroups";
    let max = limits::DEVICE_COMPATIBILITY_GROUPS_MAX_SIZE;
    let groups = consumption.items(name, max, Level::Stable, out);
    let path = consumption.path.child(name);
    for (index, group) in groups.iter().enumerate() {
        formats::short_name(item_text(group), &path.index(index), Level::Stable, out);
    }
    markers::unique(
        groups,
        item_text,
        markers::quoted,
        &path,
        Level::Stable,
        out,
    );
}
