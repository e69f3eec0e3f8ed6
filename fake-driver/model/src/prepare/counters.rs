//! Shared counters: partitions of one device must fit into it together, whoever holds them.

use std::collections::{BTreeMap, BTreeSet};

use drakit_api::Quantity;
use drakit_api::k8s::api::resource::v1::Counter;

use super::decide::{ClaimView, Own, subject};
use super::error::PrepareError;
use super::held::Held;
use super::prepared::Hold;
use crate::plan::PoolPlan;

/// Counter set and counter.
type Key<'a> = (&'a str, &'a str);

/// What devices of a pool take of its counters, and which claims took it.
#[derive(Default)]
struct Taken<'a> {
    amounts: BTreeMap<Key<'a>, Quantity>,
    holders: BTreeMap<Key<'a>, BTreeSet<String>>,
}

impl<'a> Taken<'a> {
    fn add(&mut self, pool: &'a PoolPlan, device: &str, holder: &str) {
        for (key, amount) in consumption(pool, device) {
            let sum = self.amounts.entry(key).or_default();
            *sum = &*sum + &amount;
            self.holders
                .entry(key)
                .or_default()
                .insert(holder.to_owned());
        }
    }
}

/// Refuses a device whose counters are used up by devices that other claims hold or that stand before it in the claim:
/// a whole GPU and its partitions are different devices, but the same hardware (PREP-13).
pub(super) fn check(
    claim: &ClaimView<'_>,
    own: &[Own<'_>],
    held: &Held,
) -> Result<(), PrepareError> {
    let mut pools: BTreeMap<&str, Taken<'_>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for own in own.iter().filter(|own| own.hold != Hold::Admin) {
        let (pool, device) = (own.pool, own.result.device.as_str());
        if pool.template().counter_sets.is_empty() {
            continue;
        }
        let taken = pools
            .entry(pool.pool().as_str())
            .or_insert_with(|| taken_by_others(pool, claim.uid, held));
        // Shares of one device take its counters once.
        let shared = own.hold == Hold::Shared
            && held.in_pool(pool.pool().as_str()).any(|(held, holders)| {
                held == device && holders.iter().any(|holder| holder.uid != claim.uid)
            });
        if shared || !seen.insert((pool.pool().as_str(), device)) {
            continue;
        }
        for (key, wanted) in consumption(pool, device) {
            let available = available(pool, key);
            let used = taken.amounts.get(&key).cloned().unwrap_or_default();
            if &used + &wanted > available {
                let holders = taken
                    .holders
                    .get(&key)
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect::<Vec<_>>();
                return Err(PrepareError::UsedUp {
                    subject: Box::new(subject(claim, own.result)),
                    counter: format!("{}/{}", key.0, key.1),
                    wanted: wanted.canonical(),
                    left: (&available - &used).canonical(),
                    holders: holders.join(", "),
                });
            }
        }
        taken.add(pool, device, &format!("{}/{}", claim.namespace, claim.name));
    }
    Ok(())
}

fn taken_by_others<'a>(pool: &'a PoolPlan, uid: &str, held: &Held) -> Taken<'a> {
    let mut taken = Taken::default();
    for (device, holders) in held.in_pool(pool.pool().as_str()) {
        let other = holders
            .iter()
            .find(|holder| holder.uid != uid && holder.hold != Hold::Admin);
        if let Some(holder) = other {
            taken.add(
                pool,
                device,
                &format!("{}/{}", holder.namespace, holder.name),
            );
        }
    }
    taken
}

fn consumption<'a>(pool: &'a PoolPlan, device: &str) -> Vec<(Key<'a>, Quantity)> {
    let template = pool.template();
    let index = template.find(device, pool.place());
    let consumptions =
        index.and_then(|index| template.devices[index].base.consumes_counters.as_ref());
    let entries = consumptions.into_iter().flatten().flat_map(|consumption| {
        let set = consumption.counter_set.as_str();
        consumption
            .counters
            .iter()
            .map(move |(name, counter)| ((set, name.as_str()), amount(counter)))
    });
    entries.collect()
}

fn available(pool: &PoolPlan, (set, counter): Key<'_>) -> Quantity {
    let set = pool
        .template()
        .counter_sets
        .iter()
        .find(|candidate| candidate.name == set);
    set.and_then(|set| set.counters.get(counter))
        .map(amount)
        .unwrap_or_default()
}

fn amount(counter: &Counter) -> Quantity {
    // Quantities of a fleet were parsed when it was read.
    Quantity::parse(&counter.value.0).unwrap_or_default()
}
