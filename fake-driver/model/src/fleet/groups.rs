//! Entries of `nodes` and `pools`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::DeviceClass;
use drakit_api::names::{self, NodeName, PoolName};

use super::document::Reading;
use super::driver::{self, DEVICE_FIELDS};
use super::table::{Sample, read_count};
use super::texts::check_names;
use super::{GroupNode, NetworkPool, NodeGroup, classes};
use crate::catalogue::{self, Scope};
use crate::device::DriverTemplate;
use crate::plan::Reach;
use crate::template::{Placeholders, Row, Template};
use crate::yaml::Entry;
use crate::yaml::reader::{Fields, Item, Problems};

/// Twenty times the largest cluster that Kubernetes supports; a typo must not fill the memory.
const MAX_NODES: usize = 100_000;

/// A profile of the catalogue, read.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) scope: Scope,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) drivers: Vec<Arc<DriverTemplate>>,
    pub(crate) device_classes: Vec<DeviceClass>,
}

/// One entry of `nodes`.
pub(super) fn nodes(item: &Item<'_>, reading: &mut Reading) -> Option<NodeGroup> {
    let fields = item.fields(
        &mut reading.problems,
        &["name", "count", "labels", "profile", "drivers"],
    )?;
    let names = node_names(&fields, reading);
    let profile = fields
        .get("profile")
        .and_then(|item| profile(&item, Scope::Node, reading));
    let mut labels = Vec::new();
    for (key, value) in profile.iter().flat_map(|profile| &profile.labels) {
        // Texts of the catalogue have no placeholders in labels, and braces are not legal in a label value.
        labels.extend(
            Template::parse(value, Placeholders::Node, &[])
                .ok()
                .map(|value| (key.clone(), value)),
        );
    }
    if let Some(item) = fields.get("labels") {
        labels.extend(read_labels(
            &item,
            names.as_ref().map_or(1, Vec::len),
            reading,
        ));
    }
    let samples = samples(names.as_deref(), reading.seed);
    let mut drivers: Vec<Arc<DriverTemplate>> = profile
        .map(|profile| profile.drivers.clone())
        .unwrap_or_default();
    let mut taken: BTreeSet<String> = drivers
        .iter()
        .map(|driver| driver.driver.to_string())
        .collect();
    if let Some(list) = fields.get("drivers") {
        for item in list
            .list(&mut reading.problems, "drivers")
            .unwrap_or_default()
        {
            let before = reading.problems.0.len();
            let (name, template) = driver::read(&item, &samples, &mut reading.problems);
            if let Some(name) = name {
                if !taken.insert(name.to_string()) {
                    reading.problems.0.truncate(before);
                    let text = format!("duplicate driver {:?} on the same node", name.as_str());
                    reading.problems.add(&item, text);
                    continue;
                }
                reading.class_of_driver(name.as_str());
            }
            drivers.extend(template);
        }
    }
    let names = names?;
    for driver in &drivers {
        for (name, _) in &names {
            reading
                .pool_names
                .insert((driver.driver.to_string(), name.to_string()));
        }
    }
    let with_labels = |(index, (name, pool)): (usize, (NodeName, PoolName))| {
        let render = |(key, text): &(String, Template)| {
            let text = text.resolve(index, &Row::new());
            (key.clone(), text.fixed().unwrap_or_default().to_owned())
        };
        GroupNode {
            name,
            pool,
            labels: labels.iter().map(render).collect(),
        }
    };
    Some(NodeGroup {
        nodes: names.into_iter().enumerate().map(with_labels).collect(),
        drivers,
    })
}

/// Where the checks look at the devices; a group with a wrong name is checked as if it had some name.
fn samples(names: Option<&[(NodeName, PoolName)]>, seed: u64) -> Vec<Sample> {
    let Some(names) = names else {
        return vec![Sample {
            seed,
            node: "node".to_owned(),
            node_index: 0,
        }];
    };
    let last = names.len().saturating_sub(1);
    let indices = if last == 0 { vec![0] } else { vec![0, last] };
    let sample = |index: usize| Some(Sample::of_node(seed, &names.get(index)?.0, index));
    indices.into_iter().filter_map(sample).collect()
}

fn node_names(fields: &Fields<'_>, reading: &mut Reading) -> Option<Vec<(NodeName, PoolName)>> {
    let problems = &mut reading.problems;
    let item = fields.require(
        problems,
        "name",
        "a node name, with {index} when count is more than one",
    );
    let count = match fields.get("count") {
        Some(count) => read_count(&count, MAX_NODES, problems),
        None => Some(1),
    };
    let item = item?;
    let text = item.string(problems)?;
    let template = match Template::parse(text, Placeholders::Node, &[]) {
        Ok(template) => template,
        Err(error) => {
            problems.add_wrong(&item, error.into());
            return None;
        }
    };
    let count = count?;
    if count > 1 && !template.varies_by_device() {
        problems.add_allowed(
            &item,
            format!("{count} nodes would have the same name"),
            format!("{text}-{{index}}"),
        );
        return None;
    }
    if reading.node_names.len() + count > MAX_NODES {
        problems.add_allowed(&item, "too many nodes in the fleet", format!("{MAX_NODES}"));
        return None;
    }
    let mut names = Vec::with_capacity(count);
    for index in 0..count {
        let text = template.resolve(index, &Row::new());
        let text = text.fixed().unwrap_or_default();
        let before = problems.0.len();
        check_names(&item, text, names::validate_node_name(text), problems);
        if problems.0.len() > before {
            return None;
        }
        if !reading.node_names.insert(text.to_owned()) {
            problems.add(&item, format!("duplicate node {text:?}"));
            return None;
        }
        // A node name is a pool name too: pools may have several parts of the same form.
        names.push((NodeName::new(text).ok()?, PoolName::new(text).ok()?));
    }
    Some(names)
}

fn read_labels(item: &Item<'_>, count: usize, reading: &mut Reading) -> Vec<(String, Template)> {
    let problems = &mut reading.problems;
    let mut labels = Vec::new();
    for (entry, item) in item.entries(problems, "labels").unwrap_or_default() {
        check_label_key(entry, &item, problems);
        let Some(text) = item.string(problems) else {
            continue;
        };
        match Template::parse(text, Placeholders::Node, &[]) {
            Err(error) => problems.add_wrong(&item, error.into()),
            Ok(template) => {
                for index in [0, count.saturating_sub(1)] {
                    let value = template.resolve(index, &Row::new());
                    let value = value.fixed().unwrap_or_default();
                    check_names(&item, value, names::validate_label_value(value), problems);
                }
                labels.push((entry.key.clone(), template));
            }
        }
    }
    labels
}

fn check_label_key(entry: &Entry, item: &Item<'_>, problems: &mut Problems) {
    check_names(
        item,
        &entry.key,
        names::validate_qualified_name(&entry.key),
        problems,
    );
}

/// A profile that fits the place where it is named.
fn profile(item: &Item<'_>, scope: Scope, reading: &mut Reading) -> Option<Arc<Profile>> {
    let name = item.string(&mut reading.problems)?;
    let profile = reading.profile(name, item)?;
    if scope == Scope::Node && profile.scope == Scope::Network {
        let text = format!("profile {name:?} is network-attached and belongs under pools");
        reading
            .problems
            .add_allowed(item, text, catalogue::names(Some(Scope::Node)).join(", "));
        return None;
    }
    reading.add_classes(&profile.device_classes);
    Some(profile)
}

const POOL_FIELDS: &[&str] = &[
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

/// One entry of `pools`.
pub(super) fn pool(item: &Item<'_>, reading: &mut Reading) -> Option<NetworkPool> {
    let fields = item.fields(&mut reading.problems, POOL_FIELDS)?;
    let driver_item = fields.require(
        &mut reading.problems,
        "driver",
        "a driver name, as rdma.example.com",
    );
    let driver = driver_item
        .as_ref()
        .and_then(|item| driver::driver_name(item, &mut reading.problems));
    let name_item = fields.require(&mut reading.problems, "name", "a pool name, as rack-1");
    let name = name_item
        .as_ref()
        .and_then(|item| pool_name(item, &mut reading.problems));
    let reach = reach(&fields, reading);
    let template = match fields.get("profile") {
        None => {
            let sample = match &name {
                Some(name) => vec![Sample::of_pool(reading.seed, name)],
                None => samples(None, reading.seed),
            };
            if let Some(driver) = &driver {
                reading.class_of_driver(driver.as_ref());
            }
            driver::devices_of(&fields, driver.clone(), &sample, &mut reading.problems)
        }
        Some(item) => {
            for key in DEVICE_FIELDS {
                if let Some(extra) = fields.get(key) {
                    let text = format!("{key} does not go with profile, which has its own");
                    reading.problems.add(&extra, text);
                }
            }
            let profile = profile(&item, Scope::Network, reading);
            match (driver.clone(), profile) {
                (Some(driver), Some(profile)) => {
                    reading.class_of_driver(driver.as_ref());
                    driver_of_profile(&item, &profile, driver, reading)
                }
                _ => None,
            }
        }
    };
    let name = name?;
    if let Some(driver) = driver
        && !reading
            .pool_names
            .insert((driver.to_string(), name.to_string()))
    {
        let text = format!(
            "duplicate pool {:?} of driver {:?}",
            name.as_ref(),
            driver.as_ref()
        );
        reading.problems.add(&name_item?, text);
        return None;
    }
    Some(NetworkPool {
        name,
        reach: reach?,
        driver: template?,
    })
}

/// The profile's driver of this name, or its only driver under this name.
fn driver_of_profile(
    item: &Item<'_>,
    profile: &Profile,
    driver: drakit_api::names::DriverName,
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

fn reach(fields: &Fields<'_>, reading: &mut Reading) -> Option<Reach> {
    let problems = &mut reading.problems;
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

/// Names that are taken; `classes` says which classes exist so far.
pub(super) type Taken = BTreeSet<(String, String)>;

/// A class for every written-out driver that has none.
pub(super) fn default_class(driver: &str) -> DeviceClass {
    classes::of_driver(driver)
}
