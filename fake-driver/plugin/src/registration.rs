//! Answers the kubelet's registration calls.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use drakit_proto::plugin_registration_v1::registration_server::Registration;
use drakit_proto::plugin_registration_v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use drakit_proto::services;
use tonic::{Request, Response, Status};

use crate::status::Counters;

/// Serves one driver's registration socket. The kubelet calls as often as it
/// likes (its restart, its retries): nothing here changes the driver's state.
pub(crate) struct RegistrationService {
    pub(crate) driver: String,
    pub(crate) node: String,
    /// Path of the DRA socket, as the kubelet sees it.
    pub(crate) endpoint: String,
    pub(crate) counters: Arc<Counters>,
}

impl RegistrationService {
    fn info(&self) -> PluginInfo {
        PluginInfo {
            r#type: services::DRA_PLUGIN_TYPE.to_owned(),
            name: self.driver.clone(),
            endpoint: self.endpoint.clone(),
            // The kubelet takes the first that it knows, and v1beta1 has no
            // share_id: newest first. Health is not served, so not listed.
            supported_versions: vec![
                services::DRA_V1.to_owned(),
                services::DRA_V1BETA1.to_owned(),
            ],
        }
    }
}

#[tonic::async_trait]
impl Registration for RegistrationService {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        self.counters.contacted.store(true, Ordering::Relaxed);
        Ok(Response::new(self.info()))
    }

    async fn notify_registration_status(
        &self,
        request: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        let status = request.into_inner();
        self.counters
            .registered
            .send_replace(status.plugin_registered);
        if status.plugin_registered {
            tracing::info!(driver = %self.driver, node = %self.node, "registered with the kubelet");
        } else {
            tracing::warn!(
                driver = %self.driver, node = %self.node, reason = %status.error,
                "the kubelet refused the registration; it tries again by itself"
            );
        }
        Ok(Response::new(RegistrationStatusResponse {}))
    }
}
