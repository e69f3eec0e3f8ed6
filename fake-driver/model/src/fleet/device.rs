//! Entries of `devices`.

use drakit_api::k8s::api::resource::v1::{Device, DeviceCapacity, DeviceCounterConsumption};
use drakit_api::{limits, names};

use super::attributes::{Attribute, Where, attributes};
use super::capacity::capacities;
use super::counters::{consumptions, taints};
use super::table::{MAX_DEVICES, Table, Wrong};
use super::texts::{label, strings};
use crate::device::DeviceTemplate;
use crate::template::{Placeholders, Text};
use crate::yaml::reader::{Fields, Item, Problems};

const FIELDS: &[&str] = &[
    "name",
    "count",
    "each",
    "attributes",
    "capacity",
    "allowMultipleAllocations",
    "consumesCounters",
    "taints",
    "bindsToNode",
    "bindingConditions",
    "bindingFailureConditions",
    "startsSlice",
];

/// The devices of one entry, added to those before it.
pub(super) fn read(
    item: &Item<'_>,
    places: &Where<'_>,
    devices: &mut Vec<DeviceTemplate>,
    problems: &mut Problems,
) {
    let Some(fields) = item.fields(problems, FIELDS) else {
        return;
    };
    let Some(table) = Table::read(&fields, problems) else {
        return;
    };
    if devices.len() + table.len() > MAX_DEVICES {
        problems.add_allowed(
            item,
            "more devices than a driver can have",
            format!("{MAX_DEVICES} per pool"),
        );
        return;
    }
    let names = fields
        .require(problems, "name", "a device name")
        .and_then(|name| device_names(&name, &table, places, problems));
    let entry = Entry::read(&fields, &table, places, problems);
    devices.extend(
        names
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(index, name)| entry.device(index, name)),
    );
}

fn device_names(
    item: &Item<'_>,
    table: &Table,
    places: &Where<'_>,
    problems: &mut Problems,
) -> Option<Vec<Text>> {
    let text = item.string(problems)?;
    table.expand(item, text, Placeholders::Device, problems, |text| {
        if text.has_own_uuid() {
            return Err(Wrong::new(
                "a device name cannot hold its own {uuid}, which is made of the name",
                "{index}, {node}",
            ));
        }
        for sample in places.samples {
            let name = text.render(sample.place(places.driver), "");
            label("device name", &name, &names::validate_device_name(&name))?;
        }
        Ok(text.clone())
    })
}

/// All but the names of an entry, by column: one value per device.
struct Entry {
    attributes: Vec<(String, Vec<Attribute>)>,
    capacities: Vec<(String, Vec<DeviceCapacity>)>,
    consumptions: Vec<Vec<DeviceCounterConsumption>>,
    /// What is the same for all devices of the entry.
    base: Device,
    starts_slice: bool,
}

impl Entry {
    fn read(
        fields: &Fields<'_>,
        table: &Table,
        places: &Where<'_>,
        problems: &mut Problems,
    ) -> Self {
        let attributes = fields
            .get("attributes")
            .map(|item| attributes(&item, table, places, problems));
        let capacities = fields
            .get("capacity")
            .map(|item| capacities(&item, table, problems));
        let consumptions = fields.get("consumesCounters").and_then(|item| {
            limit(
                &item,
                limits::RESOURCE_SLICE_MAX_DEVICE_COUNTER_CONSUMPTIONS_PER_DEVICE,
                "counter sets",
                problems,
            );
            consumptions(&item, table, problems)
        });
        let starts_slice = flag(fields, "startsSlice", problems);
        let entry = Self {
            attributes: attributes.unwrap_or_default(),
            capacities: capacities.unwrap_or_default(),
            consumptions: consumptions.unwrap_or_default(),
            base: base(fields, problems),
            starts_slice,
        };
        entry.check(fields, problems);
        entry
    }

    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        let together = self.attributes.len() + self.capacities.len();
        if together > limits::RESOURCE_SLICE_MAX_ATTRIBUTES_AND_CAPACITIES_PER_DEVICE {
            let text = format!("has {together} attributes and capacities");
            problems.add_allowed(
                &fields.item,
                text,
                format!(
                    "at most {} together",
                    limits::RESOURCE_SLICE_MAX_ATTRIBUTES_AND_CAPACITIES_PER_DEVICE
                ),
            );
        }
        let values: usize = self
            .attributes
            .iter()
            .filter_map(|(_, rows)| rows.first())
            .map(Attribute::value_count)
            .sum();
        if values > limits::RESOURCE_SLICE_MAX_ATTRIBUTE_VALUES_PER_DEVICE {
            let text = format!("has {values} attribute values, elements of lists counted");
            problems.add_allowed(
                &fields.item,
                text,
                format!(
                    "at most {}",
                    limits::RESOURCE_SLICE_MAX_ATTRIBUTE_VALUES_PER_DEVICE
                ),
            );
        }
        let has_policy = self
            .capacities
            .iter()
            .any(|(_, rows)| rows.iter().any(|c| c.request_policy.is_some()));
        if has_policy
            && self.base.allow_multiple_allocations.is_none()
            && let Some(capacity) = fields.get("capacity")
        {
            let allowed = "allowMultipleAllocations: true beside it";
            problems.add_allowed(
                &capacity,
                "requestPolicy needs a device that can be shared",
                allowed,
            );
        }
        if self.base.binding_conditions.is_some() != self.base.binding_failure_conditions.is_some()
        {
            let allowed = "both bindingConditions and bindingFailureConditions, or neither";
            problems.add_allowed(
                &fields.item,
                "has one kind of binding conditions only",
                allowed,
            );
        }
    }

    fn device(&self, index: usize, name: Text) -> DeviceTemplate {
        let mut base = self.base.clone();
        let mut texts = Vec::new();
        for (key, rows) in &self.attributes {
            match &rows[index] {
                Attribute::Ready(value) => {
                    base.attributes
                        .get_or_insert_default()
                        .insert(key.clone(), value.clone());
                }
                Attribute::Text(text) => texts.push((key.clone(), text.clone())),
            }
        }
        for (key, rows) in &self.capacities {
            base.capacity
                .get_or_insert_default()
                .insert(key.clone(), rows[index].clone());
        }
        base.consumes_counters = self
            .consumptions
            .get(index)
            .filter(|list| !list.is_empty())
            .cloned();
        DeviceTemplate {
            name,
            base,
            texts,
            starts_slice: self.starts_slice && index == 0,
        }
    }
}

/// What is the same for all devices of the entry.
fn base(fields: &Fields<'_>, problems: &mut Problems) -> Device {
    let taints = fields.get("taints").and_then(|item| {
        limit(&item, limits::DEVICE_TAINTS_MAX_LENGTH, "taints", problems);
        taints(&item, problems)
    });
    let mut conditions = |key| {
        let item: Item<'_> = fields.get(key)?;
        limit(
            &item,
            limits::BINDING_CONDITIONS_MAX_SIZE,
            "conditions",
            problems,
        );
        strings(&item, problems).filter(|list| !list.is_empty())
    };
    let binding_conditions = conditions("bindingConditions");
    let binding_failure_conditions = conditions("bindingFailureConditions");
    Device {
        allow_multiple_allocations: flag(fields, "allowMultipleAllocations", problems)
            .then_some(true),
        binds_to_node: flag(fields, "bindsToNode", problems).then_some(true),
        taints: taints.filter(|list| !list.is_empty()),
        binding_conditions,
        binding_failure_conditions,
        ..Device::default()
    }
}

fn flag(fields: &Fields<'_>, key: &str, problems: &mut Problems) -> bool {
    fields
        .get(key)
        .and_then(|item| item.bool(problems))
        .unwrap_or(false)
}

fn limit(item: &Item<'_>, max: usize, of: &str, problems: &mut Problems) {
    if let crate::yaml::Value::List(items) = &item.node.value
        && items.len() > max
    {
        problems.add_allowed(
            item,
            format!("has {} {of}", items.len()),
            format!("at most {max}"),
        );
    }
}
