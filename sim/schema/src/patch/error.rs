//! What a patch request is refused for (apiserver `pkg/endpoints/handlers/patch.go`).

/// Why a patch was not applied; the text is the message of the Status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The body is not a patch.
    #[error("error decoding patch: {0}")]
    Decoding(String),
    /// The body is a patch that cannot be meant so.
    #[error("{0}")]
    Malformed(String),
    /// Too many operations in one JSON patch.
    #[error("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {0}")]
    TooLarge(usize),
    /// The patch does not apply to this object. Kubernetes keeps the cause to `details.causes`.
    #[error("the server rejected our request due to an error in our request")]
    Rejected {
        /// What did not apply.
        cause: String,
    },
    /// A merge that Kubernetes answers with an internal error.
    #[error("{0}")]
    Unmergeable(String),
}

/// `maxJSONPatchOperations`
pub(super) const MAX_OPERATIONS: usize = 10_000;

impl PatchError {
    /// The HTTP status code.
    pub fn code(&self) -> u16 {
        match self {
            PatchError::Decoding(_) | PatchError::Malformed(_) => 400,
            PatchError::TooLarge(_) => 413,
            PatchError::Rejected { .. } => 422,
            PatchError::Unmergeable(_) => 500,
        }
    }

    /// The reason of the Status.
    pub fn reason(&self) -> &'static str {
        match self {
            PatchError::Decoding(_) | PatchError::Malformed(_) => "BadRequest",
            PatchError::TooLarge(_) => "RequestEntityTooLarge",
            PatchError::Rejected { .. } => "Invalid",
            PatchError::Unmergeable(_) => "InternalError",
        }
    }

    pub(super) fn no_merge_key(item: &serde_json::Value, key: &str) -> Self {
        let item = crate::go_print::value(item);
        PatchError::Unmergeable(format!(
            "map: {item} does not contain declared merge key: {key}"
        ))
    }
}
