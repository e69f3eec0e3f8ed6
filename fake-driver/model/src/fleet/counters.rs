//! Counters of a driver, what devices consume of them, and taints.

use std::collections::BTreeMap;

use drakit_api::k8s::api::resource::v1::{Counter, DeviceCounterConsumption, DeviceTaint};
use drakit_api::limits::RESOURCE_SLICE_MAX_COUNTERS_PER_COUNTER_SET;
use drakit_api::names;

use super::capacity::quantities;
use super::table::Table;
use super::texts::{label, strings};
use crate::yaml::reader::{Item, Problems};

/// `counters: {NAME: 4}` with placeholders in names and values, one map per row of the table.
pub(super) fn counters_of(
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
            label("counter name", name, &names::validate_dns1123_label(name))
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
        for (row, consumption) in rows
            .iter_mut()
            .zip(consumption(&item, table, problems).unwrap_or_default())
        {
            row.push(consumption);
        }
    }
    Some(rows)
}

fn consumption(
    item: &Item<'_>,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<DeviceCounterConsumption>> {
    let fields = item.fields(problems, &["counterSet", "counters", "compatibilityGroups"])?;
    let groups = fields
        .get("compatibilityGroups")
        .map(|groups| strings(&groups, problems));
    let sets = fields
        .require(
            problems,
            "counterSet",
            "the name of a counter set of this driver",
        )
        .and_then(|set| {
            let text = set.string(problems)?;
            table.expand_fixed(&set, text, problems, |name| Ok(name.to_owned()))
        });
    let counters = fields.require(problems, "counters", "a map of counters");
    let counters = counters.and_then(|item| counters_of(&item, table, problems));
    let groups = match groups {
        Some(groups) => Some(groups?),
        None => None,
    };
    let with = |(counter_set, counters)| DeviceCounterConsumption {
        counter_set,
        counters,
        compatibility_groups: groups.clone(),
    };
    Some(sets?.into_iter().zip(counters?).map(with).collect())
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
