//! The kubelets of all nodes of a simulation.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use drakit_sim_store::{Key, Store};
use parking_lot::RwLock;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cluster::Cluster;
use crate::driver::{Plugin, Plugins, Wiper, delete_slices};
use crate::error::{AddNodeError, NoNode, RestartError, StartError};
use crate::node::{Node, NodeConfig, NodeDirs, create_node, renew_lease};
use crate::pods::addresses::{self, PodNetwork};
use crate::pods::{Dispatcher, Hosted, LogBook, LogError};
use crate::registration::Registrar;
use crate::timing::Timing;

/// How the kubelets are set up.
#[derive(Debug, Clone)]
pub struct KubeletConfig {
    /// The objects of the cluster.
    pub store: Store,
    /// Folder below which each node has its own.
    pub state_dir: PathBuf,
    /// Waits and time-outs.
    pub timing: Timing,
}

/// The running kubelets. Cheap to clone; every clone is the same.
#[derive(Debug, Clone)]
pub struct Kubelets(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    cluster: Arc<Cluster>,
    state_dir: PathBuf,
    wiper: Wiper,
    registrar: Registrar,
    hosted: mpsc::UnboundedSender<Hosted>,
    nodes: RwLock<BTreeMap<String, Arc<Node>>>,
}

impl Kubelets {
    /// Starts without nodes. Everything ends when `stop` is cancelled; [`Kubelets::stopped`] waits for
    /// that.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(config: KubeletConfig, stop: CancellationToken) -> Result<Self, StartError> {
        let KubeletConfig {
            store,
            state_dir,
            timing,
        } = config;
        std::fs::create_dir_all(&state_dir).map_err(|source| StartError::Folder {
            path: state_dir.clone(),
            source,
        })?;
        let tasks = TaskTracker::new();
        let registrar = Registrar::start(timing.clone(), &tasks, stop.clone())?;
        let (wiper, wipe) = Wiper::new(store.clone(), stop.clone());
        tasks.spawn(wipe);
        let cluster = Arc::new(Cluster {
            store,
            timing,
            network: PodNetwork::default(),
            logs: Arc::new(LogBook::default()),
            tasks,
            stop,
        });
        let (hosted, inbox) = mpsc::unbounded_channel();
        cluster
            .tasks
            .spawn(Dispatcher::new(cluster.clone()).run(inbox));
        let kubelets = Self(Arc::new(Inner {
            cluster: cluster.clone(),
            state_dir,
            wiper,
            registrar,
            hosted,
            nodes: RwLock::default(),
        }));
        cluster.tasks.spawn(kubelets.clone().reconcile());
        cluster.tasks.spawn(kubelets.clone().renew_leases());
        Ok(kubelets)
    }

    /// Adds one node. See [`Kubelets::add_nodes`].
    ///
    /// # Errors
    /// [`AddNodeError`].
    pub async fn add_node(&self, node: NodeConfig) -> Result<(), AddNodeError> {
        self.add_nodes(vec![node]).await
    }

    /// Adds nodes: makes their folders, deletes slices that are left of them, watches for drivers,
    /// takes up their pods and writes their Node objects.
    ///
    /// # Errors
    /// [`AddNodeError`] for the first node that fails; those before it are added.
    pub async fn add_nodes(&self, configs: Vec<NodeConfig>) -> Result<(), AddNodeError> {
        let this = self.clone();
        let added = tokio::task::spawn_blocking(move || this.set_up(configs))
            .await
            .map_err(|_| AddNodeError::Stopped)?;
        let (nodes, result) = added;
        let (ready, done) = oneshot::channel();
        let with_claims: Vec<_> = nodes.clone();
        self.0
            .hosted
            .send((nodes, ready))
            .map_err(|_| AddNodeError::Stopped)?;
        done.await.map_err(|_| AddNodeError::Stopped)?;
        for node in with_claims {
            if node.has_orphans() {
                self.spawn_clearing(node);
            }
        }
        result
    }

    /// Everything about new nodes that waits for the disk.
    fn set_up(&self, configs: Vec<NodeConfig>) -> (Vec<Arc<Node>>, Result<(), AddNodeError>) {
        let mut nodes = Vec::new();
        let names: std::collections::BTreeSet<_> = configs.iter().map(|c| c.name.clone()).collect();
        // A kubelet that starts knows no driver yet, so nobody shall be scheduled to its devices.
        delete_slices(&self.0.cluster.store, |node, _| names.contains(node));
        for config in configs {
            match self.set_up_node(&config) {
                Ok(node) => nodes.push(node),
                Err(error) => return (nodes, Err(error)),
            }
        }
        (nodes, Ok(()))
    }

    fn set_up_node(&self, config: &NodeConfig) -> Result<Arc<Node>, AddNodeError> {
        let inner = &self.0;
        let cluster = &inner.cluster;
        let name = &config.name;
        if !is_node_name(name) {
            return Err(AddNodeError::Name(name.clone()));
        }
        if inner.nodes.read().contains_key(name) {
            return Err(AddNodeError::Exists(name.clone()));
        }
        let dirs = NodeDirs::of(&inner.state_dir, name);
        dirs.create()
            .map_err(|(path, source)| AddNodeError::Folder {
                node: name.clone(),
                path,
                source,
            })?;
        let plugins = Plugins::new(
            name.clone(),
            cluster.timing.clone(),
            inner.wiper.clone(),
            cluster.tasks.clone(),
            cluster.stop.child_token(),
        );
        let index = u32::try_from(inner.nodes.read().len()).unwrap_or(u32::MAX);
        let address = addresses::of_node(index);
        let node =
            Node::new(cluster, name.clone(), dirs, address, plugins.clone()).map_err(|source| {
                AddNodeError::Checkpoint {
                    node: name.clone(),
                    source,
                }
            })?;
        inner
            .registrar
            .watch(&node.dirs.registry, plugins)
            .map_err(|source| AddNodeError::Watch {
                node: name.clone(),
                path: node.dirs.registry.clone(),
                source,
            })?;
        create_node(&node, config).map_err(|source| AddNodeError::Store {
            node: name.clone(),
            source,
        })?;
        inner.nodes.write().insert(name.clone(), node.clone());
        Ok(node)
    }

    fn node(&self, name: &str) -> Result<Arc<Node>, NoNode> {
        let nodes = self.0.nodes.read();
        nodes.get(name).cloned().ok_or_else(|| NoNode(name.into()))
    }

    /// Names of the nodes, sorted.
    pub fn nodes(&self) -> Vec<String> {
        self.0.nodes.read().keys().cloned().collect()
    }

    /// The folders of a node.
    ///
    /// # Errors
    /// [`NoNode`].
    pub fn dirs(&self, node: &str) -> Result<NodeDirs, NoNode> {
        Ok(self.node(node)?.dirs.clone())
    }

    /// The drivers that are registered on a node.
    ///
    /// # Errors
    /// [`NoNode`].
    pub fn plugins(&self, node: &str) -> Result<Vec<Arc<Plugin>>, NoNode> {
        Ok(self.node(node)?.plugins.all())
    }

    /// Changes whenever a driver of the node comes, goes, connects or disconnects.
    ///
    /// # Errors
    /// [`NoNode`].
    pub fn plugin_changes(&self, node: &str) -> Result<tokio::sync::watch::Receiver<u64>, NoNode> {
        Ok(self.node(node)?.plugins.changes())
    }

    /// What a container printed; `container` may be left out when the pod has only one.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn pod_logs(
        &self,
        namespace: &str,
        pod: &str,
        container: Option<&str>,
    ) -> Result<Arc<str>, LogError> {
        let cluster = &self.0.cluster;
        let key = Key::new(namespace, pod);
        cluster.logs.read(&cluster.store, &key, container)
    }

    /// Restarts the kubelet of a node: what it had only in memory is forgotten, the node's slices are
    /// deleted, and drivers are registered anew. Running pods go on.
    ///
    /// # Errors
    /// [`RestartError`].
    pub fn restart(&self, node: &str) -> Result<(), RestartError> {
        let node = self.node(node)?;
        node.claims.restart()?;
        delete_slices(&self.0.cluster.store, |name, _| name == node.name);
        self.0.registrar.register_again(&node.dirs.registry);
        Ok(())
    }

    /// Waits until everything has ended after the stop.
    pub async fn stopped(&self) {
        self.0.cluster.stop.cancelled().await;
        self.0.cluster.tasks.close();
        self.0.cluster.tasks.wait().await;
    }

    fn spawn_clearing(&self, node: Arc<Node>) {
        let cluster = self.0.cluster.clone();
        self.0.cluster.tasks.spawn(async move {
            let clear = async {
                let mut changes = node.plugins.changes();
                while !node.clear_orphans().await && node.has_orphans() {
                    // Drivers register in their own time.
                    tokio::select! {
                        () = tokio::time::sleep(cluster.timing.sync_again) => {}
                        _ = changes.changed() => {}
                    }
                }
            };
            let _ = cluster.stop.run_until_cancelled(clear).await;
        });
    }

    /// Finds claims of pods that vanished without their worker (`reconcileLoop`).
    async fn reconcile(self) {
        let cluster = self.0.cluster.clone();
        let rounds = async {
            loop {
                tokio::time::sleep(cluster.timing.reconcile).await;
                let nodes: Vec<_> = self.0.nodes.read().values().cloned().collect();
                for node in nodes {
                    if node.has_orphans() {
                        cluster.tasks.spawn(Self::clear_once(cluster.clone(), node));
                    }
                }
            }
        };
        let _ = cluster.stop.run_until_cancelled(rounds).await;
    }

    async fn clear_once(cluster: Arc<Cluster>, node: Arc<Node>) {
        let _ = cluster.stop.run_until_cancelled(node.clear_orphans()).await;
    }

    async fn renew_leases(self) {
        let cluster = self.0.cluster.clone();
        let rounds = async {
            loop {
                tokio::time::sleep(cluster.timing.renew_leases).await;
                for name in self.nodes() {
                    if let Err(error) = renew_lease(&cluster.store, &name) {
                        tracing::debug!(node = name, %error, "lease not renewed");
                    }
                }
            }
        };
        let _ = cluster.stop.run_until_cancelled(rounds).await;
    }
}

/// A name is a folder too, so anything but a DNS subdomain is dangerous.
fn is_node_name(name: &str) -> bool {
    const MAX: usize = 253;
    let label = |label: &str| {
        let inner = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
        let bytes = label.as_bytes();
        !bytes.is_empty()
            && bytes.iter().all(inner)
            && bytes[0] != b'-'
            && bytes[bytes.len() - 1] != b'-'
    };
    name.len() <= MAX && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_name_cannot_leave_the_state_folder() {
        assert!(is_node_name("gpu-0.rack-1"));
        for bad in ["", ".", "..", "../x", "a/b", "A", "-a", "a-", "a..b"] {
            assert!(!is_node_name(bad), "{bad}");
        }
    }
}
