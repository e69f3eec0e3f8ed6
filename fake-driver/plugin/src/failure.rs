//! What Prepare and Unprepare need from outside, and how they fail.

use drakit_api::k8s::api::resource::v1::ResourceClaim;
use futures::future::BoxFuture;

use crate::decision::Rejected;

/// Reads claims from the API server.
pub trait ClaimSource: Send + Sync + 'static {
    /// Reads one claim. Should bridge a short absence of the API server, and
    /// must end well within the kubelet's 45 s.
    fn read<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ResourceClaim, ClaimSourceError>>;
}

/// Why a claim could not be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClaimSourceError {
    /// The API server says that there is no such claim.
    #[error("{0}")]
    NotFound(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

/// A claim as the kubelet names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimRef {
    /// `metadata.uid`; the identity.
    pub uid: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

/// Why a claim is not prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareFailure {
    /// A UID names files; this one cannot.
    #[error("claim {namespace}/{name}: {uid:?} is no UID")]
    BadUid {
        /// The claim's namespace.
        namespace: String,
        /// The claim's name.
        name: String,
        /// As given.
        uid: String,
    },
    /// It could not be read.
    #[error(transparent)]
    Read(ClaimSourceError),
    /// What was read does not allow it.
    #[error(transparent)]
    Rejected(Rejected),
    /// An Unprepare came before it was done.
    #[error("claim {namespace}/{name}: unprepared while it was being prepared")]
    Superseded {
        /// The claim's namespace.
        namespace: String,
        /// The claim's name.
        name: String,
    },
    /// Its CDI file or record could not be written.
    #[error("claim {namespace}/{name}: write {what}: {reason}")]
    Write {
        /// The claim's namespace.
        namespace: String,
        /// The claim's name.
        name: String,
        /// `CDI file` or `checkpoint`.
        what: &'static str,
        /// The system's words.
        reason: String,
    },
    /// The driver stops.
    #[error("the driver is stopping")]
    Stopping,
}

/// Why a claim is not unprepared; it stays booked.
#[derive(Debug, thiserror::Error)]
pub enum UnprepareFailure {
    /// Its CDI file or record could not be removed.
    #[error("claim {namespace}/{name}: remove {what}: {reason}")]
    Remove {
        /// The claim's namespace.
        namespace: String,
        /// The claim's name.
        name: String,
        /// `CDI file` or `checkpoint`.
        what: &'static str,
        /// The system's words.
        reason: String,
    },
    /// The driver stops.
    #[error("the driver is stopping")]
    Stopping,
}
