//! Resource slices.

use serde_json::Value;

use super::device;
use super::formats;
use super::markers::{self, Parent};
use crate::field::{FieldError, FieldPath};
use crate::limits;
use crate::validate::findings::{Findings, Level};
use crate::validate::gate::Gates;
use crate::validate::{shape, view};

/// A `ResourceSlice`.
pub(in crate::validate) fn resource_slice(
    new: &Value,
    old: Option<&Value>,
    gates: &Gates,
) -> Findings {
    let mut out = Findings::default();
    let path = &FieldPath::new("spec");
    let (new, old) = (
        view::part(new, "spec"),
        old.map(|old| view::part(old, "spec")),
    );
    let spec = Parent {
        shape: &shape::RESOURCE_SLICE_SPEC,
        new,
        old,
        path,
    };
    let devices = spec.items("devices", usize::MAX, Level::Beta, &mut out);
    markers::each(
        devices,
        &shape::DEVICE,
        &path.child("devices"),
        &mut out,
        device::device,
    );

    let max = limits::RESOURCE_SLICE_MAX_COUNTER_SETS;
    let sets = spec.items("sharedCounters", max, Level::Beta, &mut out);
    let at_sets = path.child("sharedCounters");
    let name = |set| view::text(set, "name");
    let shown = |set| shape::wire_json(&shape::COUNTER_SET, set);
    markers::unique(sets, name, shown, &at_sets, Level::Beta, &mut out);
    let old = spec.old_part("sharedCounters");
    markers::each_by_key(
        sets,
        old,
        &shape::COUNTER_SET,
        name,
        &at_sets,
        &mut out,
        |set, out| {
            set.required_text("name", Level::Beta, Some(formats::short_name), out);
            set.required_keys("counters", formats::short_name, out);
        },
    );

    let name = "partitionTypeAttribute";
    if let Some(text) = view::optional_text(new, name)
        && spec.changed(name)
    {
        let path = path.child(name);
        if gates.partitionable_devices_type {
            formats::fully_qualified_name(text, &path, Level::Stable, &mut out);
        } else {
            out.declared(Level::Stable, "", FieldError::forbidden(&path, ""));
        }
    }
    spec.skip_node_operations(&mut out);
    out
}
