//! Entries of `nodes`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::DeviceClass;
use drakit_api::names::{self, NodeName, PoolName};

use super::document::Reading;
use super::driver;
use super::table::{Sample, read_count};
use super::texts::check_names;
use super::{GroupNode, NodeGroup, classes, slices};
use crate::catalogue::{self, Scope};
use crate::device::DriverTemplate;
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
    let labels = labels(
        &fields,
        profile.as_deref(),
        names.as_ref().map_or(1, Vec::len),
        reading,
    );
    let drivers = drivers(&fields, profile.as_deref(), names.as_deref(), reading);
    let names = names?;
    for driver in &drivers {
        let pool = |(node, _): &(NodeName, PoolName)| (driver.driver.to_string(), node.to_string());
        reading.pool_names.extend(names.iter().map(pool));
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
    let nodes = names.into_iter().enumerate().map(with_labels).collect();
    Some(NodeGroup { nodes, drivers })
}

/// Labels of the profile, then those of the entry, which win.
fn labels(
    fields: &Fields<'_>,
    profile: Option<&Profile>,
    count: usize,
    reading: &mut Reading,
) -> Vec<(String, Template)> {
    // Texts of the catalogue have no placeholders in labels, and braces are not legal in a label value.
    let plain = |(key, value): (&String, &String)| {
        Some((
            key.clone(),
            Template::parse(value, Placeholders::Node, &[]).ok()?,
        ))
    };
    let mut labels: Vec<_> = profile
        .iter()
        .flat_map(|profile| &profile.labels)
        .filter_map(plain)
        .collect();
    if let Some(item) = fields.get("labels") {
        labels.extend(read_labels(&item, count, reading));
    }
    labels
}

/// Drivers of the profile and those that are written out; each driver once.
fn drivers(
    fields: &Fields<'_>,
    profile: Option<&Profile>,
    names: Option<&[(NodeName, PoolName)]>,
    reading: &mut Reading,
) -> Vec<Arc<DriverTemplate>> {
    let samples = samples(names, reading.seed);
    let mut drivers = profile
        .map(|profile| profile.drivers.clone())
        .unwrap_or_default();
    let mut taken: BTreeSet<String> = drivers
        .iter()
        .map(|driver| driver.driver.to_string())
        .collect();
    let list = fields
        .get("drivers")
        .and_then(|list| list.list(&mut reading.problems, "drivers"));
    for item in list.unwrap_or_default() {
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
        // A driver with known problems would only be reported twice.
        if let (Some(template), Some(names), true) =
            (&template, names, reading.problems.0.len() == before)
        {
            slices::check_nodes(&item, template, names, &mut reading.problems);
        }
        drivers.extend(template);
    }
    drivers
}

/// Where the checks look at the devices; a group with a wrong name is checked as if it had some name.
pub(super) fn samples(names: Option<&[(NodeName, PoolName)]>, seed: u64) -> Vec<Sample> {
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

pub(super) fn check_label_key(entry: &Entry, item: &Item<'_>, problems: &mut Problems) {
    check_names(
        item,
        &entry.key,
        names::validate_qualified_name(&entry.key),
        problems,
    );
}

/// A profile that fits the place where it is named.
pub(super) fn profile(
    item: &Item<'_>,
    scope: Scope,
    reading: &mut Reading,
) -> Option<Arc<Profile>> {
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

/// Names that are taken; `classes` says which classes exist so far.
pub(super) type Taken = BTreeSet<(String, String)>;

/// A class for every written-out driver that has none.
pub(super) fn default_class(driver: &str) -> DeviceClass {
    classes::of_driver(driver)
}
