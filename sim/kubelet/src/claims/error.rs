//! Why claims could not be prepared or unprepared, in the kubelet's words (`cm/dra/manager.go`).

use drakit_sim_store::StoreError;

use super::checkpoint::CheckpointError;
use crate::driver::NoPlugin;
use crate::rpc_error::RpcError;

/// Why a pod's claims are not prepared. Users read it after
/// `Failed to prepare dynamic resources: prepare dynamic resources: `.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The claim controller has not made the claim of a template yet.
    #[error("pod \"{pod}\": ResourceClaim not created yet")]
    NotCreated {
        /// `namespace/name`.
        pod: String,
    },
    /// A pod claim names neither a claim nor a template.
    #[error("pod \"{pod}\", spec.resourceClaim {claim:?}: none of the supported fields are set")]
    Unsupported {
        /// `namespace/name`.
        pod: String,
        /// Name of the pod claim.
        claim: String,
    },
    /// There is no such claim.
    #[error("fetch ResourceClaim {claim}: {source}")]
    Fetch {
        /// Claim name.
        claim: String,
        /// What the API server says.
        source: StoreError,
    },
    /// The claim cannot be read.
    #[error("fetch ResourceClaim {claim}: {source}")]
    Decode {
        /// Claim name.
        claim: String,
        /// Which field.
        source: serde_json::Error,
    },
    /// The claim of a template belongs to somebody else.
    #[error("ResourceClaim {claim} was not created for Pod {pod} (Pod is not owner)")]
    NotOwner {
        /// `namespace/name`.
        claim: String,
        /// `namespace/name`.
        pod: String,
    },
    /// The claim is not reserved for the pod.
    #[error("pod {pod} ({pod_uid}) is not allowed to use ResourceClaim {claim} ({claim_uid})")]
    NotReserved {
        /// Pod name.
        pod: String,
        /// Pod UID.
        pod_uid: String,
        /// Claim name.
        claim: String,
        /// Claim UID.
        claim_uid: String,
    },
    /// The claim has no devices yet.
    #[error("ResourceClaim {0}: not allocated")]
    NotAllocated(String),
    /// The driver is not on the node.
    #[error(transparent)]
    NoPlugin(#[from] NoPlugin),
    /// A force-deleted pod's claim of that name is still on the node.
    #[error(
        "old ResourceClaim with same name {claim} and different UID {uid} still exists (previous pod force-deleted?!)"
    )]
    OldClaim {
        /// Claim name.
        claim: String,
        /// UID of the old one.
        uid: String,
    },
    /// The last pod of the claim has just gone.
    #[error("ResourceClaim {0} is being unprepared")]
    Unpreparing(String),
    /// The checkpoint was not written.
    #[error("checkpoint ResourceClaim cache: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// The call failed as a whole.
    #[error("NodePrepareResources: {0}")]
    Call(RpcError),
    /// An entry for something that was not asked for.
    #[error("NodePrepareResources returned result for unknown claim UID {0}")]
    UnknownUid(String),
    /// The driver could not prepare one claim.
    #[error("NodePrepareResources failed for ResourceClaim {claim}: {error}")]
    Failed {
        /// Claim name.
        claim: String,
        /// The driver's text.
        error: String,
    },
    /// Entries are missing.
    #[error("NodePrepareResources skipped {0} ResourceClaims")]
    Skipped(usize),
    /// The claim was forgotten meanwhile.
    #[error("internal error: unable to get claim info for ResourceClaim {0}")]
    Lost(String),
}

/// Why a pod's claims are not unprepared. Only in logs: the kubelet writes no event.
#[derive(Debug, thiserror::Error)]
pub enum UnprepareError {
    /// The driver is not on the node.
    #[error(transparent)]
    NoPlugin(#[from] NoPlugin),
    /// The call failed as a whole.
    #[error("NodeUnprepareResources: {0}")]
    Call(RpcError),
    /// An entry for something that was not asked for.
    #[error("NodeUnprepareResources returned result for unknown claim UID {0}")]
    UnknownUid(String),
    /// The driver could not unprepare one claim.
    #[error("NodeUnprepareResources failed for ResourceClaim {claim}: {error}")]
    Failed {
        /// Claim name.
        claim: String,
        /// The driver's text.
        error: String,
    },
    /// Entries are missing.
    #[error("NodeUnprepareResources skipped {0} ResourceClaims")]
    Skipped(usize),
    /// The checkpoint was not written.
    #[error("checkpoint ResourceClaim state: {0}")]
    Checkpoint(#[from] CheckpointError),
}
