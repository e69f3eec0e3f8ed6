//! The seam to the pure decisions of `drakit_driver_model`.

use std::sync::{Arc, Mutex, PoisonError};

use drakit_api::k8s::api::resource::v1::ResourceClaim;
use drakit_api::names::{DriverName, NodeName};
use drakit_driver_model::cdi;
use drakit_driver_model::plan::PoolPlan;
use drakit_driver_model::prepare::{ClaimView, Held, PrepareError, PreparedClaim, decide};

use crate::failure::ClaimRef;

/// Who a plugin is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `spec.driver` of its slices.
    pub driver: DriverName,
    /// The node that it runs on.
    pub node: NodeName,
}

impl Identity {
    /// The claim's CDI file, `None` when no device needs one.
    pub(crate) fn cdi_bytes(&self, claim: &PreparedClaim) -> std::io::Result<Option<Vec<u8>>> {
        let spec = cdi::spec(&self.driver, &self.node, claim);
        Ok(spec.map(|spec| spec.to_bytes()).transpose()?)
    }
}

/// Why a claim that was read is not prepared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// Another claim has the name now (K8s: "got replaced").
    #[error("claim {namespace}/{name} got replaced: its uid is {found:?}, asked for was {asked:?}")]
    Replaced {
        /// The claim's namespace.
        namespace: String,
        /// The claim's name.
        name: String,
        /// UID of the claim that was read.
        found: String,
        /// UID in the kubelet's call.
        asked: String,
    },
    /// The model's decision.
    #[error(transparent)]
    Decided(#[from] PrepareError),
}

/// Decides for one driver on one node.
pub(crate) struct Decision {
    identity: Identity,
    pools: Mutex<Arc<[Arc<PoolPlan>]>>,
}

impl Decision {
    pub(crate) fn new(identity: Identity, pools: Vec<Arc<PoolPlan>>) -> Self {
        Self {
            identity,
            pools: Mutex::new(pools.into()),
        }
    }

    pub(crate) fn set_pools(&self, pools: Vec<Arc<PoolPlan>>) {
        *self.pools.lock().unwrap_or_else(PoisonError::into_inner) = pools.into();
    }

    /// What the claim gets, given what other claims hold.
    pub(crate) fn decide(
        &self,
        asked: &ClaimRef,
        claim: &ResourceClaim,
        held: &Held,
    ) -> Result<PreparedClaim, Rejected> {
        let view = ClaimView::from_claim(claim);
        if view.uid != asked.uid {
            return Err(Rejected::Replaced {
                namespace: asked.namespace.clone(),
                name: asked.name.clone(),
                found: view.uid.to_owned(),
                asked: asked.uid.clone(),
            });
        }
        let pools = self
            .pools
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Ok(decide(&view, &self.identity.driver, &pools, held)?)
    }
}
