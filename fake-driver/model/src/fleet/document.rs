//! The document as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::DeviceClass;
use drakit_api::names;

use super::groups::{self, Profile, Taken};
use super::problem::Problem;
use super::table::Sample;
use super::texts::check_names;
use super::{API_VERSION, Fleet, classes, driver, pools};
use crate::catalogue::{self, Scope};
use crate::yaml::reader::{Item, Problems, closest};
use crate::yaml::{self, Node, Position};

/// State of reading one file.
pub(super) struct Reading {
    pub(super) problems: Problems,
    pub(super) seed: u64,
    pub(super) node_names: BTreeSet<String>,
    /// Driver and pool name of every pool so far.
    pub(super) pool_names: Taken,
    classes: BTreeMap<String, DeviceClass>,
    /// Written-out drivers, which get a class when nobody declares one of their name.
    own_drivers: BTreeSet<String>,
    profiles: BTreeMap<String, Arc<Profile>>,
}

impl Reading {
    fn new(seed: u64) -> Self {
        Self {
            problems: Problems::default(),
            seed,
            node_names: BTreeSet::new(),
            pool_names: Taken::new(),
            classes: BTreeMap::new(),
            own_drivers: BTreeSet::new(),
            profiles: BTreeMap::new(),
        }
    }

    /// A profile of the catalogue; read once per fleet.
    pub(super) fn profile(&mut self, name: &str, item: &Item<'_>) -> Option<Arc<Profile>> {
        if let Some(profile) = self.profiles.get(name) {
            return Some(Arc::clone(profile));
        }
        let Some(entry) = catalogue::find(name) else {
            let known = catalogue::names(None);
            let near = closest(name, &known)
                .map_or(String::new(), |near| format!(", did you mean {near:?}?"));
            self.problems.add_allowed(
                item,
                format!("unknown profile {name:?}{near}"),
                known.join(", "),
            );
            return None;
        };
        match entry.read() {
            Ok(profile) => {
                let profile = Arc::new(profile);
                self.profiles.insert(name.to_owned(), Arc::clone(&profile));
                Some(profile)
            }
            Err(problems) => {
                for problem in problems {
                    self.problems.add(
                        item,
                        format!("built-in profile {name:?} is broken: {problem}"),
                    );
                }
                None
            }
        }
    }

    pub(super) fn add_classes(&mut self, classes: &[DeviceClass]) {
        for class in classes {
            self.classes.insert(
                class.metadata.name.clone().unwrap_or_default(),
                class.clone(),
            );
        }
    }

    pub(super) fn class_of_driver(&mut self, driver: &str) {
        self.own_drivers.insert(driver.to_owned());
    }
}

const FIELDS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "seed",
    "nodes",
    "pools",
    "deviceClasses",
];

/// Reads a fleet.
pub(super) fn read(root: &Node) -> Result<Fleet, Vec<Problem>> {
    let mut reading = Reading::new(0);
    let fleet = read_fields(&Item::root(root), &mut reading);
    match fleet {
        Some(fleet) if reading.problems.0.is_empty() => Ok(fleet),
        _ => Err(reading.problems.0),
    }
}

fn read_fields(root: &Item<'_>, reading: &mut Reading) -> Option<Fleet> {
    let fields = root.fields(&mut reading.problems, FIELDS)?;
    for (key, wanted) in [("apiVersion", API_VERSION), ("kind", "Fleet")] {
        let Some(item) = fields.require(&mut reading.problems, key, wanted) else {
            continue;
        };
        if let Some(text) = item.string(&mut reading.problems)
            && text != wanted
        {
            reading
                .problems
                .add_allowed(&item, format!("is {text:?}"), wanted);
        }
    }
    let name = fields
        .require(&mut reading.problems, "metadata", "{name: …}")
        .and_then(|item| metadata(&item, reading));
    if let Some(item) = fields.get("seed") {
        reading.seed = seed(&item, &mut reading.problems);
    }
    let mut node_groups = Vec::new();
    if let Some(list) = fields.get("nodes") {
        for item in list
            .list(&mut reading.problems, "nodes")
            .unwrap_or_default()
        {
            node_groups.extend(groups::nodes(&item, reading));
        }
    }
    let mut network = Vec::new();
    if let Some(list) = fields.get("pools") {
        for item in list
            .list(&mut reading.problems, "pools")
            .unwrap_or_default()
        {
            network.extend(pools::read(&item, reading));
        }
    }
    if let Some(list) = fields.get("deviceClasses") {
        read_classes(&list, reading);
    }
    let mut device_classes = std::mem::take(&mut reading.classes);
    for driver in &reading.own_drivers {
        device_classes
            .entry(driver.clone())
            .or_insert_with(|| groups::default_class(driver));
    }
    Some(Fleet {
        name: name?,
        seed: reading.seed,
        groups: node_groups,
        pools: network,
        device_classes,
    })
}

fn seed(item: &Item<'_>, problems: &mut Problems) -> u64 {
    let Some(number) = item.int(problems) else {
        return 0;
    };
    u64::try_from(number).unwrap_or_else(|_| {
        problems.add_allowed(item, format!("is {number}"), "0 or more");
        0
    })
}

fn metadata(item: &Item<'_>, reading: &mut Reading) -> Option<String> {
    let fields = item.fields(&mut reading.problems, &["name"])?;
    let name = fields.require(&mut reading.problems, "name", "a name for the fleet")?;
    let text = name.string(&mut reading.problems)?;
    check_names(
        &name,
        text,
        names::validate_dns1123_subdomain(text),
        &mut reading.problems,
    );
    Some(text.to_owned())
}

/// Classes of the file; they win over classes of the same name in profiles.
fn read_classes(list: &Item<'_>, reading: &mut Reading) {
    let mut seen = BTreeSet::new();
    for item in list
        .list(&mut reading.problems, "device classes")
        .unwrap_or_default()
    {
        let Some(class) = classes::read(&item, &mut reading.problems) else {
            continue;
        };
        let name = class.metadata.name.clone().unwrap_or_default();
        if !seen.insert(name.clone()) {
            reading
                .problems
                .add(&item, format!("duplicate device class {name:?}"));
        }
        reading.classes.insert(name, class);
    }
}

/// A fleet of one profile.
pub(super) fn from_profile(
    profile: &str,
    nodes: &str,
    count: usize,
    seed: u64,
) -> Result<Fleet, Vec<Problem>> {
    let at = Position { line: 1, column: 1 };
    let broken = |error: serde_json::Error| vec![Problem::new(at, "", error.to_string())];
    // JSON strings are YAML strings.
    let quoted = serde_json::to_string(profile).map_err(broken)?;
    let nodes = serde_json::to_string(nodes).map_err(broken)?;
    let head = format!("apiVersion: {API_VERSION}\nkind: Fleet\nmetadata: {{name: fleet}}\n");
    let network = catalogue::find(profile).filter(|entry| entry.scope == Scope::Network);
    let body = match network {
        None => format!("nodes:\n- {{name: {nodes}, count: {count}, profile: {quoted}}}\n"),
        Some(entry) => {
            let mut body = format!("nodes:\n- {{name: {nodes}, count: {count}}}\npools:\n");
            for driver in entry.read()?.drivers {
                let driver = &driver.driver;
                let _ = writeln!(
                    body,
                    "- {{driver: {driver}, name: {profile}, profile: {profile}}}"
                );
            }
            body
        }
    };
    let root = yaml::load(&format!("{head}{body}"))?;
    // Nobody wrote this text, so its lines would only confuse.
    let placeless = |problem| Problem {
        line: 0,
        column: 0,
        ..problem
    };
    let mut fleet =
        read(&root).map_err(|problems| problems.into_iter().map(placeless).collect::<Vec<_>>())?;
    // YAML integers have 63 bits; the seed has 64.
    fleet.seed = seed;
    Ok(fleet)
}

/// Reads a profile of the catalogue: `labels`, `drivers`, `deviceClasses`.
pub(crate) fn read_profile(text: &str, scope: Scope) -> Result<Profile, Vec<Problem>> {
    let root = yaml::load(text)?;
    let root = Item::root(&root);
    let mut problems = Problems::default();
    // Profiles name nothing after nodes, so one sample shows everything.
    let samples = [Sample {
        seed: 0,
        node: "node".to_owned(),
        node_index: 0,
    }];
    let mut profile = Profile {
        scope,
        labels: BTreeMap::new(),
        drivers: Vec::new(),
        device_classes: Vec::new(),
    };
    if let Some(fields) = root.fields(
        &mut problems,
        &["tables", "labels", "drivers", "deviceClasses"],
    ) {
        if let Some(item) = fields.get("labels") {
            for (entry, item) in item.entries(&mut problems, "labels").unwrap_or_default() {
                let value = item.string(&mut problems).unwrap_or_default();
                profile.labels.insert(entry.key.clone(), value.to_owned());
            }
        }
        for (key, what) in [("drivers", "drivers"), ("deviceClasses", "device classes")] {
            let Some(list) = fields.get(key) else {
                continue;
            };
            for item in list.list(&mut problems, what).unwrap_or_default() {
                if key == "drivers" {
                    profile
                        .drivers
                        .extend(driver::read(&item, &samples, &mut problems).1);
                } else {
                    profile
                        .device_classes
                        .extend(classes::read(&item, &mut problems));
                }
            }
        }
    }
    if problems.0.is_empty() {
        Ok(profile)
    } else {
        Err(problems.0)
    }
}
