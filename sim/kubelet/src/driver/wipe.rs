//! Deletion of the slices of drivers that are gone.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use drakit_sim_store::resource::RESOURCE_SLICES;
use drakit_sim_store::{DeleteOptions, Filter, Store};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One wipe: node and driver.
type Target = (String, String);

#[derive(Debug)]
enum Order {
    Plan(Target, Instant),
    Cancel(Target),
}

/// Where planned wipes go. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Wiper(mpsc::UnboundedSender<Order>);

impl Wiper {
    /// The wiper and the future that does its work for all nodes until `stop`.
    pub(crate) fn new(
        store: Store,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (sender, orders) = mpsc::unbounded_channel();
        let work = async move {
            let _ = stop.run_until_cancelled(run(store, orders)).await;
        };
        (Self(sender), work)
    }

    /// A wiper that deletes nothing.
    pub(super) fn none() -> Self {
        Self(mpsc::unbounded_channel().0)
    }

    /// Deletes the slices of `driver` on `node` after `delay`, unless cancelled or planned before.
    pub(super) fn plan(&self, node: &str, driver: &str, delay: Duration) {
        let target = (node.to_owned(), driver.to_owned());
        // Nobody listens any more only after the stop.
        let _ = self.0.send(Order::Plan(target, Instant::now() + delay));
    }

    pub(super) fn cancel(&self, node: &str, driver: &str) {
        let _ = self
            .0
            .send(Order::Cancel((node.to_owned(), driver.to_owned())));
    }
}

async fn run(store: Store, mut orders: mpsc::UnboundedReceiver<Order>) {
    let mut planned: BTreeMap<Target, Instant> = BTreeMap::new();
    let mut by_time: BTreeSet<(Instant, Target)> = BTreeSet::new();
    loop {
        let next = by_time.first().map(|(at, _)| *at);
        let due = async {
            match next {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            order = orders.recv() => match order {
                None => return,
                Some(Order::Plan(target, at)) => {
                    if let Entry::Vacant(free) = planned.entry(target) {
                        by_time.insert((at, free.key().clone()));
                        free.insert(at);
                    }
                }
                Some(Order::Cancel(target)) => {
                    if let Some(at) = planned.remove(&target) {
                        by_time.remove(&(at, target));
                    }
                }
            },
            () = due => {
                let now = Instant::now();
                let mut targets = BTreeSet::new();
                while by_time.first().is_some_and(|(at, _)| *at <= now)
                    && let Some((_, target)) = by_time.pop_first()
                {
                    planned.remove(&target);
                    targets.insert(target);
                }
                // One pass however many drivers went together.
                delete_slices(&store, |node, driver| {
                    targets.contains(&(node.to_owned(), driver.to_owned()))
                });
            }
        }
    }
}

/// Deletes the slices bound to a node for which `goes(node, driver)` holds.
pub(crate) fn delete_slices(store: &Store, goes: impl Fn(&str, &str) -> bool) {
    let (slices, _) = store.list(&RESOURCE_SLICES, &Filter::all());
    for slice in slices {
        let text = |field: &str| {
            slice
                .at(&["spec"])
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or("")
        };
        let node = text("nodeName");
        if node.is_empty() || !goes(node, text("driver")) {
            continue;
        }
        match store.delete(&RESOURCE_SLICES, &slice.key(), &DeleteOptions::default()) {
            Ok(_) => tracing::debug!(slice = slice.name(), "deleted a slice of an absent driver"),
            Err(error) => tracing::debug!(slice = slice.name(), %error, "slice not deleted"),
        }
    }
}
