//! Reading claims: joins the publisher's client to the plugin's need.

use drakit_api::k8s::api::resource::v1::ResourceClaim;
use drakit_driver_plugin::{ClaimSource, ClaimSourceError};
use drakit_driver_publisher::{ClaimReadError, ClaimReader};
use futures::FutureExt;
use futures::future::BoxFuture;

/// Claims from the API server.
pub(crate) struct ApiClaims(pub(crate) ClaimReader);

impl ClaimSource for ApiClaims {
    fn read<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ResourceClaim, ClaimSourceError>> {
        let read = async move {
            self.0
                .read(namespace, name)
                .await
                .map_err(|error| match error {
                    ClaimReadError::NotFound { .. } => {
                        ClaimSourceError::NotFound(error.to_string())
                    }
                    ClaimReadError::Api { .. } => ClaimSourceError::Failed(error.to_string()),
                })
        };
        read.boxed()
    }
}
