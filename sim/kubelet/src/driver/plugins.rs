//! The drivers that are registered on one node (`cm/dra/plugin/dra_plugin_manager.go`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::link::Link;
use super::plugin::{DraService, Plugin, SUPPORTED_SERVICES};
use super::wipe::Wiper;
use crate::timing::Timing;

/// Why a plugin is not accepted. The texts are the kubelet's: drivers read them in
/// `NotifyRegistrationStatus`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// `supported_versions` is empty.
    #[error(
        "invalid supported gRPC versions of DRA driver plugin {driver} at endpoint {endpoint}: empty list of supported gRPC services (aka supported versions)"
    )]
    NoServices {
        /// Driver name.
        driver: String,
        /// Service socket.
        endpoint: String,
    },
    /// No entry of `supported_versions` is known.
    #[error(
        "invalid supported gRPC versions of DRA driver plugin {driver} at endpoint {endpoint}: none of services supported by the plugin ({}) are supported by the kubelet ({})",
        go_list(.offered), go_list(&SUPPORTED_SERVICES)
    )]
    UnknownServices {
        /// Driver name.
        driver: String,
        /// Service socket.
        endpoint: String,
        /// What the plugin offers.
        offered: Vec<String>,
    },
    /// Another instance has this endpoint.
    #[error("endpoint {endpoint} already registered for DRA driver plugin {driver}")]
    EndpointTaken {
        /// Driver name.
        driver: String,
        /// Service socket.
        endpoint: String,
    },
}

/// A driver that the node does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPlugin {
    /// The allocation result names no driver.
    #[error("DRA driver name is empty")]
    EmptyName,
    /// No instance is registered.
    #[error("DRA driver {0} is not registered")]
    NotRegistered(String),
}

/// `%q` of a Go string slice.
fn go_list(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<_> = names.iter().map(|n| format!("{:?}", n.as_ref())).collect();
    format!("[{}]", quoted.join(" "))
}

/// Registered drivers of one node, in the order in which they came.
#[derive(Debug)]
pub struct Plugins {
    node: String,
    timing: Timing,
    wiper: Wiper,
    tasks: TaskTracker,
    stop: CancellationToken,
    registered: Mutex<BTreeMap<String, Vec<Arc<Plugin>>>>,
    changes: watch::Sender<u64>,
}

impl Plugins {
    /// Drivers of no node of a simulation: nothing is deleted when they go. For a test kit that
    /// registers and calls a driver step by step; connections run in `tasks` until `stop`.
    pub fn alone(timing: Timing, tasks: TaskTracker, stop: CancellationToken) -> Arc<Self> {
        Self::new(String::new(), timing, Wiper::none(), tasks, stop)
    }

    pub(crate) fn new(
        node: String,
        timing: Timing,
        wiper: Wiper,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            node,
            timing,
            wiper,
            tasks,
            stop,
            registered: Mutex::default(),
            changes: watch::Sender::new(0),
        })
    }

    /// Changes whenever a plugin comes, goes, connects or disconnects.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Every registered instance, by driver name and then oldest first.
    pub fn all(&self) -> Vec<Arc<Plugin>> {
        self.registered.lock().values().flatten().cloned().collect()
    }

    /// The instance to call: the newest that is connected, else the newest.
    ///
    /// # Errors
    /// [`NoPlugin`].
    pub fn get(&self, driver: &str) -> Result<Arc<Plugin>, NoPlugin> {
        if driver.is_empty() {
            return Err(NoPlugin::EmptyName);
        }
        let registered = self.registered.lock();
        let instances = registered.get(driver).map_or(&[][..], Vec::as_slice);
        instances
            .iter()
            .rev()
            .find(|plugin| plugin.is_connected())
            .or(instances.last())
            .cloned()
            .ok_or_else(|| NoPlugin::NotRegistered(driver.to_owned()))
    }

    /// Whether the kubelet would accept a plugin (`ValidatePlugin`).
    ///
    /// # Errors
    /// [`RegisterError::NoServices`] or [`RegisterError::UnknownServices`].
    pub fn validate(
        driver: &str,
        endpoint: &str,
        services: &[String],
    ) -> Result<DraService, RegisterError> {
        let (driver, endpoint) = (driver.to_owned(), endpoint.to_owned());
        if services.is_empty() {
            return Err(RegisterError::NoServices { driver, endpoint });
        }
        DraService::choose(services).ok_or_else(|| RegisterError::UnknownServices {
            driver,
            endpoint,
            offered: services.to_vec(),
        })
    }

    /// Adds an instance and connects to it at once (`RegisterPlugin`).
    ///
    /// # Errors
    /// [`RegisterError`].
    pub fn register(
        self: &Arc<Self>,
        driver: &str,
        endpoint: &str,
        services: &[String],
    ) -> Result<(), RegisterError> {
        let service = Self::validate(driver, endpoint, services)?;
        let endpoint_path = PathBuf::from(endpoint);
        let stop = self.stop.child_token();
        let mut registered = self.registered.lock();
        let instances = registered.entry(driver.to_owned()).or_default();
        if instances.iter().any(|p| p.endpoint() == endpoint_path) {
            return Err(RegisterError::EndpointTaken {
                driver: driver.to_owned(),
                endpoint: endpoint.to_owned(),
            });
        }
        let plugin = Arc::new_cyclic(|weak: &Weak<Plugin>| {
            let (weak, plugins) = (weak.clone(), Arc::downgrade(self));
            let (link, keep) = Link::new(
                endpoint_path.clone(),
                &self.timing,
                stop.clone(),
                move |up| {
                    if let (Some(plugin), Some(plugins)) = (weak.upgrade(), plugins.upgrade()) {
                        plugins.connection_changed(&plugin, up);
                    }
                },
            );
            self.tasks.spawn(keep);
            Plugin::new(
                driver.to_owned(),
                endpoint_path,
                service,
                link,
                self.timing.call,
                stop,
            )
        });
        instances.push(plugin);
        self.plan_wipe(driver, instances);
        drop(registered);
        self.announce();
        Ok(())
    }

    /// Removes an instance and closes its connection (`DeRegisterPlugin`).
    pub fn deregister(&self, driver: &str, endpoint: &str) {
        let mut registered = self.registered.lock();
        let Some(instances) = registered.get_mut(driver) else {
            return;
        };
        let endpoint = std::path::Path::new(endpoint);
        instances.retain(|plugin| {
            let goes = plugin.endpoint() == endpoint;
            if goes {
                plugin.close();
            }
            !goes
        });
        self.plan_wipe(driver, instances);
        if instances.is_empty() {
            registered.remove(driver);
        }
        drop(registered);
        self.announce();
    }

    fn connection_changed(&self, plugin: &Plugin, up: bool) {
        let registered = self.registered.lock();
        plugin.set_connected(up);
        // A plugin that was removed meanwhile no longer counts.
        if let Some(instances) = registered.get(plugin.driver()) {
            self.plan_wipe(plugin.driver(), instances);
        }
        drop(registered);
        self.announce();
    }

    /// Without a connected instance the driver's slices go after a delay; with one they stay. A wipe
    /// that is planned keeps its time.
    fn plan_wipe(&self, driver: &str, instances: &[Arc<Plugin>]) {
        if instances.iter().any(|plugin| plugin.is_connected()) {
            self.wiper.cancel(&self.node, driver);
        } else if !self.stop.is_cancelled() {
            self.wiper.plan(&self.node, driver, self.timing.wipe_delay);
        }
    }

    fn announce(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_read_as_the_kubelets() {
        let refused = Plugins::validate("gpu.example.com", "/dra.sock", &["1.0.0".into()]);
        assert_eq!(
            refused.unwrap_err().to_string(),
            "invalid supported gRPC versions of DRA driver plugin gpu.example.com at endpoint /dra.sock: none of services supported by the plugin ([\"1.0.0\"]) are supported by the kubelet ([\"v1.DRAPlugin\" \"v1beta1.DRAPlugin\"])"
        );
        assert!(
            Plugins::validate("gpu.example.com", "/dra.sock", &[])
                .unwrap_err()
                .to_string()
                .ends_with("empty list of supported gRPC services (aka supported versions)")
        );
    }
}
