//! Entries of `pools`.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_api::names::{self, DriverName, PoolName};

use super::document::Reading;
use super::driver::{self, DEVICE_FIELDS};
use super::groups::{Profile, check_label_key, profile, samples};
use super::table::Sample;
use super::texts::check_names;
use super::{NetworkPool, slices};
use crate::catalogue::Scope;
use crate::device::DriverTemplate;
use crate::plan::{PoolPlan, Reach};
use crate::yaml::reader::{Fields, Item, Problems};

const FIELDS: &[&str] = &[
    "driver",
    "name",
    "profile",
    "nodeSelector",
    "allNodes",
    DEVICE_FIELDS[0],
    DEVICE_FIELDS[1],
    DEVICE_FIELDS[2],
    DEVICE_FIELDS[3],
    DEVICE_FIELDS[4],
];

/// One pool that is not bound to one node.
pub(super) fn read(item: &Item<'_>, reading: &mut Reading) -> Option<NetworkPool> {
    let before = reading.problems.0.len();
    let problems = &mut reading.problems;
    let fields = item.fields(problems, FIELDS)?;
    let driver = fields.require(problems, "driver", "a driver name, as rdma.example.com");
    let driver = driver.and_then(|item| driver::driver_name(&item, problems));
    let name_item = fields.require(problems, "name", "a pool name, as rack-1");
    let name = name_item
        .as_ref()
        .and_then(|item| pool_name(item, problems));
    let reach = reach(&fields, problems);
    if let Some(driver) = &driver {
        reading.class_of_driver(driver.as_str());
    }
    let template = match fields.get("profile") {
        None => devices(&fields, driver.clone(), name.as_ref(), reading),
        Some(item) => from_profile(&item, &fields, driver.clone(), reading),
    };
    let (name, driver) = (name?, driver?);
    if !reading
        .pool_names
        .insert((driver.to_string(), name.to_string()))
    {
        let text = format!(
            "duplicate pool {:?} of driver {:?}",
            name.as_str(),
            driver.as_str()
        );
        reading.problems.add(&name_item?, text);
        return None;
    }
    let pool = NetworkPool {
        name,
        reach: reach?,
        driver: template?,
    };
    if reading.problems.0.len() == before {
        let plan = PoolPlan::new(
            Arc::clone(&pool.driver),
            pool.reach.clone(),
            pool.name.clone(),
            0,
        );
        slices::check_pool(item, &plan, &mut reading.problems);
    }
    Some(pool)
}

/// Devices that are written out.
fn devices(
    fields: &Fields<'_>,
    driver: Option<DriverName>,
    name: Option<&PoolName>,
    reading: &mut Reading,
) -> Option<Arc<DriverTemplate>> {
    let sample = match name {
        Some(name) => vec![Sample::of_pool(reading.seed, name)],
        None => samples(None, reading.seed),
    };
    driver::devices_of(fields, driver, &sample, &mut reading.problems)
}

/// Devices of a profile; then nothing else may describe devices.
fn from_profile(
    item: &Item<'_>,
    fields: &Fields<'_>,
    driver: Option<DriverName>,
    reading: &mut Reading,
) -> Option<Arc<DriverTemplate>> {
    for key in DEVICE_FIELDS {
        if let Some(extra) = fields.get(key) {
            let text = format!("{key} does not go with profile, which has its own");
            reading.problems.add(&extra, text);
        }
    }
    let profile = profile(item, Scope::Network, reading)?;
    driver_of_profile(item, &profile, driver?, reading)
}

/// The profile's driver of this name, or its only driver under this name.
fn driver_of_profile(
    item: &Item<'_>,
    profile: &Profile,
    driver: DriverName,
    reading: &mut Reading,
) -> Option<Arc<DriverTemplate>> {
    if let Some(template) = profile
        .drivers
        .iter()
        .find(|template| template.driver == driver)
    {
        return Some(Arc::clone(template));
    }
    let [only] = profile.drivers.as_slice() else {
        let known: Vec<&str> = profile
            .drivers
            .iter()
            .map(|template| template.driver.as_ref())
            .collect();
        let text = format!("the profile has no driver {:?}", driver.as_ref());
        reading.problems.add_allowed(item, text, known.join(", "));
        return None;
    };
    Some(Arc::new(only.renamed(driver)))
}

fn pool_name(item: &Item<'_>, problems: &mut Problems) -> Option<PoolName> {
    let text = item.string(problems)?;
    let before = problems.0.len();
    check_names(item, text, names::validate_pool_name(text), problems);
    if problems.0.len() > before {
        None
    } else {
        PoolName::new(text).ok()
    }
}

fn reach(fields: &Fields<'_>, problems: &mut Problems) -> Option<Reach> {
    match (fields.get("nodeSelector"), fields.get("allNodes")) {
        (None, None) => Some(Reach::AllNodes),
        (None, Some(all)) => {
            let all_nodes = all.bool(problems)?;
            if !all_nodes {
                problems.add_allowed(&all, "is false", "true, or nodeSelector instead");
            }
            all_nodes.then_some(Reach::AllNodes)
        }
        (Some(_), Some(all)) => {
            problems.add(&all, "allNodes and nodeSelector exclude each other");
            None
        }
        (Some(selector), None) => {
            let mut labels = BTreeMap::new();
            let entries = selector.entries(problems, "node labels")?;
            if entries.is_empty() {
                problems.add_allowed(
                    &selector,
                    "selects by no label",
                    "at least one label, or allNodes: true",
                );
            }
            for (entry, item) in entries {
                check_label_key(entry, &item, problems);
                let value = item.string(problems)?;
                check_names(&item, value, names::validate_label_value(value), problems);
                labels.insert(entry.key.clone(), value.to_owned());
            }
            Some(Reach::Labels(labels))
        }
    }
}
