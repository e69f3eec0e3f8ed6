//! The quantities of a slice, parsed once.

use drakit_api::Quantity;
use k8s_openapi::api::resource::v1::{self as resource, Counter, Device, DeviceCounterConsumption};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;

/// A quantity that does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuantityError {
    /// The field below `spec`.
    pub(crate) field: String,
    /// The quantity as given.
    pub(crate) value: String,
}

/// A capacity of a device.
#[derive(Debug)]
pub(crate) struct Capacity {
    pub(crate) name: String,
    pub(crate) value: Amount,
    pub(crate) policy: Option<Policy>,
}

/// What may be requested of a capacity (`CapacityRequestPolicy`).
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) default: Option<Amount>,
    pub(crate) range: Option<Range>,
    pub(crate) values: Option<Vec<Amount>>,
}

/// The range of a policy. The API requires `min`; a stored object may lack it.
#[derive(Debug)]
pub(crate) struct Range {
    pub(crate) min: Option<Amount>,
    pub(crate) max: Option<Amount>,
    pub(crate) step: Option<Amount>,
}

/// A quantity with the text it came from.
#[derive(Debug, Clone)]
pub(crate) struct Amount {
    pub(crate) quantity: Quantity,
    pub(crate) text: String,
}

/// Counters that devices share.
#[derive(Debug)]
pub(crate) struct CounterSet {
    pub(crate) name: String,
    pub(crate) counters: Vec<(String, Quantity)>,
}

/// What a device takes of one counter set.
#[derive(Debug)]
pub(crate) struct CounterUse {
    pub(crate) set: String,
    pub(crate) counters: Vec<(String, Quantity)>,
    pub(crate) groups: Vec<String>,
}

impl Amount {
    /// `None` if the text is no quantity.
    pub(crate) fn parse(text: &Text) -> Option<Self> {
        Some(Self {
            quantity: Quantity::parse(&text.0).ok()?,
            text: text.0.clone(),
        })
    }
}

pub(crate) fn capacities(device: &Device) -> Result<Vec<Capacity>, QuantityError> {
    device
        .capacity
        .iter()
        .flatten()
        .map(|(name, capacity)| {
            let field = format!("devices[{}].capacity[{name}]", device.name);
            Ok(Capacity {
                name: name.clone(),
                value: amount(&capacity.value, || format!("{field}.value"))?,
                policy: capacity
                    .request_policy
                    .as_ref()
                    .map(|source| policy(source, &field))
                    .transpose()?,
            })
        })
        .collect()
}

fn policy(source: &resource::CapacityRequestPolicy, field: &str) -> Result<Policy, QuantityError> {
    let field = |name: &str| format!("{field}.requestPolicy.{name}");
    let optional = |text: Option<&Text>, name: &str| {
        text.filter(|text| !text.0.is_empty())
            .map(|text| amount(text, || field(name)))
            .transpose()
    };
    let range = match &source.valid_range {
        None => None,
        Some(range) => Some(Range {
            min: optional(Some(&range.min), "validRange.min")?,
            max: optional(range.max.as_ref(), "validRange.max")?,
            step: optional(range.step.as_ref(), "validRange.step")?,
        }),
    };
    let values = match &source.valid_values {
        None => None,
        Some(values) => Some(
            values
                .iter()
                .map(|value| amount(value, || field("validValues")))
                .collect::<Result<_, _>>()?,
        ),
    };
    Ok(Policy {
        default: optional(source.default.as_ref(), "default")?,
        range,
        values,
    })
}

pub(crate) fn counter_set(source: &resource::CounterSet) -> Result<CounterSet, QuantityError> {
    let field = format!("sharedCounters[{}]", source.name);
    Ok(CounterSet {
        name: source.name.clone(),
        counters: counters(&source.counters, &field)?,
    })
}

pub(crate) fn counter_use(
    device: &str,
    source: &DeviceCounterConsumption,
) -> Result<CounterUse, QuantityError> {
    let field = format!("devices[{device}].consumesCounters[{}]", source.counter_set);
    Ok(CounterUse {
        set: source.counter_set.clone(),
        counters: counters(&source.counters, &field)?,
        groups: source.compatibility_groups.clone().unwrap_or_default(),
    })
}

fn counters(
    source: &std::collections::BTreeMap<String, Counter>,
    field: &str,
) -> Result<Vec<(String, Quantity)>, QuantityError> {
    source
        .iter()
        .map(|(name, counter)| {
            let amount = amount(&counter.value, || format!("{field}.counters[{name}].value"))?;
            Ok((name.clone(), amount.quantity))
        })
        .collect()
}

fn amount(text: &Text, field: impl FnOnce() -> String) -> Result<Amount, QuantityError> {
    Amount::parse(text).ok_or_else(|| QuantityError {
        field: field(),
        value: text.0.clone(),
    })
}
