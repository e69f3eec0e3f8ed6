//! What the store refuses, in the words of the API server.

use crate::resource::Resource;

/// Why a read or a write was refused.
///
/// The texts are those of `k8s.io/apimachinery/pkg/api/errors` and of the registry store, since
/// they reach users through kubectl unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No object of that name (404).
    #[error("{resource} \"{name}\" not found")]
    NotFound {
        /// `pods`, `resourceclaims.resource.k8s.io`.
        resource: String,
        /// Object name.
        name: String,
    },
    /// Create of a name that exists (409, reason AlreadyExists).
    #[error("{resource} \"{name}\" already exists")]
    AlreadyExists {
        /// `pods`, `resourceclaims.resource.k8s.io`.
        resource: String,
        /// Object name.
        name: String,
    },
    /// Stale resourceVersion or unmet precondition (409, reason Conflict).
    #[error("Operation cannot be fulfilled on {resource} \"{name}\": {message}")]
    Conflict {
        /// `pods`, `resourceclaims.resource.k8s.io`.
        resource: String,
        /// Object name.
        name: String,
        /// What differs.
        message: String,
    },
    /// The object breaks a rule (422).
    #[error("{kind} \"{name}\" is invalid: {message}")]
    Invalid {
        /// `Pod`, `ResourceClaim.resource.k8s.io`.
        kind: String,
        /// Object name.
        name: String,
        /// Field errors, joined as Kubernetes joins them.
        message: String,
    },
    /// Something forbids the change (403), for example a namespace that is being deleted.
    #[error("{resource} \"{name}\" is forbidden: {message}")]
    Forbidden {
        /// `pods`, `resourceclaims.resource.k8s.io`.
        resource: String,
        /// Object name.
        name: String,
        /// Why.
        message: String,
    },
    /// A watch or continue token from before the oldest change that is kept (410).
    #[error("too old resource version: {requested} ({oldest})")]
    Expired {
        /// The version that was asked for.
        requested: u64,
        /// The oldest version that can be resumed from.
        oldest: u64,
    },
    /// The request itself is wrong (400).
    #[error("{0}")]
    BadRequest(String),
}

impl StoreError {
    pub(crate) fn not_found(resource: &Resource, name: &str) -> Self {
        Self::NotFound {
            resource: resource.qualified(),
            name: name.to_owned(),
        }
    }

    pub(crate) fn conflict(resource: &Resource, name: &str, message: impl Into<String>) -> Self {
        Self::Conflict {
            resource: resource.qualified(),
            name: name.to_owned(),
            message: message.into(),
        }
    }

    /// True for [`StoreError::NotFound`].
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// True for [`StoreError::Conflict`].
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict { .. })
    }

    /// True for [`StoreError::AlreadyExists`].
    pub fn is_already_exists(&self) -> bool {
        matches!(self, Self::AlreadyExists { .. })
    }
}
