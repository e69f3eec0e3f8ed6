//! Node resources that a device takes.

use serde_json::Value;

use super::capacity::quantity;
use super::findings::Findings;
use super::view;
use crate::field::{BadValue, FieldError, FieldPath};

const ORIGIN: &str = "dependentRequired";

/// `nodeAllocatableResources` of a device.
pub(super) fn resources(device: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("nodeAllocatableResources");
    for (name, resource) in view::entries(device, "nodeAllocatableResources") {
        let path = path.key(name);
        if name != "cpu" && name != "memory" && !name.starts_with("hugepages-") {
            let text = "must be a node allocatable resource name";
            out.add(FieldError::invalid(&path, BadValue::json(&name), text));
        }
        let (mapping, overhead) = (
            view::present(resource, "mapping"),
            view::present(resource, "overhead"),
        );
        if mapping.is_none() && overhead.is_none() {
            let text = "at least one of mapping or overhead must be set";
            out.add(FieldError::required(&path, text));
        }
        if let Some(mapping) = mapping {
            self::mapping(
                mapping,
                view::part(device, "capacity"),
                &path.child("mapping"),
                out,
            );
        }
        if let Some(overhead) = overhead {
            self::overhead(overhead, &path.child("overhead"), out);
        }
    }
}

fn mapping(mapping: &Value, capacity: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let multiplier = quantity(mapping, "capacityMultiplier");
    let at_multiplier = path.child("capacityMultiplier");
    if let Some(key) = view::optional_text(mapping, "capacityKey") {
        let path = path.child("capacityKey");
        if key.is_empty() {
            out.add(FieldError::invalid(
                &path,
                "",
                "capacityKey must not be an empty string",
            ));
        } else if capacity.get(key).is_none() {
            out.add(FieldError::not_found(&path, BadValue::json(&key)));
        }
        match &multiplier {
            None => out.covered(
                ORIGIN,
                FieldError::required(
                    &at_multiplier,
                    "capacityMultiplier is required when capacityKey is set",
                ),
            ),
            Some(multiplier) if multiplier.signum() <= 0 => {
                let shown = multiplier.to_string();
                out.add(FieldError::invalid(
                    &at_multiplier,
                    &shown,
                    "must be positive",
                ));
            }
            Some(_) => {}
        }
    }
    if let Some(multiplier) = quantity(mapping, "deviceMultiplier")
        && multiplier.signum() <= 0
    {
        let path = path.child("deviceMultiplier");
        out.add(FieldError::invalid(
            &path,
            &multiplier.to_string(),
            "must be positive",
        ));
    }
    if multiplier.is_some() && view::present(mapping, "capacityKey").is_none() {
        let text = "capacityKey is required when capacityMultiplier is set";
        out.covered(
            ORIGIN,
            FieldError::required(&path.child("capacityKey"), text),
        );
    }
}

fn overhead(overhead: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let amounts = ["perPod", "perContainer"].map(|name| (name, quantity(overhead, name)));
    if amounts.iter().all(|(_, amount)| amount.is_none()) {
        let text = "at least one of perPod or perContainer must be set";
        out.add(FieldError::invalid(path, "", text));
    }
    for (name, amount) in amounts {
        if let Some(amount) = amount.filter(|amount| amount.signum() < 0) {
            let path = path.child(name);
            out.add(FieldError::invalid(
                &path,
                &amount.to_string(),
                "must be non-negative",
            ));
        }
    }
}
