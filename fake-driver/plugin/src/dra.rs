//! The DRA service in both versions. v1beta1 is v1 with other type names.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_driver_model::prepare::PreparedDevice;
use drakit_proto::{dra_v1 as v1, dra_v1beta1 as v1beta1};
use futures::future::join_all;
use tonic::{Request, Response, Status};

use crate::claims::Claims;
use crate::failure::ClaimRef;
use crate::status::{Counters, count};

/// Serves the DRA socket of one driver on one node.
///
/// Every call answers OK with one entry for each claim; what fails is said in
/// the claim's entry, so that the kubelet can name it and the others go on
/// (`prepareResources` in K/pkg/kubelet/cm/dra/manager.go).
#[derive(Clone)]
pub(crate) struct DraService {
    pub(crate) claims: Arc<Claims>,
    pub(crate) counters: Arc<Counters>,
}

impl DraService {
    async fn prepare(&self, claims: Vec<v1::Claim>) -> v1::NodePrepareResourcesResponse {
        let answers = unique(claims).into_iter().map(|claim| async move {
            let result = self.claims.prepare(&claim).await;
            let counters = &self.counters;
            count(
                &counters.prepares,
                &counters.prepare_failures,
                result.is_err(),
            );
            let mut answer = v1::NodePrepareResourceResponse::default();
            match result {
                Ok(prepared) => {
                    tracing::info!(
                        namespace = %claim.namespace, name = %claim.name, uid = %claim.uid,
                        devices = prepared.devices.len(), "claim prepared"
                    );
                    answer.devices = prepared.devices.iter().map(wire_device).collect();
                }
                Err(error) => {
                    tracing::warn!(
                        namespace = %claim.namespace, name = %claim.name, uid = %claim.uid,
                        %error, "claim not prepared"
                    );
                    answer.error = error.to_string();
                }
            }
            (claim.uid, answer)
        });
        v1::NodePrepareResourcesResponse {
            claims: join_all(answers).await.into_iter().collect(),
        }
    }

    async fn unprepare(&self, claims: Vec<v1::Claim>) -> v1::NodeUnprepareResourcesResponse {
        let answers = unique(claims).into_iter().map(|claim| async move {
            let result = self.claims.unprepare(&claim).await;
            let counters = &self.counters;
            count(
                &counters.unprepares,
                &counters.unprepare_failures,
                result.is_err(),
            );
            let mut answer = v1::NodeUnprepareResourceResponse::default();
            match result {
                Ok(()) => tracing::info!(
                    namespace = %claim.namespace, name = %claim.name, uid = %claim.uid,
                    "claim unprepared"
                ),
                Err(error) => {
                    tracing::warn!(
                        namespace = %claim.namespace, name = %claim.name, uid = %claim.uid,
                        %error, "claim not unprepared"
                    );
                    answer.error = error.to_string();
                }
            }
            (claim.uid, answer)
        });
        v1::NodeUnprepareResourcesResponse {
            claims: join_all(answers).await.into_iter().collect(),
        }
    }
}

/// A pod may name one claim twice, and the kubelet then sends it twice (PREP-19).
fn unique(claims: Vec<v1::Claim>) -> Vec<ClaimRef> {
    let mut by_uid = BTreeMap::new();
    for claim in claims {
        let v1::Claim {
            namespace,
            uid,
            name,
        } = claim;
        by_uid.entry(uid.clone()).or_insert(ClaimRef {
            uid,
            namespace,
            name,
        });
    }
    by_uid.into_values().collect()
}

fn wire_device(device: &PreparedDevice) -> v1::Device {
    v1::Device {
        request_names: device.request_names.clone(),
        pool_name: device.pool.clone(),
        device_name: device.device.clone(),
        cdi_device_ids: device.cdi_device_ids.clone(),
        share_id: device.share_id.clone(),
    }
}

#[tonic::async_trait]
impl v1::dra_plugin_server::DraPlugin for DraService {
    async fn node_prepare_resources(
        &self,
        request: Request<v1::NodePrepareResourcesRequest>,
    ) -> Result<Response<v1::NodePrepareResourcesResponse>, Status> {
        Ok(Response::new(
            self.prepare(request.into_inner().claims).await,
        ))
    }

    async fn node_unprepare_resources(
        &self,
        request: Request<v1::NodeUnprepareResourcesRequest>,
    ) -> Result<Response<v1::NodeUnprepareResourcesResponse>, Status> {
        Ok(Response::new(
            self.unprepare(request.into_inner().claims).await,
        ))
    }
}

#[tonic::async_trait]
impl v1beta1::dra_plugin_server::DraPlugin for DraService {
    async fn node_prepare_resources(
        &self,
        request: Request<v1beta1::NodePrepareResourcesRequest>,
    ) -> Result<Response<v1beta1::NodePrepareResourcesResponse>, Status> {
        let request: v1::NodePrepareResourcesRequest = request.into_inner().into();
        Ok(Response::new(self.prepare(request.claims).await.into()))
    }

    async fn node_unprepare_resources(
        &self,
        request: Request<v1beta1::NodeUnprepareResourcesRequest>,
    ) -> Result<Response<v1beta1::NodeUnprepareResourcesResponse>, Status> {
        let request: v1::NodeUnprepareResourcesRequest = request.into_inner().into();
        Ok(Response::new(self.unprepare(request.claims).await.into()))
    }
}
