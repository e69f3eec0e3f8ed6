//! Capacities of a device, and how much of one a request may take.

use serde_json::Value;

use super::checks::Checks;
use super::findings::Findings;
use super::items::{self, Cover};
use super::view;
use crate::Quantity;
use crate::field::{FieldError, FieldPath};
use crate::limits;
use crate::names::check;

mod range;

/// `capacity` of a device.
pub(super) fn capacities(
    device: &Value,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) {
    let path = path.child("capacity");
    let is_shared = view::flag(device, "allowMultipleAllocations") == Some(true);
    let shown = limits::DEVICE_MAX_QUALIFIED_NAME_LENGTH;
    items::each_entry(
        device,
        "capacity",
        shown,
        &path,
        out,
        |key, capacity, at_key, out| {
            out.all(check::qualified_name(key, &path));
            let Some(policy) = view::present(capacity, "requestPolicy") else {
                return;
            };
            let path = at_key.child("requestPolicy");
            if is_shared {
                let max = quantity(capacity, "value").unwrap_or_else(|| Quantity::from(0));
                request_policy(policy, &max, &path, checks, out);
            } else {
                out.add(FieldError::forbidden(
                    &path,
                    "allowMultipleAllocations must be true",
                ));
            }
        },
    );
}

/// A quantity behind a pointer.
pub(super) fn quantity(object: &Value, name: &str) -> Option<Quantity> {
    match view::present(object, name)? {
        Value::String(text) => Quantity::parse(text).ok(),
        other => Quantity::parse(&other.to_string()).ok(),
    }
}

fn request_policy(
    policy: &Value,
    max: &Quantity,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) {
    let values = view::list(policy, "validValues");
    let range = view::present(policy, "validRange");
    let default = quantity(policy, "default");
    let missing = |name| {
        let text = format!("required when {name} is defined");
        FieldError::required(&path.child("default"), text)
    };
    match (values.is_empty(), range) {
        (false, Some(_)) => out.add(FieldError::forbidden(
            path,
            r#"exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time"#,
        )),
        (false, None) => match default {
            None => out.add(missing("validValues")),
            Some(default) => valid_values(values, &default, max, &path.child("validValues"), checks, out),
        },
        (true, Some(range)) => match default {
            None => out.add(missing("validRange")),
            Some(default) => range::valid_range(range, &default, max, &path.child("validRange"), checks, out),
        },
        (true, None) => {}
    }
}

fn valid_values(
    values: &[Value],
    default: &Quantity,
    max: &Quantity,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) {
    let amount = |value: &Value| {
        let parsed = match value {
            Value::String(text) => Quantity::parse(text).ok(),
            other => Quantity::parse(&other.to_string()).ok(),
        };
        parsed.unwrap_or_else(|| Quantity::from(0))
    };
    let amounts: Vec<Quantity> = values.iter().map(amount).collect();
    for (index, pair) in amounts.windows(2).enumerate() {
        if let [left, right] = pair
            && left > right
        {
            let path = path.index(index + 1);
            let text = "values must be sorted in ascending order";
            out.add(FieldError::invalid(&path, &right.to_string(), text));
        }
    }
    items::each_unique(
        values,
        limits::CAPACITY_REQUEST_POLICY_DISCRETE_MAX_OPTIONS,
        path,
        Cover::Nothing,
        out,
        |value| {
            let amount = amount(value);
            if checks.gates.fractional_capacity_range {
                amount.decimal_text()
            } else {
                amount.value().to_string()
            }
        },
        |value, path, out| {
            let amount = amount(value);
            if amount > *max {
                let text = format!("option is larger than capacity value: {max}");
                out.add(FieldError::invalid(path, &amount.to_string(), text));
            }
        },
    );
    let is_checked = values.len() <= limits::CAPACITY_REQUEST_POLICY_DISCRETE_MAX_OPTIONS;
    if !(is_checked && amounts.contains(default)) {
        let text = "default value is not valid according to the requestPolicy";
        out.add(FieldError::invalid(path, &default.to_string(), text));
    }
}
