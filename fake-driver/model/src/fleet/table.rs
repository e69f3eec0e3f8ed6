//! `count` and `each`: how one entry of a fleet file becomes many devices.

use std::collections::BTreeSet;

use drakit_api::names::{NodeName, PoolName};

use crate::template::{Place, Placeholders, Row, Template, TemplateError, Text};
use crate::yaml::Value;
use crate::yaml::reader::{Fields, Item, Problems};

/// Kubelet ignores the health of more devices than this per driver (`kubelet/cm/dra/plugin`).
pub(crate) const MAX_DEVICES: usize = 16_384;

/// A place where the devices of a driver will be: the checks look at the first and the last node of a group, which
/// have the shortest and the longest names.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) seed: u64,
    pub(crate) node: String,
    pub(crate) node_index: usize,
}

impl Sample {
    pub(crate) fn of_node(seed: u64, node: &NodeName, node_index: usize) -> Self {
        Self {
            seed,
            node: node.to_string(),
            node_index,
        }
    }

    pub(crate) fn of_pool(seed: u64, pool: &PoolName) -> Self {
        Self {
            seed,
            node: pool.to_string(),
            node_index: 0,
        }
    }

    pub(crate) fn place<'a>(&'a self, driver: &'a str) -> Place<'a> {
        Place {
            seed: self.seed,
            node: &self.node,
            node_index: self.node_index,
            driver,
        }
    }
}

/// One row per device; the columns are placeholders.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<String>,
    rows: Vec<Row>,
}

impl Table {
    /// Reads `count` and `each` of an entry; without both the entry is one device.
    pub(crate) fn read(fields: &Fields<'_>, problems: &mut Problems) -> Option<Self> {
        let plain = |count: usize| Self {
            columns: Vec::new(),
            rows: vec![Row::new(); count],
        };
        match (fields.get("count"), fields.get("each")) {
            (None, None) => Some(plain(1)),
            (Some(count), None) => Some(plain(read_count(&count, MAX_DEVICES, problems)?)),
            (Some(count), Some(_)) => {
                problems.add(
                    &count,
                    "count and each exclude each other: each already has one row per device",
                );
                None
            }
            (None, Some(each)) => Self::rows(&each, problems),
        }
    }

    /// One row without columns.
    pub(crate) fn single() -> Self {
        Self {
            columns: Vec::new(),
            rows: vec![Row::new()],
        }
    }

    fn rows(each: &Item<'_>, problems: &mut Problems) -> Option<Self> {
        let items = each.list(problems, "rows, one per device")?;
        if items.is_empty() {
            problems.add_allowed(each, "has no row", "one row per device");
            return None;
        }
        let mut columns: Option<Vec<String>> = None;
        let mut rows = Vec::with_capacity(items.len());
        for item in &items {
            let entries = item.entries(problems, "columns")?;
            let mut row = Row::new();
            for (entry, cell) in entries {
                if matches!(
                    entry.key.as_str(),
                    "index" | "node" | "nodeIndex" | "uuid" | "mac"
                ) {
                    problems.add(
                        &cell,
                        format!("column {:?} has the name of a placeholder", entry.key),
                    );
                }
                let Value::Scalar { text, .. } = &cell.node.value else {
                    problems.add_allowed(
                        &cell,
                        format!("is {}", cell.node.value.describe()),
                        "a text or a number",
                    );
                    continue;
                };
                row.insert(entry.key.clone(), text.clone());
            }
            let names: Vec<String> = row.keys().cloned().collect();
            match &columns {
                None => columns = Some(names),
                Some(first) if *first != names => {
                    problems.add_allowed(
                        item,
                        "has other columns than the first row",
                        first.join(", "),
                    );
                }
                Some(_) => {}
            }
            rows.push(row);
        }
        Some(Self {
            columns: columns.unwrap_or_default(),
            rows,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Reads a text with placeholders and turns it into one value per device. What `convert` says is wrong is reported
    /// once, for the first device.
    pub(crate) fn expand<T: Clone>(
        &self,
        item: &Item<'_>,
        text: &str,
        placeholders: Placeholders,
        problems: &mut Problems,
        mut convert: impl FnMut(&Text) -> Result<T, Wrong>,
    ) -> Option<Vec<T>> {
        let template = match Template::parse(text, placeholders, &self.columns) {
            Ok(template) => template,
            Err(error) => {
                problems.add_wrong(item, error.into());
                return None;
            }
        };
        let mut values: Vec<T> = Vec::with_capacity(self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            if index == 1 && !template.varies_by_device() {
                let first = values[0].clone();
                values.resize(self.rows.len(), first);
                break;
            }
            match convert(&template.resolve(index, row)) {
                Ok(value) => values.push(value),
                Err(wrong) => {
                    problems.add_wrong(item, wrong);
                    return None;
                }
            }
        }
        Some(values)
    }

    /// [`Table::expand`] for texts that are the same on every node.
    pub(crate) fn expand_fixed<T: Clone>(
        &self,
        item: &Item<'_>,
        text: &str,
        problems: &mut Problems,
        mut convert: impl FnMut(&str) -> Result<T, Wrong>,
    ) -> Option<Vec<T>> {
        self.expand(item, text, Placeholders::Fixed, problems, |text| {
            // Fixed placeholders leave nothing that depends on the node.
            convert(text.fixed().unwrap_or_default())
        })
    }
}

/// Why a value is wrong and what would be right.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) text: String,
    pub(crate) allowed: Option<String>,
}

impl Wrong {
    pub(crate) fn new(text: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            allowed: Some(allowed.into()),
        }
    }

    /// The text says already what would be right.
    pub(crate) fn plain(text: String) -> Self {
        Self {
            text,
            allowed: None,
        }
    }
}

impl From<TemplateError> for Wrong {
    fn from(error: TemplateError) -> Self {
        let text = error.to_string();
        match error {
            TemplateError::Unbalanced(_) => Self::plain(text),
            TemplateError::Unknown { allowed, .. } => Self::new(text, allowed),
        }
    }
}

/// A count from 1 to `max`.
pub(crate) fn read_count(item: &Item<'_>, max: usize, problems: &mut Problems) -> Option<usize> {
    let number = item.int(problems)?;
    let count = usize::try_from(number)
        .ok()
        .filter(|count| (1..=max).contains(count));
    if count.is_none() {
        problems.add_allowed(item, format!("is {number}"), format!("1 to {max}"));
    }
    count
}

/// Reports names that occur twice; `what` says of what.
pub(crate) fn check_unique<'n>(
    item: &Item<'_>,
    what: &str,
    seen: &mut BTreeSet<String>,
    names: impl IntoIterator<Item = &'n str>,
    problems: &mut Problems,
) {
    for name in names {
        if !seen.insert(name.to_owned()) {
            problems.add(item, format!("duplicate {what} {name:?}"));
            return;
        }
    }
}
