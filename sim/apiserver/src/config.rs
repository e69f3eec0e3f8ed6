//! What the server is started with.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use drakit_sim_store::Store;

/// Why a container has no log to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The container has not started (400), with the kubelet's reason in the text.
    #[error("{0}")]
    NotStarted(String),
    /// There is no such pod or container on any node (404).
    #[error("{0}")]
    NotFound(String),
}

/// Where `pods/log` takes its text from: the emulated kubelets.
pub trait PodLogs: Send + Sync {
    /// Everything that a container has written, lines that end in `\n`.
    ///
    /// # Errors
    /// [`LogError`] when there is nothing to show.
    fn log(&self, namespace: &str, pod: &str, container: &str) -> Result<String, LogError>;
}

/// The source for a cluster without kubelets.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLogs;

impl PodLogs for NoLogs {
    fn log(&self, _: &str, pod: &str, container: &str) -> Result<String, LogError> {
        let text = format!(
            "container {container:?} in pod {pod:?} is waiting to start: ContainerCreating"
        );
        Err(LogError::NotStarted(text))
    }
}

/// What the API server is made of.
#[derive(Clone)]
pub struct ApiConfig {
    /// The objects.
    pub store: Store,
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// HTTPS with a certificate authority of its own, HTTP/2 by ALPN. Otherwise plain HTTP/1.1 and HTTP/2.
    pub tls: bool,
    /// The bearer token that requests must carry; `None` lets everybody in.
    pub token: Option<String>,
    /// What `pods/log` answers from.
    pub logs: Arc<dyn PodLogs>,
    /// The Kubernetes version that is claimed, `v1.37.2`.
    pub version: String,
}

impl ApiConfig {
    /// Loopback, a free port, TLS, a fresh token, no logs, version 1.37.2.
    pub fn new(store: Store) -> Self {
        let token = store.new_uid();
        Self {
            store,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tls: true,
            token: Some(token),
            logs: Arc::new(NoLogs),
            version: "v1.37.2".to_owned(),
        }
    }
}

impl std::fmt::Debug for ApiConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiConfig")
            .field("address", &self.address)
            .field("tls", &self.tls)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
