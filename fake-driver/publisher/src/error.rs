//! What can go wrong at the API server, in words that name verb and object.

use std::error::Error as _;

use crate::pool::PoolKey;

/// Why a pool could not be published; the publisher tries again by itself.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// A write or read was refused or not answered.
    #[error("{verb} {what}: {}", describe(source))]
    Api {
        /// What was tried: `create`, `update`, `delete`, `get`, `list`.
        verb: &'static str,
        /// On which object.
        what: String,
        /// The API server's answer. Boxed: errors travel through every sync.
        source: Box<kube::Error>,
    },
    /// The API server did not answer in time.
    #[error("{verb} {what}: no answer within {seconds} s")]
    Timeout {
        /// What was tried.
        verb: &'static str,
        /// On which object.
        what: String,
        /// The limit.
        seconds: u64,
    },
    /// There is no such Node yet, and slices without their owner would outlive it.
    #[error("publish {key}: the Node object does not exist (yet)")]
    NoNode {
        /// The pool that waits for it.
        key: PoolKey,
    },
    /// A write was answered with an object without name, uid or version.
    #[error("{verb} {what}: the answer is no stored object")]
    Answer {
        /// What was tried.
        verb: &'static str,
        /// On which object.
        what: String,
    },
}

impl PublishError {
    /// Whether the API server as a whole is away or overloaded, so that other
    /// pools would fail too.
    pub(crate) fn is_outage(&self) -> bool {
        match self {
            Self::Api { source, .. } => is_outage(source),
            Self::Timeout { .. } => true,
            Self::NoNode { .. } | Self::Answer { .. } => false,
        }
    }

    /// Whether somebody else wrote or deleted in between: look again at once.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Api { source, .. }
            if matches!(&**source, kube::Error::Api(status) if matches!(status.code, 404 | 409)))
    }
}

/// Transport errors, 429 and 5xx.
pub(crate) fn is_outage(error: &kube::Error) -> bool {
    match error {
        kube::Error::Api(status) => status.code == 429 || status.code >= 500,
        _ => true,
    }
}

/// The server's own words, or the chain of causes.
pub(crate) fn describe(error: &kube::Error) -> String {
    if let kube::Error::Api(status) = error {
        if status.message.is_empty() {
            return format!("HTTP {} {}", status.code, status.reason);
        }
        return status.message.clone();
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let inner = source.to_string();
        if !text.ends_with(&inner) {
            text = format!("{text}: {inner}");
        }
        cause = source.source();
    }
    text
}
