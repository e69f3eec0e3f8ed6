//! The simulated cluster, assembled: store, API server, controllers, scheduler and kubelets in one
//! process. Drivers are not part of it; they come over the kubelets' sockets and the API server's
//! HTTP, as on real nodes.
//!
//! ```text
//! config     what to simulate
//! cluster    start, readiness, stop
//! folder     of the cluster: sockets, CDI files, kubeconfig; one cluster at a time
//! logs       from the kubelets to the API server
//! ```

mod cluster;
mod config;
mod folder;
mod logs;

pub use cluster::{SimCluster, StartError, StopError};
pub use config::{SimConfig, SimNode};
