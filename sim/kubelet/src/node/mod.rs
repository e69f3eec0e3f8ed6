//! One node.
//!
//! ```text
//! config  what a node is to be
//! object  its Node and Lease
//! dirs    its folders
//! ```

mod config;
mod dirs;
mod object;

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::Arc;

use drakit_sim_store::{EventRecorder, Store};
use parking_lot::Mutex;

pub use config::NodeConfig;
pub use dirs::NodeDirs;
pub(crate) use object::{create_node, renew_lease};

use crate::cdi::CdiFolder;
use crate::claims::{CheckpointError, ClaimManager};
use crate::cluster::Cluster;
use crate::driver::Plugins;
use crate::pods::LogBook;

/// The kubelet of one node.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) dirs: NodeDirs,
    pub(crate) address: Ipv4Addr,
    pub(crate) store: Store,
    pub(crate) plugins: Arc<Plugins>,
    pub(crate) claims: Arc<ClaimManager>,
    pub(crate) cdi: Mutex<CdiFolder>,
    pub(crate) events: EventRecorder,
    pub(crate) logs: Arc<LogBook>,
    /// UIDs of the pods that have a worker.
    active: Mutex<BTreeSet<String>>,
    /// Held by the task that unprepares claims of vanished pods.
    clearing: Mutex<bool>,
}

impl Node {
    pub(crate) fn new(
        cluster: &Cluster,
        name: String,
        dirs: NodeDirs,
        address: Ipv4Addr,
        plugins: Arc<Plugins>,
    ) -> Result<Arc<Self>, CheckpointError> {
        let store = cluster.store.clone();
        let claims = ClaimManager::new(store.clone(), plugins.clone(), dirs.checkpoint.clone())?;
        Ok(Arc::new(Self {
            events: EventRecorder::new(store.clone(), "kubelet", Some(name.clone())),
            cdi: Mutex::new(CdiFolder::new(dirs.cdi.clone())),
            name,
            dirs,
            address,
            store,
            plugins,
            claims: Arc::new(claims),
            logs: cluster.logs.clone(),
            active: Mutex::default(),
            clearing: Mutex::new(false),
        }))
    }

    /// Now, as status fields have it.
    pub(crate) fn now(&self) -> String {
        self.store.clock().now_seconds()
    }

    /// Notes that a pod has a worker.
    pub(crate) fn take_up(&self, pod_uid: &str) {
        self.active.lock().insert(pod_uid.to_owned());
    }

    /// Notes that a pod's worker is done.
    pub(crate) fn release(&self, pod_uid: &str) {
        self.active.lock().remove(pod_uid);
    }

    /// Unprepares the claims of pods that vanished (`reconcileLoop`), once; true when none is left.
    pub(crate) async fn clear_orphans(&self) -> bool {
        if std::mem::replace(&mut *self.clearing.lock(), true) {
            return false;
        }
        let active = self.active.lock().clone();
        let mut cleared = true;
        for orphan in self.claims.orphans(&active) {
            if let Err(error) = self.claims.unprepare(&orphan.pod_uid).await {
                tracing::info!(node = self.name, pod = orphan.pod_uid, namespace = orphan.namespace, %error, "claims of a vanished pod not unprepared, will try again");
                cleared = false;
            }
        }
        *self.clearing.lock() = false;
        cleared
    }

    /// Whether a claim here names a pod that has no worker.
    pub(crate) fn has_orphans(&self) -> bool {
        let active = self.active.lock().clone();
        !self.claims.orphans(&active).is_empty()
    }
}
