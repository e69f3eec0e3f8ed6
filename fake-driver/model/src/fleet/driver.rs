//! Entries of `drivers`, and the device part of `pools`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::CounterSet;
use drakit_api::names::{self, DriverName};

use super::attributes::Where;
use super::counters::counters_of;
use super::device;
use super::table::{MAX_DEVICES, Sample, Table, check_unique};
use super::texts::{check_names, label};
use crate::device::{DeviceTemplate, DriverParts, DriverTemplate, MountTemplate};
use crate::kind::DeviceKind;
use crate::template::Placeholders;
use crate::yaml::reader::{Fields, Item, Problems};

/// Fields that describe devices, in a driver as in a pool.
pub(super) const DEVICE_FIELDS: [&str; 5] = [
    "kind",
    "devices",
    "sharedCounters",
    "partitionTypeAttribute",
    "mounts",
];

const DRIVER_FIELDS: &[&str] = &[
    "name",
    "kind",
    "devices",
    "sharedCounters",
    "partitionTypeAttribute",
    "mounts",
];

/// One driver of a node; the name also when something else is wrong.
pub(super) fn read(
    item: &Item<'_>,
    samples: &[Sample],
    problems: &mut Problems,
) -> (Option<DriverName>, Option<Arc<DriverTemplate>>) {
    let Some(fields) = item.fields(problems, DRIVER_FIELDS) else {
        return (None, None);
    };
    let driver = fields.require(problems, "name", "a driver name, as gpu.example.com");
    let driver = driver.and_then(|item| driver_name(&item, problems));
    let template = devices_of(&fields, driver.clone(), samples, problems);
    (driver, template)
}

/// A driver's name.
pub(super) fn driver_name(item: &Item<'_>, problems: &mut Problems) -> Option<DriverName> {
    let text = item.string(problems)?;
    let before = problems.0.len();
    check_names(item, text, names::validate_driver_name(text), problems);
    if problems.0.len() > before {
        return None;
    }
    DriverName::new(text).ok()
}

/// The devices that `fields` describe. Without a valid driver name they are still checked.
pub(super) fn devices_of(
    fields: &Fields<'_>,
    driver: Option<DriverName>,
    samples: &[Sample],
    problems: &mut Problems,
) -> Option<Arc<DriverTemplate>> {
    let name = driver
        .as_ref()
        .map_or("driver.invalid", |driver| driver.as_ref());
    let places = Where {
        driver: name,
        samples,
    };
    let kind = match fields.get("kind") {
        Some(kind) => read_kind(&kind, problems),
        None => Some(DeviceKind::guess(name)),
    };
    let devices = match fields.get("devices") {
        Some(list) => devices(&list, &places, problems),
        None => Vec::new(),
    };
    let counter_sets = match fields.get("sharedCounters") {
        Some(item) => counter_sets(&item, problems),
        None => Vec::new(),
    };
    let partition_type_attribute = match fields.get("partitionTypeAttribute") {
        Some(item) => item.string(problems).map(str::to_owned),
        None => None,
    };
    let mounts = fields
        .get("mounts")
        .map(|item| mounts(&item, problems))
        .unwrap_or_default();
    let parts = DriverParts {
        driver: driver?,
        kind: kind?,
        devices,
        counter_sets,
        partition_type_attribute,
        mounts,
    };
    let template = DriverTemplate::new(parts);
    check_references(&fields.item, &template, problems);
    Some(Arc::new(template))
}

/// Entries of `devices`; every device has a name of its own, on every node.
fn devices(list: &Item<'_>, places: &Where<'_>, problems: &mut Problems) -> Vec<DeviceTemplate> {
    let mut devices: Vec<DeviceTemplate> = Vec::new();
    let mut seen = vec![BTreeSet::new(); places.samples.len()];
    for item in list.list(problems, "devices").unwrap_or_default() {
        let before = devices.len();
        device::read(&item, places, &mut devices, problems);
        for (sample, seen) in places.samples.iter().zip(&mut seen) {
            let place = sample.place(places.driver);
            let names: Vec<String> = devices[before..]
                .iter()
                .map(|device| device.name.render(place, ""))
                .collect();
            check_unique(
                &item,
                "device",
                seen,
                names.iter().map(String::as_str),
                problems,
            );
        }
    }
    devices
}

fn read_kind(item: &Item<'_>, problems: &mut Problems) -> Option<DeviceKind> {
    let text = item.string(problems)?;
    let kind = DeviceKind::from_name(text);
    if kind.is_none() {
        problems.add_allowed(
            item,
            format!("unknown kind {text:?}"),
            DeviceKind::NAMES.join(", "),
        );
    }
    kind
}

/// `sharedCounters: [{name, count | each, counters}]`.
fn counter_sets(item: &Item<'_>, problems: &mut Problems) -> Vec<CounterSet> {
    let mut sets: Vec<CounterSet> = Vec::new();
    let mut seen = BTreeSet::new();
    for item in item.list(problems, "counter sets").unwrap_or_default() {
        let Some(fields) = item.fields(problems, &["name", "count", "each", "counters"]) else {
            continue;
        };
        let Some(table) = Table::read(&fields, problems) else {
            continue;
        };
        if sets.len() + table.len() > MAX_DEVICES {
            problems.add_allowed(
                &item,
                "more counter sets than devices are possible",
                format!("{MAX_DEVICES} per pool"),
            );
            continue;
        }
        let names = fields
            .require(problems, "name", "a counter set name")
            .and_then(|item| {
                let text = item.string(problems)?;
                table.expand_fixed(&item, text, problems, |name| {
                    label(
                        "counter set name",
                        name,
                        &names::validate_dns1123_label(name),
                    )
                })
            });
        let values = fields.require(problems, "counters", "a map of counters");
        let values = values.and_then(|item| counters_of(&item, &table, problems));
        let (Some(names), Some(values)) = (names, values) else {
            continue;
        };
        check_unique(
            &item,
            "counter set",
            &mut seen,
            names.iter().map(String::as_str),
            problems,
        );
        sets.extend(
            names
                .into_iter()
                .zip(values)
                .map(|(name, counters)| CounterSet { name, counters }),
        );
    }
    sets
}

/// Every counter that a device consumes must exist in this pool; the API server does not check that (SL-07).
fn check_references(item: &Item<'_>, driver: &DriverTemplate, problems: &mut Problems) {
    let sets: BTreeMap<&str, &CounterSet> = driver
        .counter_sets
        .iter()
        .map(|set| (set.name.as_str(), set))
        .collect();
    let mut reported = BTreeSet::new();
    for consumption in driver
        .devices
        .iter()
        .flat_map(|device| device.base.consumes_counters.iter().flatten())
    {
        let Some(set) = sets.get(consumption.counter_set.as_str()) else {
            if reported.insert(consumption.counter_set.clone()) {
                let known: Vec<&str> = sets.keys().copied().collect();
                let text = format!(
                    "devices consume from counter set {:?}, which does not exist",
                    consumption.counter_set
                );
                problems.add_allowed(item, text, none_or(&known));
            }
            continue;
        };
        for counter in consumption
            .counters
            .keys()
            .filter(|name| !set.counters.contains_key(*name))
        {
            if reported.insert(format!("{}/{counter}", set.name)) {
                let known: Vec<&str> = set.counters.keys().map(String::as_str).collect();
                let text = format!(
                    "devices consume counter {counter:?}, which counter set {:?} does not have",
                    set.name
                );
                problems.add_allowed(item, text, none_or(&known));
            }
        }
    }
}

fn none_or(known: &[&str]) -> String {
    if known.is_empty() {
        "none is declared in sharedCounters".to_owned()
    } else {
        known.join(", ")
    }
}

/// `mounts: [{hostPath, containerPath}]`, read-only, for every device of the driver.
fn mounts(item: &Item<'_>, problems: &mut Problems) -> Vec<MountTemplate> {
    let mut mounts = Vec::new();
    // Mounts are written once per driver, so there is no device index to fill in.
    let table = Table::single();
    for item in item.list(problems, "mounts").unwrap_or_default() {
        let Some(fields) = item.fields(problems, &["hostPath", "containerPath"]) else {
            continue;
        };
        let mut path = |key| {
            let item = fields.require(problems, key, "an absolute path")?;
            let text = item.string(problems)?;
            if !text.starts_with('/') {
                problems.add_allowed(
                    &item,
                    format!("is the relative path {text:?}"),
                    "an absolute path",
                );
            }
            let texts = table.expand(&item, text, Placeholders::Shared, problems, |text| {
                Ok(text.clone())
            })?;
            texts.into_iter().next()
        };
        let (host_path, container_path) = (path("hostPath"), path("containerPath"));
        if let (Some(host_path), Some(container_path)) = (host_path, container_path) {
            mounts.push(MountTemplate {
                host_path,
                container_path,
            });
        }
    }
    mounts
}
