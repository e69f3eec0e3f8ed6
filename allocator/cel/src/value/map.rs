//! Maps: written out, or parts of the device.

use std::cmp::Ordering;
use std::sync::Arc;

use super::compare::compare_keys;
use super::{Held, Value};
use crate::device::{AttributeValue, Device, Grouped, find};
use drakit_api::Quantity;

/// A map. The parts of the device are borrowed, so that nothing is copied to look at them.
#[derive(Debug, Clone)]
pub(crate) enum Map<'a> {
    /// `device`
    Device(&'a Device<'a>),
    /// `device.attributes`
    Attributes(&'a Grouped<AttributeValue>),
    /// `device.attributes[domain]`
    Attribute(&'a [(String, AttributeValue)]),
    /// `device.capacity`
    Capacities(&'a Grouped<Quantity>),
    /// `device.capacity[domain]`
    Capacity(&'a [(String, Quantity)]),
    /// Sorted by key.
    Owned(Arc<Vec<(Value<'a>, Value<'a>)>>),
}

/// The names of the fields of `device`, sorted.
const DEVICE_FIELDS: [&str; 4] = [
    "allowMultipleAllocations",
    "attributes",
    "capacity",
    "driver",
];

impl<'a> Map<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Device(_) => DEVICE_FIELDS.len(),
            Self::Attributes(grouped) => grouped.domain_count(),
            Self::Attribute(group) => group.len(),
            Self::Capacities(grouped) => grouped.domain_count(),
            Self::Capacity(group) => group.len(),
            Self::Owned(entries) => entries.len(),
        }
    }

    /// The value that selection and indexing give: an absent domain is an empty map
    /// (`newStringInterfaceMapWithDefault` in Kubernetes' `compile.go`).
    pub(crate) fn find(&self, key: &Value<'_>) -> Option<Value<'a>> {
        if let Value::String(name) = key {
            return self.find_name(name);
        }
        match self {
            Self::Owned(entries) => lookup(entries, key),
            _ => None,
        }
    }

    pub(crate) fn find_name(&self, name: &str) -> Option<Value<'a>> {
        match self {
            Self::Device(device) => device_field(device, name),
            Self::Attributes(grouped) => Some(Value::Map(Self::Attribute(grouped.domain(name)))),
            Self::Attribute(group) => find(group, name).map(Value::attribute),
            Self::Capacities(grouped) => Some(Value::Map(Self::Capacity(grouped.domain(name)))),
            Self::Capacity(group) => {
                find(group, name).map(|value| Value::Quantity(Held::Borrowed(value)))
            }
            Self::Owned(entries) => lookup(entries, &Value::text(name)),
        }
    }

    /// Whether the key really exists, as `in` and equality see it.
    pub(crate) fn contains(&self, key: &Value<'_>) -> bool {
        match (self, key) {
            (Self::Attributes(grouped), Value::String(name)) => grouped.has_domain(name),
            (Self::Capacities(grouped), Value::String(name)) => grouped.has_domain(name),
            _ => self.find(key).is_some(),
        }
    }

    /// The entry at `index` in key order.
    pub(crate) fn entry(&self, index: usize) -> Option<(Value<'a>, Value<'a>)> {
        match self {
            Self::Device(device) => {
                let name = DEVICE_FIELDS.get(index)?;
                Some((Value::text(name), device_field(device, name)?))
            }
            Self::Attributes(grouped) => grouped
                .domain_at(index)
                .map(|(name, group)| (Value::text(name), Value::Map(Self::Attribute(group)))),
            Self::Attribute(group) => group
                .get(index)
                .map(|(name, value)| (Value::text(name), Value::attribute(value))),
            Self::Capacities(grouped) => grouped
                .domain_at(index)
                .map(|(name, group)| (Value::text(name), Value::Map(Self::Capacity(group)))),
            Self::Capacity(group) => group
                .get(index)
                .map(|(name, value)| (Value::text(name), Value::Quantity(Held::Borrowed(value)))),
            Self::Owned(entries) => entries.get(index).cloned(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> {
        (0..self.len()).map_while(|index| self.entry(index))
    }

    /// A map of these entries; of equal keys the last one counts.
    pub(crate) fn from_entries(entries: Vec<(Value<'a>, Value<'a>)>) -> Self {
        let mut sorted: Vec<(Value<'a>, Value<'a>)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            match search(&sorted, &key) {
                Ok(at) => sorted[at].1 = value,
                Err(at) => sorted.insert(at, (key, value)),
            }
        }
        Self::Owned(Arc::new(sorted))
    }

    /// This map with one entry more; gives the key back when it exists already.
    pub(crate) fn insert(self, key: Value<'a>, value: Value<'a>) -> Result<Self, Value<'a>> {
        let mut entries = match self {
            Self::Owned(entries) => entries,
            other => Arc::new(other.iter().collect()),
        };
        match search(&entries, &key) {
            Ok(_) => Err(key),
            Err(at) => {
                Arc::make_mut(&mut entries).insert(at, (key, value));
                Ok(Self::Owned(entries))
            }
        }
    }
}

fn search(entries: &[(Value<'_>, Value<'_>)], key: &Value<'_>) -> Result<usize, usize> {
    entries.binary_search_by(|(other, _)| compare_keys(other, key).unwrap_or(Ordering::Less))
}

fn lookup<'a>(entries: &[(Value<'a>, Value<'a>)], key: &Value<'_>) -> Option<Value<'a>> {
    let at = search(entries, key).ok()?;
    entries.get(at).map(|(_, value)| value.clone())
}

fn device_field<'a>(device: &Device<'a>, name: &str) -> Option<Value<'a>> {
    Some(match name {
        "driver" => Value::text(device.driver()),
        "allowMultipleAllocations" => Value::Bool(device.allow_multiple_allocations()),
        "attributes" => Value::Map(Map::Attributes(device.attributes())),
        "capacity" => Value::Map(Map::Capacities(device.capacity())),
        _ => return None,
    })
}
