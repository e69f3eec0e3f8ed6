//! Looks at a running driver, and gives it another fleet.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_driver_model::plan::Plan;
use drakit_driver_plugin::{Identity, PluginHandle, PluginStatus};
use drakit_driver_publisher::{PublishStatus, PublisherHandle};

use crate::assignment::assign;
use crate::config::ServedNodes;
use crate::error::DriverError;

/// Handle on a running [`crate::Driver`]; cheap to clone.
#[derive(Clone)]
pub struct Observer {
    pub(crate) plugins: Arc<[PluginHandle]>,
    pub(crate) publishers: Arc<BTreeMap<String, PublisherHandle>>,
    pub(crate) nodes: ServedNodes,
    pub(crate) network_pools: bool,
}

/// A snapshot for readiness and metrics.
#[derive(Debug, Clone)]
pub struct DriverStatus {
    /// Each driver on each node.
    pub plugins: Vec<(Identity, PluginStatus)>,
    /// Slices, by driver.
    pub slices: BTreeMap<String, PublishStatus>,
}

impl Observer {
    /// How everything is now.
    pub fn status(&self) -> DriverStatus {
        let plugin = |handle: &PluginHandle| (handle.identity().clone(), handle.status());
        let slices = self.publishers.iter();
        DriverStatus {
            plugins: self.plugins.iter().map(plugin).collect(),
            slices: slices
                .map(|(driver, handle)| (driver.clone(), handle.status().borrow().clone()))
                .collect(),
        }
    }

    /// Waits until every slice is published. `false` when the driver stopped before.
    pub async fn published(&self) -> bool {
        for handle in self.publishers.values() {
            let mut status = handle.status();
            if status.wait_for(PublishStatus::is_published).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Waits until the kubelet of every node registered every driver.
    /// `false` when the driver stopped before.
    pub async fn registered(&self) -> bool {
        for handle in self.plugins.iter() {
            if handle
                .registered()
                .wait_for(|registered| *registered)
                .await
                .is_err()
            {
                return false;
            }
        }
        true
    }

    /// Publishes and prepares by another plan from now on. Devices may change,
    /// not which drivers run on which nodes; on an error nothing changes and
    /// the driver keeps its last good fleet.
    pub async fn reload(&self, plan: &Plan) -> Result<(), DriverError> {
        let mut next = assign(plan, &self.nodes, self.network_pools)?;
        let needs_restart = |change: String| DriverError::NeedsRestart { change };
        let running = self.plugins.iter().map(PluginHandle::identity);
        if !next
            .plugins
            .iter()
            .map(|(identity, _)| identity)
            .eq(running)
        {
            return Err(needs_restart(format!(
                "{} drivers on nodes run, the new fleet has others or {}",
                self.plugins.len(),
                next.plugins.len()
            )));
        }
        if let Some(driver) = next
            .publishers
            .keys()
            .find(|driver| !self.publishers.contains_key(*driver))
        {
            return Err(needs_restart(format!("driver {driver} is new")));
        }
        for (handle, (_, pools)) in self.plugins.iter().zip(next.plugins) {
            handle.set_pools(pools);
        }
        for (driver, handle) in self.publishers.iter() {
            handle
                .set_pools(next.publishers.remove(driver).unwrap_or_default())
                .await;
        }
        Ok(())
    }

    /// Deletes the slices of network pools: no kubelet and no collector ever does.
    pub async fn withdraw_network_pools(&self, plan: &Plan) -> Result<(), DriverError> {
        let mut local = assign(plan, &self.nodes, false)?.publishers;
        for (driver, handle) in self.publishers.iter() {
            handle
                .set_pools(local.remove(driver).unwrap_or_default())
                .await;
        }
        Ok(())
    }
}
