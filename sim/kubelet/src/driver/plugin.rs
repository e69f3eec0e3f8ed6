//! One registered instance of a driver, and the calls that the kubelet makes to it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use drakit_proto::dra_v1::{
    self, NodePrepareResourcesRequest, NodePrepareResourcesResponse, NodeUnprepareResourcesRequest,
    NodeUnprepareResourcesResponse,
};
use drakit_proto::{dra_v1beta1, services};
use http::Uri;
use tokio_util::sync::CancellationToken;

use super::link::Link;
use crate::rpc_error::RpcError;

/// Versions of the DRA service that this kubelet calls, newest first (`servicesSupportedByKubelet`).
pub const SUPPORTED_SERVICES: [&str; 2] = [services::DRA_V1, services::DRA_V1BETA1];

/// The version of the DRA service that was agreed on at registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraService {
    /// `v1.DRAPlugin`.
    V1,
    /// `v1beta1.DRAPlugin`, which knows no share ids.
    V1beta1,
}

impl DraService {
    /// The name in `supported_versions`.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => services::DRA_V1,
            Self::V1beta1 => services::DRA_V1BETA1,
        }
    }

    /// The first service of the plugin's list that the kubelet knows: the plugin's order decides.
    pub(crate) fn choose(offered: &[String]) -> Option<Self> {
        offered.iter().find_map(|name| match name.as_str() {
            services::DRA_V1 => Some(Self::V1),
            services::DRA_V1BETA1 => Some(Self::V1beta1),
            _ => None,
        })
    }
}

/// One registered instance of a driver.
#[derive(Debug)]
pub struct Plugin {
    driver: String,
    endpoint: PathBuf,
    service: DraService,
    link: Link,
    connected: AtomicBool,
    call_timeout: Duration,
    stop: CancellationToken,
}

impl Plugin {
    pub(super) fn new(
        driver: String,
        endpoint: PathBuf,
        service: DraService,
        link: Link,
        call_timeout: Duration,
        stop: CancellationToken,
    ) -> Self {
        Self {
            driver,
            endpoint,
            service,
            link,
            connected: AtomicBool::new(false),
            call_timeout,
            stop,
        }
    }

    /// The driver's name, as it registered.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// The socket of its DRA service.
    pub fn endpoint(&self) -> &Path {
        &self.endpoint
    }

    /// The version that is spoken.
    pub fn service(&self) -> DraService {
        self.service
    }

    /// Whether the connection is up.
    pub fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Acquire)
    }

    pub(super) fn set_connected(&self, connected: bool) {
        self.connected.store(connected, Ordering::Release);
    }

    /// Closes the connection.
    pub(super) fn close(&self) {
        self.stop.cancel();
    }

    /// `NodePrepareResources` in the version that was agreed on.
    ///
    /// # Errors
    /// The driver's status, `DeadlineExceeded`, or `Unavailable` without a connection.
    pub async fn prepare(
        &self,
        request: NodePrepareResourcesRequest,
    ) -> Result<NodePrepareResourcesResponse, RpcError> {
        self.within_timeout(async {
            let client = self.link.client().await?;
            match self.service {
                DraService::V1 => {
                    let mut client =
                        dra_v1::dra_plugin_client::DraPluginClient::with_origin(client, origin());
                    Ok(client
                        .node_prepare_resources(self.timed(request))
                        .await?
                        .into_inner())
                }
                DraService::V1beta1 => {
                    let mut client = dra_v1beta1::dra_plugin_client::DraPluginClient::with_origin(
                        client,
                        origin(),
                    );
                    let request = dra_v1beta1::NodePrepareResourcesRequest::from(request);
                    let answer = client.node_prepare_resources(self.timed(request)).await?;
                    Ok(answer.into_inner().into())
                }
            }
        })
        .await
    }

    /// `NodeUnprepareResources` in the version that was agreed on.
    ///
    /// # Errors
    /// As [`Plugin::prepare`].
    pub async fn unprepare(
        &self,
        request: NodeUnprepareResourcesRequest,
    ) -> Result<NodeUnprepareResourcesResponse, RpcError> {
        self.within_timeout(async {
            let client = self.link.client().await?;
            match self.service {
                DraService::V1 => {
                    let mut client =
                        dra_v1::dra_plugin_client::DraPluginClient::with_origin(client, origin());
                    Ok(client
                        .node_unprepare_resources(self.timed(request))
                        .await?
                        .into_inner())
                }
                DraService::V1beta1 => {
                    let mut client = dra_v1beta1::dra_plugin_client::DraPluginClient::with_origin(
                        client,
                        origin(),
                    );
                    let request = dra_v1beta1::NodeUnprepareResourcesRequest::from(request);
                    let answer = client.node_unprepare_resources(self.timed(request)).await?;
                    Ok(answer.into_inner().into())
                }
            }
        })
        .await
    }

    /// The driver learns the deadline, as it does from grpc-go.
    fn timed<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        request.set_timeout(self.call_timeout);
        request
    }

    async fn within_timeout<T>(
        &self,
        call: impl Future<Output = Result<T, RpcError>>,
    ) -> Result<T, RpcError> {
        tokio::time::timeout(self.call_timeout, call)
            .await
            .unwrap_or_else(|_| Err(RpcError::deadline()))
    }
}

/// grpc-go sends this authority for targets of the form `unix:<path>`.
fn origin() -> Uri {
    Uri::from_static("http://localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_service_in_the_plugins_order_is_chosen() {
        let choose = |offered: &[&str]| {
            DraService::choose(&offered.iter().map(|s| (*s).into()).collect::<Vec<_>>())
        };
        assert_eq!(
            choose(&["v1.DRAPlugin", "v1beta1.DRAPlugin"]),
            Some(DraService::V1)
        );
        assert_eq!(
            choose(&["v1beta1.DRAPlugin", "v1.DRAPlugin"]),
            Some(DraService::V1beta1)
        );
        assert_eq!(
            choose(&["v2.DRAPlugin", "v1.DRAPlugin"]),
            Some(DraService::V1)
        );
        assert_eq!(choose(&["1.0.0"]), None);
        assert_eq!(choose(&["v1alpha3.NodeService"]), None);
    }
}
