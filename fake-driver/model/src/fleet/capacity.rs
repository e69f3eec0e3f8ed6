//! Quantities and capacities of devices.

use drakit_api::k8s::api::resource::v1::{
    CapacityRequestPolicy, CapacityRequestPolicyRange, DeviceCapacity,
};
use drakit_api::k8s::apimachinery::pkg::api::resource::Quantity as K8sQuantity;
use drakit_api::{Quantity, names};

use super::table::{Table, Wrong};
use super::texts::check_names;
use crate::yaml::Value;
use crate::yaml::reader::{Fields, Item, Problems};

/// A quantity that is not negative, in canonical form as Go's drivers print it, for each device of a table.
pub(super) fn quantities(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<K8sQuantity>> {
    let text = item.text(problems, "a quantity")?;
    table.expand_fixed(item, text, problems, |text| {
        let quantity = Quantity::parse(text).map_err(|_| {
            let allowed = "a Kubernetes quantity, as 80Gi, 1500m or 16";
            Wrong::new(format!("bad quantity {text:?}"), allowed)
        })?;
        if quantity.signum() < 0 {
            return Err(Wrong::new(format!("is negative: {text}"), "0 or more"));
        }
        Ok(K8sQuantity(quantity.canonical()))
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
            &entry.key,
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

/// One policy per device. Whether its numbers fit together is checked with the finished slice.
fn request_policy(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<CapacityRequestPolicy>> {
    let fields = item.fields(problems, &["default", "validValues", "validRange"])?;
    let default = optional(&fields, "default", table, problems);
    let range = match fields.get("validRange") {
        Some(item) => Some(valid_range(&item, table, problems)?),
        None => None,
    };
    let mut lists: Vec<Vec<K8sQuantity>> = Vec::new();
    if let Some(values) = fields.get("validValues") {
        for value in values.list(problems, "quantities")? {
            lists.push(quantities(&value, table, problems)?);
        }
    }
    let policy = |index: usize| CapacityRequestPolicy {
        default: default[index].clone(),
        valid_range: range.as_ref().map(|range| range[index].clone()),
        valid_values: (!lists.is_empty())
            .then(|| lists.iter().map(|values| values[index].clone()).collect()),
    };
    Some((0..table.len()).map(policy).collect())
}

fn valid_range(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<CapacityRequestPolicyRange>> {
    let fields = item.fields(problems, &["min", "max", "step"])?;
    let min = fields.require(problems, "min", "a quantity");
    let max = optional(&fields, "max", table, problems);
    let step = optional(&fields, "step", table, problems);
    let min = quantities(&min?, table, problems)?;
    let range = |(min, (max, step))| CapacityRequestPolicyRange { min, max, step };
    Some(
        min.into_iter()
            .zip(max.into_iter().zip(step))
            .map(range)
            .collect(),
    )
}

/// A field that may be missing, for each device.
fn optional(
    fields: &Fields<'_>,
    key: &str,
    table: &Table,
    problems: &mut Problems,
) -> Vec<Option<K8sQuantity>> {
    let values = fields
        .get(key)
        .and_then(|item| quantities(&item, table, problems));
    match values {
        Some(values) => values.into_iter().map(Some).collect(),
        None => vec![None; table.len()],
    }
}
