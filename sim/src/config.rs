//! What to simulate.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use drakit_sim_store::Clock;

/// A node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimNode {
    /// `metadata.name`.
    pub name: String,
    /// Labels besides those that every kubelet sets.
    pub labels: BTreeMap<String, String>,
}

/// A cluster to start.
#[derive(Debug, Clone)]
pub struct SimConfig {
    /// Its nodes.
    pub nodes: Vec<SimNode>,
    /// Where the API server listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// Folder for sockets, CDI files and the kubeconfig; `None` makes one that goes with the cluster.
    pub state_dir: Option<PathBuf>,
    /// Decides uids and generated names.
    pub seed: u64,
    /// Multiplies back-offs, retries and delays of scheduler and kubelets; 1.0 is Kubernetes' own.
    /// Time-outs of calls to drivers stay real.
    pub time_scale: f64,
    /// Kubernetes version whose feature gates the scheduler uses, `1.37`.
    pub version: String,
}

impl SimConfig {
    /// Loopback, a free port, a folder of its own, a random seed, real times.
    pub fn new(nodes: Vec<SimNode>) -> Self {
        // Nanoseconds are random enough to keep two clusters' uids apart.
        let now = Clock::system().now().as_nanosecond();
        Self {
            nodes,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            state_dir: None,
            seed: u64::try_from(now.unsigned_abs() % u128::from(u64::MAX)).unwrap_or(0),
            time_scale: 1.0,
            version: "1.37".into(),
        }
    }
}
