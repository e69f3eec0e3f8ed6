//! Attributes, capacities, counters and taints of devices.

use std::collections::BTreeMap;

use drakit_api::k8s::api::resource::v1::{
    CapacityRequestPolicy, CapacityRequestPolicyRange, Counter, DeviceAttribute, DeviceCapacity,
    DeviceCounterConsumption, DeviceTaint,
};
use drakit_api::k8s::apimachinery::pkg::api::resource::Quantity as K8sQuantity;
use drakit_api::limits::{
    DEVICE_ATTRIBUTE_MAX_VALUE_LENGTH, RESOURCE_SLICE_MAX_COUNTERS_PER_COUNTER_SET,
};
use drakit_api::names;
use drakit_api::{Quantity, Semver};

use super::table::{Sample, Table, Wrong};
use crate::device::AttributeText;
use crate::template::{Placeholders, Text};
use crate::yaml::reader::{Fields, Item, Problems};
use crate::yaml::{Value, as_bool};

/// An attribute of one device: ready, or dependent on the node.
#[derive(Clone, Debug)]
pub(super) enum Attribute {
    Ready(DeviceAttribute),
    Text(AttributeText),
}

impl Attribute {
    /// How many values it counts for.
    pub(super) fn value_count(&self) -> usize {
        match self {
            Attribute::Text(AttributeText::One(_)) => 1,
            Attribute::Text(AttributeText::Many(texts)) => texts.len(),
            Attribute::Ready(value) => [
                value.bools.as_ref().map(Vec::len),
                value.ints.as_ref().map(Vec::len),
                value.strings.as_ref().map(Vec::len),
                value.versions.as_ref().map(Vec::len),
            ]
            .into_iter()
            .flatten()
            .next()
            .unwrap_or(1),
        }
    }
}

/// Where values will stand, for checks of what depends on the node.
pub(super) struct Where<'a> {
    pub(super) driver: &'a str,
    pub(super) samples: &'a [Sample],
}

/// `attributes: {NAME: {string: …}}`, one set of values per device of the table.
pub(super) fn attributes(
    item: &Item<'_>,
    table: &Table,
    places: &Where<'_>,
    problems: &mut Problems,
) -> Vec<(String, Vec<Attribute>)> {
    let mut all = Vec::new();
    for (entry, item) in item.entries(problems, "attributes").unwrap_or_default() {
        check_names(
            &item,
            names::validate_device_attribute_name(&entry.key),
            problems,
        );
        if let Some(values) = attribute(&item, table, places, problems) {
            all.push((entry.key.clone(), values));
        }
    }
    all
}

const TYPES: &[&str] = &[
    "string", "int", "bool", "version", "strings", "ints", "bools", "versions",
];

fn attribute(
    item: &Item<'_>,
    table: &Table,
    places: &Where<'_>,
    problems: &mut Problems,
) -> Option<Vec<Attribute>> {
    if let Value::Scalar { text, .. } = &item.node.value {
        let allowed = format!(
            "a type and a value, as {{string: {text:?}}}; types: {}",
            TYPES.join(", ")
        );
        problems.add_allowed(item, format!("is {}", item.node.value.describe()), allowed);
        return None;
    }
    let fields = item.fields(problems, TYPES)?;
    let mut written = TYPES
        .iter()
        .filter_map(|name| fields.get(name).map(|item| (*name, item)));
    let Some((kind, value)) = written.next() else {
        problems.add_allowed(
            item,
            "has no value",
            format!("exactly one of {}", TYPES.join(", ")),
        );
        return None;
    };
    if let Some((second, value)) = written.next() {
        problems.add_allowed(
            &value,
            format!("has both {kind} and {second}"),
            "exactly one value",
        );
        return None;
    }
    let Some(single) = kind.strip_suffix('s') else {
        return scalar(kind, &value, table, places, problems);
    };
    let items = value.list(problems, "values")?;
    if items.is_empty() {
        problems.add_allowed(&value, "is an empty list", "at least one value");
        return None;
    }
    let mut rows: Vec<Vec<Attribute>> = vec![Vec::new(); table.len()];
    for item in &items {
        for (row, value) in rows
            .iter_mut()
            .zip(scalar(single, item, table, places, problems)?)
        {
            row.push(value);
        }
    }
    Some(rows.into_iter().map(list).collect())
}

/// Values of one type to one list value.
fn list(values: Vec<Attribute>) -> Attribute {
    let mut attribute = DeviceAttribute::default();
    let mut texts = Vec::new();
    for value in values {
        match value {
            Attribute::Ready(value) => {
                if let Some(value) = value.bool {
                    attribute.bools.get_or_insert_default().push(value);
                }
                if let Some(value) = value.int {
                    attribute.ints.get_or_insert_default().push(value);
                }
                if let Some(value) = value.version {
                    attribute.versions.get_or_insert_default().push(value);
                }
                if let Some(value) = value.string {
                    texts.push(Text::literal(value));
                }
            }
            Attribute::Text(AttributeText::One(text)) => texts.push(text),
            Attribute::Text(AttributeText::Many(more)) => texts.extend(more),
        }
    }
    if texts.is_empty() {
        return Attribute::Ready(attribute);
    }
    match texts
        .iter()
        .map(|text| text.fixed().map(str::to_owned))
        .collect::<Option<Vec<_>>>()
    {
        Some(strings) => Attribute::Ready(DeviceAttribute {
            strings: Some(strings),
            ..attribute
        }),
        None => Attribute::Text(AttributeText::Many(texts)),
    }
}

fn scalar(
    kind: &str,
    item: &Item<'_>,
    table: &Table,
    places: &Where<'_>,
    problems: &mut Problems,
) -> Option<Vec<Attribute>> {
    // A placeholder makes a text of what will be a number or a boolean.
    let templated = matches!(&item.node.value, Value::Scalar { text, .. } if text.contains('{'));
    let ready = |attribute: DeviceAttribute| Ok(Attribute::Ready(attribute));
    match kind {
        "string" => {
            let text = item.string(problems)?;
            table.expand(item, text, Placeholders::Device, problems, |text| {
                string(text, places)
            })
        }
        "version" => {
            let text = item.text(problems, "a version")?;
            table.expand_fixed(item, text, problems, |text| {
                ready(DeviceAttribute {
                    version: Some(version(text)?),
                    ..DeviceAttribute::default()
                })
            })
        }
        "int" => {
            let text = if templated {
                item.string(problems)?.to_owned()
            } else {
                item.int(problems)?.to_string()
            };
            table.expand_fixed(item, &text, problems, |text| {
                let wrong =
                    |_| Wrong::new(format!("is the text {text:?}"), "a whole number of 64 bits");
                ready(DeviceAttribute {
                    int: Some(text.parse().map_err(wrong)?),
                    ..DeviceAttribute::default()
                })
            })
        }
        _ => {
            let text = if templated {
                item.string(problems)?.to_owned()
            } else {
                item.bool(problems)?.to_string()
            };
            table.expand_fixed(item, &text, problems, |text| {
                let wrong = || Wrong::new(format!("is the text {text:?}"), "true or false");
                ready(DeviceAttribute {
                    bool: Some(as_bool(text).ok_or_else(wrong)?),
                    ..DeviceAttribute::default()
                })
            })
        }
    }
}

fn string(text: &Text, places: &Where<'_>) -> Result<Attribute, Wrong> {
    if let Some(fixed) = text.fixed() {
        check_length(fixed)?;
        let value = DeviceAttribute {
            string: Some(fixed.to_owned()),
            ..DeviceAttribute::default()
        };
        return Ok(Attribute::Ready(value));
    }
    for sample in places.samples {
        check_length(&text.render(sample.place(places.driver), ""))?;
    }
    Ok(Attribute::Text(AttributeText::One(text.clone())))
}

fn check_length(value: &str) -> Result<(), Wrong> {
    if value.len() > DEVICE_ATTRIBUTE_MAX_VALUE_LENGTH {
        let text = format!("has {} bytes: {value:?}", value.len());
        return Err(Wrong::new(
            text,
            format!("at most {DEVICE_ATTRIBUTE_MAX_VALUE_LENGTH} bytes"),
        ));
    }
    Ok(())
}

/// Drivers print versions in canonical form (`580.105.08` becomes `580.105.8`), and so does this.
fn version(text: &str) -> Result<String, Wrong> {
    check_length(text)?;
    match Semver::parse_normalized(text) {
        Ok(version) => Ok(version.to_string()),
        Err(error) => Err(Wrong::new(
            format!("bad version {text:?}: {error}"),
            "a semantic version, as 580.105.8",
        )),
    }
}

/// A quantity in Kubernetes' canonical form, for one device of a table.
fn quantity(text: &str) -> Result<(Quantity, K8sQuantity), Wrong> {
    let wrong = |_| {
        Wrong::new(
            format!("bad quantity {text:?}"),
            "a Kubernetes quantity, as 80Gi, 1500m or 16",
        )
    };
    let quantity = Quantity::parse(text).map_err(wrong)?;
    let canonical = K8sQuantity(quantity.canonical());
    Ok((quantity, canonical))
}

fn quantities(item: &Item<'_>, table: &Table, problems: &mut Problems) -> Option<Vec<K8sQuantity>> {
    let text = item.text(problems, "a quantity")?;
    table.expand_fixed(item, text, problems, |text| {
        let (value, canonical) = quantity(text)?;
        if value < Quantity::from(0) {
            return Err(Wrong::new(format!("is negative: {text}"), "0 or more"));
        }
        Ok(canonical)
    })
}

/// `capacity: {NAME: 80Gi}` or `{NAME: {value: 80Gi, requestPolicy: …}}`.
pub(super) fn capacities(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Vec<(String, Vec<DeviceCapacity>)> {
    let mut all = Vec::new();
    for (entry, item) in item.entries(problems, "capacities").unwrap_or_default() {
        check_names(
            &item,
            names::validate_device_attribute_name(&entry.key),
            problems,
        );
        if let Some(values) = capacity(&item, table, problems) {
            all.push((entry.key.clone(), values));
        }
    }
    all
}

fn capacity(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<DeviceCapacity>> {
    let plain = |value| DeviceCapacity {
        value,
        request_policy: None,
    };
    let Value::Map(_) = &item.node.value else {
        return Some(
            quantities(item, table, problems)?
                .into_iter()
                .map(plain)
                .collect(),
        );
    };
    let fields = item.fields(problems, &["value", "requestPolicy"])?;
    let value = fields.require(problems, "value", "a quantity");
    let policies = fields
        .get("requestPolicy")
        .map(|policy| request_policy(&policy, table, problems));
    let values = quantities(&value?, table, problems)?;
    let Some(policies) = policies else {
        return Some(values.into_iter().map(plain).collect());
    };
    let with = |(value, policy)| DeviceCapacity {
        value,
        request_policy: Some(policy),
    };
    Some(values.into_iter().zip(policies?).map(with).collect())
}

fn request_policy(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<CapacityRequestPolicy>> {
    let fields = item.fields(problems, &["default", "validValues", "validRange"])?;
    let mut policies = vec![CapacityRequestPolicy::default(); table.len()];
    let mut set = |fields: &Fields<'_>,
                   key,
                   problems: &mut Problems,
                   put: fn(&mut CapacityRequestPolicy, K8sQuantity)| {
        let Some(item) = fields.get(key) else { return };
        let values = quantities(&item, table, problems).unwrap_or_default();
        policies
            .iter_mut()
            .zip(values)
            .for_each(|(policy, value)| put(policy, value));
    };
    set(&fields, "default", problems, |policy, value| {
        policy.default = Some(value)
    });
    if let Some(range) = fields.get("validRange") {
        let range = range.fields(problems, &["min", "max", "step"])?;
        fn range_of(policy: &mut CapacityRequestPolicy) -> &mut CapacityRequestPolicyRange {
            policy.valid_range.get_or_insert_default()
        }
        range.require(problems, "min", "a quantity")?;
        set(&range, "min", problems, |policy, value| {
            range_of(policy).min = value
        });
        set(&range, "max", problems, |policy, value| {
            range_of(policy).max = Some(value)
        });
        set(&range, "step", problems, |policy, value| {
            range_of(policy).step = Some(value)
        });
    }
    if let Some(values) = fields.get("validValues") {
        for value in values.list(problems, "quantities")? {
            let values = quantities(&value, table, problems)?;
            for (policy, value) in policies.iter_mut().zip(values) {
                policy.valid_values.get_or_insert_default().push(value);
            }
        }
    }
    Some(policies)
}

/// `counters: {NAME: 4}` with placeholders in names and values, one map per row of the table.
pub(super) fn counters(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<BTreeMap<String, Counter>>> {
    let entries = item.entries(problems, "counters")?;
    if entries.is_empty() {
        problems.add_allowed(
            item,
            "has no counter",
            format!("1 to {RESOURCE_SLICE_MAX_COUNTERS_PER_COUNTER_SET} counters"),
        );
        return None;
    }
    if entries.len() > RESOURCE_SLICE_MAX_COUNTERS_PER_COUNTER_SET {
        problems.add_allowed(
            item,
            format!("has {} counters", entries.len()),
            format!("at most {RESOURCE_SLICE_MAX_COUNTERS_PER_COUNTER_SET}"),
        );
    }
    let mut rows = vec![BTreeMap::new(); table.len()];
    for (entry, item) in entries {
        let names = table.expand_fixed(&item, &entry.key, problems, |name| {
            label("counter name", name, names::validate_dns1123_label(name))
        });
        let values = quantities(&item, table, problems);
        for (row, (name, value)) in rows.iter_mut().zip(names?.into_iter().zip(values?)) {
            row.insert(name, Counter { value });
        }
    }
    Some(rows)
}

/// `consumesCounters: [{counterSet: …, counters: …}]`, one list per device.
pub(super) fn consumptions(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<Vec<DeviceCounterConsumption>>> {
    let mut rows = vec![Vec::new(); table.len()];
    for item in item.list(problems, "counter consumptions")? {
        let fields = item.fields(problems, &["counterSet", "counters", "compatibilityGroups"])?;
        let groups = match fields.get("compatibilityGroups") {
            Some(groups) => Some(strings(&groups, problems)?),
            None => None,
        };
        let set = fields.require(
            problems,
            "counterSet",
            "the name of a counter set of this driver",
        );
        let counters_item = fields.require(problems, "counters", "a map of counters");
        let set = set?;
        let sets = table.expand_fixed(&set, set.string(problems)?, problems, |name| {
            Ok(name.to_owned())
        })?;
        let counters = counters(&counters_item?, table, problems)?;
        for (row, (counter_set, counters)) in rows.iter_mut().zip(sets.into_iter().zip(counters)) {
            row.push(DeviceCounterConsumption {
                counter_set,
                counters,
                compatibility_groups: groups.clone(),
            });
        }
    }
    Some(rows)
}

/// `taints: [{key: …, value: …, effect: NoSchedule}]`, the same for all devices of the entry.
pub(super) fn taints(item: &Item<'_>, problems: &mut Problems) -> Option<Vec<DeviceTaint>> {
    let mut taints = Vec::new();
    for item in item.list(problems, "taints")? {
        let fields = item.fields(problems, &["key", "value", "effect"])?;
        let key = fields.require(problems, "key", "a label name, as example.com/broken");
        let effect = fields.require(problems, "effect", "None, NoSchedule, NoExecute");
        let value = match fields.get("value") {
            Some(value) => Some(value.string(problems)?.to_owned()),
            None => None,
        };
        let effect = effect?;
        let word = effect.string(problems)?;
        if !matches!(word, "None" | "NoSchedule" | "NoExecute") {
            problems.add_allowed(
                &effect,
                format!("unknown effect {word:?}"),
                "None, NoSchedule, NoExecute",
            );
        }
        let key = key?.string(problems)?.to_owned();
        taints.push(DeviceTaint {
            key,
            value,
            effect: word.to_owned(),
            time_added: None,
        });
    }
    Some(taints)
}

/// A list of strings.
pub(super) fn strings(item: &Item<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    let items = item.list(problems, "strings")?;
    items
        .iter()
        .map(|item| item.string(problems).map(str::to_owned))
        .collect()
}

/// What Kubernetes says about a name becomes one problem each.
pub(super) fn check_names(item: &Item<'_>, says: Vec<String>, problems: &mut Problems) {
    for text in says {
        problems.add(item, format!("bad name: {text}"));
    }
}

/// A name, or what Kubernetes says about it.
pub(super) fn label(what: &str, name: &str, says: Vec<String>) -> Result<String, Wrong> {
    if says.is_empty() {
        return Ok(name.to_owned());
    }
    Err(Wrong::new(format!("bad {what} {name:?}"), says.join("; ")))
}
