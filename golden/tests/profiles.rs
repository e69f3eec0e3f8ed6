//! The catalogue, compactly: per slice the first device in full, then what differs from it.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use drakit_api::k8s::api::resource::v1::{Device, ResourceSlice};
use drakit_driver_model::{Fleet, catalogue, render};
use serde_json::Value;

/// `attributes`, capacities and counters as `name=value`.
fn facts(device: &Device) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    for (name, attribute) in device.attributes.iter().flatten() {
        let value = serde_json::to_value(attribute).unwrap();
        let (kind, value) = value
            .as_object()
            .and_then(|fields| fields.iter().next())
            .unwrap();
        let short = name
            .replace("resource.kubernetes.io/", "std/")
            .replace("dra.net/", "");
        facts.insert(
            short,
            format!(
                "{}({kind})",
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            ),
        );
    }
    for (name, capacity) in device.capacity.iter().flatten() {
        let policy = capacity
            .request_policy
            .as_ref()
            .map(|policy| serde_json::to_string(policy).unwrap());
        facts.insert(
            format!("capacity.{name}"),
            format!("{}{}", capacity.value.0, policy.unwrap_or_default()),
        );
    }
    for consumption in device.consumes_counters.iter().flatten() {
        for (name, counter) in &consumption.counters {
            facts.insert(
                format!("{}.{name}", consumption.counter_set),
                counter.value.0.clone(),
            );
        }
    }
    if device.allow_multiple_allocations == Some(true) {
        facts.insert("allowMultipleAllocations".to_owned(), "true".to_owned());
    }
    facts
}

/// Consumed counters that repeat a capacity are left out of one-line forms, and slices are counted.
fn line(facts: &BTreeMap<String, String>, first: &BTreeMap<String, String>) -> String {
    let slices: Vec<&str> = facts
        .keys()
        .filter_map(|key| key.split_once(".memory-slice-").map(|(_, slice)| slice))
        .collect();
    let mut line = String::new();
    for (key, value) in facts {
        let counter = key.contains("-counter-set.");
        if !counter && first.get(key) != Some(value) {
            let _ = write!(line, " {key}={value}");
        }
    }
    if !slices.is_empty() {
        let _ = write!(line, " slices={}", slices.join(","));
    }
    line
}

fn show(
    text: &mut String,
    slice: &ResourceSlice,
    first: &mut BTreeMap<String, BTreeMap<String, String>>,
) {
    let spec = &slice.spec;
    let reach = spec
        .node_name
        .clone()
        .map_or("all nodes".to_owned(), |node| format!("node {node}"));
    let _ = writeln!(
        text,
        "{} driver {} pool {} ({reach}), generation {}, one of {}",
        slice.metadata.name.as_deref().unwrap_or_default(),
        spec.driver,
        spec.pool.name,
        spec.pool.generation,
        spec.pool.resource_slice_count
    );
    for set in spec.shared_counters.iter().flatten() {
        let counters: Vec<String> = set
            .counters
            .iter()
            .map(|(name, counter)| format!("{name}={}", counter.value.0))
            .collect();
        let _ = writeln!(text, "  counters {}: {}", set.name, counters.join(" "));
    }
    for device in spec.devices.iter().flatten() {
        let facts = facts(device);
        match first.get(&spec.driver) {
            None => {
                let _ = writeln!(text, "  {}", device.name);
                for (key, value) in &facts {
                    let _ = writeln!(text, "    {key} = {value}");
                }
                first.insert(spec.driver.clone(), facts);
            }
            Some(first) => {
                let _ = writeln!(text, "  {}:{}", device.name, line(&facts, first));
            }
        }
    }
}

#[test]
fn every_profile_publishes_what_its_hardware_would() {
    for profile in catalogue::PROFILES {
        let plan = Fleet::from_profile(profile.name, "node-0", 1, 7)
            .unwrap()
            .plan();
        let mut text = format!("{}\n", profile.description);
        let mut first = BTreeMap::new();
        let mut left_out = 0;
        for (index, slice) in render::resource_slices(&plan).enumerate() {
            // All GPUs of a MIG profile have the same partitions: the first GPU is enough for a person.
            if profile.name.ends_with("-mig") && index >= 2 {
                left_out += 1;
                continue;
            }
            show(&mut text, &slice, &mut first);
        }
        if left_out > 0 {
            let _ = writeln!(text, "and {left_out} more slices");
        }
        for class in render::device_classes(&plan) {
            let spec = serde_json::to_value(&class.spec).unwrap_or(Value::Null);
            let _ = writeln!(
                text,
                "class {}: {spec}",
                class.metadata.name.as_deref().unwrap_or_default()
            );
        }
        insta::assert_snapshot!(profile.name, text);
    }
}

#[test]
fn the_list_of_profiles_reads_well() {
    let mut list = String::new();
    for profile in catalogue::PROFILES {
        let _ = writeln!(list, "{:18} {}", profile.name, profile.description);
    }
    insta::assert_snapshot!(list);
}
