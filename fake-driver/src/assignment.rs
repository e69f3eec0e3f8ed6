//! Which plugin serves which pools, and which publisher publishes which. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::ResourceSliceSpec;
use drakit_driver_model::plan::{NodePlan, Plan, PoolPlan};
use drakit_driver_plugin::Identity;
use drakit_driver_publisher::{PoolKey, Pools, SliceSource};

use crate::config::ServedNodes;
use crate::error::DriverError;

/// Most node names that an error lists.
const NAMES_SHOWN: usize = 10;

/// Everything that a process runs.
pub(crate) struct Assignment {
    /// One for each driver on each node, sorted by node, then driver.
    pub(crate) plugins: Vec<(Identity, Vec<Arc<PoolPlan>>)>,
    /// Pools to publish, by driver.
    pub(crate) publishers: BTreeMap<String, Pools>,
    /// Number of served nodes.
    pub(crate) nodes: usize,
}

/// Spreads a plan over plugins and publishers.
pub(crate) fn assign(
    plan: &Plan,
    nodes: &ServedNodes,
    network_pools: bool,
) -> Result<Assignment, DriverError> {
    let served = served(plan, nodes)?;
    let mut plugins = Vec::new();
    let mut publishers: BTreeMap<String, Pools> = BTreeMap::new();
    for node in &served {
        let mut drivers: BTreeMap<String, (Identity, Vec<Arc<PoolPlan>>)> = BTreeMap::new();
        let network = plan.pools.iter().filter(|pool| pool.reachable_from(node));
        for pool in node.drivers.iter().chain(network) {
            let identity = || Identity {
                driver: pool.driver().clone(),
                node: node.name.clone(),
            };
            let (_, pools) = drivers
                .entry(pool.driver().to_string())
                .or_insert_with(|| (identity(), Vec::new()));
            pools.push(pool.clone());
        }
        plugins.extend(drivers.into_values());
        for pool in &node.drivers {
            publish(&mut publishers, pool);
        }
    }
    for pool in plan.pools.iter().filter(|_| network_pools) {
        publish(&mut publishers, pool);
    }
    if plugins.is_empty() && publishers.is_empty() {
        return Err(DriverError::Nothing);
    }
    Ok(Assignment {
        plugins,
        publishers,
        nodes: served.len(),
    })
}

fn served<'a>(plan: &'a Plan, nodes: &ServedNodes) -> Result<Vec<&'a NodePlan>, DriverError> {
    let ServedNodes::Named(names) = nodes else {
        return Ok(plan.nodes.iter().collect());
    };
    let known: BTreeSet<String> = plan
        .nodes
        .iter()
        .map(|node| node.name.to_string())
        .collect();
    if let Some(node) = names.iter().find(|name| !known.contains(*name)) {
        let mut listed: Vec<&str> = known.iter().take(NAMES_SHOWN).map(String::as_str).collect();
        if known.len() > NAMES_SHOWN {
            listed.push("…");
        }
        return Err(DriverError::UnknownNode {
            node: node.clone(),
            known: listed.join(", "),
        });
    }
    let chosen = |node: &&NodePlan| names.contains(&node.name.to_string());
    Ok(plan.nodes.iter().filter(chosen).collect())
}

fn publish(publishers: &mut BTreeMap<String, Pools>, pool: &Arc<PoolPlan>) {
    let key = PoolKey {
        node: pool.node().map(ToString::to_string),
        pool: pool.pool().to_string(),
    };
    let source: Arc<dyn SliceSource> = Arc::new(Planned(pool.clone()));
    let pools = publishers.entry(pool.driver().to_string()).or_default();
    pools.insert(key, source);
}

/// Slices of the model, for the publisher.
struct Planned(Arc<PoolPlan>);

impl SliceSource for Planned {
    fn specs(&self, generation: i64) -> Vec<ResourceSliceSpec> {
        self.0.specs(generation)
    }
}
