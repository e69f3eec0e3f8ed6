//! What an apply request is refused for, in the words of Kubernetes
//! (apimachinery `pkg/util/managedfields/internal/conflict.go`).

use std::collections::BTreeMap;

/// A field that another manager owns with another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The owner, as texts name it: `"kubectl" using v1`.
    pub manager: String,
    /// The field: `.spec.replicas`.
    pub field: String,
}

impl Conflict {
    /// The text of this conflict's cause in the Status; its type is `FieldManagerConflict`.
    pub fn message(&self) -> String {
        format!("conflict with {}", self.manager)
    }
}

/// Why an apply request was refused; the text is the message of the Status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// 409: fields that others own.
    #[error("{}", conflict_message(.0))]
    Conflicts(Vec<Conflict>),
    /// 400: the request cannot be meant so.
    #[error("{0}")]
    BadRequest(String),
    /// 500: the configuration does not fit its type; Kubernetes answers that with an internal error.
    #[error("{0}")]
    Untyped(String),
}

impl ApplyError {
    /// The HTTP status code.
    pub fn code(&self) -> u16 {
        match self {
            ApplyError::Conflicts(_) => 409,
            ApplyError::BadRequest(_) => 400,
            ApplyError::Untyped(_) => 500,
        }
    }

    /// The reason of the Status; empty for a refusal that Kubernetes gives none.
    pub fn reason(&self) -> &'static str {
        match self {
            ApplyError::Conflicts(_) => "Conflict",
            ApplyError::BadRequest(_) => "BadRequest",
            ApplyError::Untyped(_) => "",
        }
    }
}

fn conflict_message(conflicts: &[Conflict]) -> String {
    if let [only] = conflicts {
        return format!(
            "Apply failed with 1 conflict: conflict with {}: {}",
            only.manager, only.field
        );
    }
    let mut by_manager: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for conflict in conflicts {
        by_manager
            .entry(&conflict.manager)
            .or_default()
            .push(&conflict.field);
    }
    let parts: Vec<String> = by_manager
        .iter()
        .map(|(manager, fields)| format!("conflicts with {manager}:\n- {}", fields.join("\n- ")))
        .collect();
    format!(
        "Apply failed with {} conflicts: {}",
        conflicts.len(),
        parts.join("\n")
    )
}
