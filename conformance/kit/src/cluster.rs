//! Where a case runs.

use std::path::Path;

use kube::config::{KubeConfigOptions, Kubeconfig};

/// A cluster that cases can run on: the simulation or a real one.
///
/// A case sees Kubernetes' API only, so that its body cannot tell which world it is in.
pub trait Cluster: Send + Sync {
    /// What to call it in reports: `simulation`, a context name.
    fn name(&self) -> &str;

    /// A client of its API server.
    fn client(&self) -> kube::Client;
}

/// Why a kubeconfig gave no cluster.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The file cannot be read or has a wrong field.
    #[error("read kubeconfig {path}")]
    Read {
        /// The file.
        path: String,
        /// What kube says.
        #[source]
        source: kube::config::KubeconfigError,
    },
    /// The client cannot be made.
    #[error("make a client for kubeconfig {path}")]
    Client {
        /// The file.
        path: String,
        /// What kube says.
        #[source]
        source: kube::Error,
    },
}

/// A cluster that a kubeconfig file points to.
#[derive(Clone)]
pub struct KubeconfigCluster {
    name: String,
    client: kube::Client,
}

impl std::fmt::Debug for KubeconfigCluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeconfigCluster")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl KubeconfigCluster {
    /// Reads the current context of a kubeconfig file. Nothing is sent yet.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn from_file(path: &Path) -> Result<Self, ConnectError> {
        let shown = path.display().to_string();
        let read = |source| ConnectError::Read {
            path: shown.clone(),
            source,
        };
        let kubeconfig = Kubeconfig::read_from(path).map_err(read)?;
        let name = kubeconfig
            .current_context
            .clone()
            .unwrap_or_else(|| shown.clone());
        let mut config =
            kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
                .await
                .map_err(read)?;
        reach_loopback_directly(&mut config);
        let client = kube::Client::try_from(config).map_err(|source| ConnectError::Client {
            path: shown.clone(),
            source,
        })?;
        Ok(Self { name, client })
    }
}

/// No proxy for a server on this machine, whatever `HTTPS_PROXY` says: Go's clients do the same
/// (`golang.org/x/net/http/httpproxy`), kube asks the environment only.
pub fn reach_loopback_directly(config: &mut kube::Config) {
    let host = config.cluster_url.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let loopback = address
        .parse()
        .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    if loopback || host == "localhost" {
        config.proxy_url = None;
    }
}

impl Cluster for KubeconfigCluster {
    fn name(&self) -> &str {
        &self.name
    }

    fn client(&self) -> kube::Client {
        self.client.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy_of(server: &str) -> Option<String> {
        let mut config = kube::Config::new(server.parse().unwrap());
        config.proxy_url = Some("http://proxy.example.com:3128/".parse().unwrap());
        reach_loopback_directly(&mut config);
        config.proxy_url.map(|url| url.to_string())
    }

    #[test]
    fn a_server_on_this_machine_is_reached_without_the_proxy() {
        for server in [
            "https://127.0.0.1:6443",
            "https://[::1]:6443",
            "https://localhost:6443",
        ] {
            assert_eq!(proxy_of(server), None, "{server}");
        }
    }

    #[test]
    fn a_server_elsewhere_keeps_its_proxy() {
        for server in ["https://10.0.0.1:6443", "https://localhost.example.com"] {
            assert!(proxy_of(server).is_some(), "{server}");
        }
    }
}
