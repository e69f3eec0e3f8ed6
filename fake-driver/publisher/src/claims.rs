//! Reads claims for Prepare.

use std::sync::Arc;
use std::time::Duration;

use drakit_api::k8s::api::resource::v1::ResourceClaim;
use kube::api::Api;
use tokio::sync::Semaphore;

use crate::backoff::Backoff;
use crate::error::{describe, is_outage};

/// How long one read may take.
const READ_LIMIT: Duration = Duration::from_secs(5);
/// How long a read is repeated while the API server is away: the kubelet waits
/// 45 s for Prepare and comes back only 90 s after a failure.
const OUTAGE_LIMIT: Duration = Duration::from_secs(25);
/// Reads at the same time. kube's client speaks HTTP/1.1, so each is a
/// connection with its own TLS handshake; a thousand would help nobody.
const READS_AT_ONCE: usize = 32;
/// First and longest wait between two reads.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// Why a claim could not be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClaimReadError {
    /// There is no such claim.
    #[error("retrieve claim {namespace}/{name}: not found")]
    NotFound {
        /// The claim's namespace.
        namespace: String,
        /// The claim's name.
        name: String,
    },
    /// The API server refused, or stayed away for too long.
    #[error("retrieve claim {namespace}/{name}: {reason}")]
    Api {
        /// The claim's namespace.
        namespace: String,
        /// The claim's name.
        name: String,
        /// The server's words or the transport's.
        reason: String,
    },
}

/// Reads ResourceClaims from the API server, past its caches.
#[derive(Clone)]
pub struct ClaimReader {
    client: kube::Client,
    patience: Duration,
    reads: Arc<Semaphore>,
}

impl ClaimReader {
    /// Reads with this client.
    pub fn new(client: kube::Client) -> Self {
        Self {
            client,
            patience: OUTAGE_LIMIT,
            reads: Arc::new(Semaphore::new(READS_AT_ONCE)),
        }
    }

    /// Bridges an absence of the API server for so long instead of 25 s.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Reads one claim; repeats while the API server is away.
    pub async fn read(&self, namespace: &str, name: &str) -> Result<ResourceClaim, ClaimReadError> {
        let api: Api<ResourceClaim> = Api::namespaced(self.client.clone(), namespace);
        let give_up = tokio::time::Instant::now() + self.patience;
        let mut backoff = Backoff::new(RETRY.0, RETRY.1);
        let failed = |reason| ClaimReadError::Api {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            reason,
        };
        loop {
            // Never closed: without a permit the read is only not limited.
            let permit = self.reads.acquire().await;
            let read = tokio::time::timeout(READ_LIMIT, api.get_opt(name)).await;
            drop(permit);
            let reason = match read {
                Ok(Ok(Some(claim))) => return Ok(claim),
                Ok(Ok(None)) => {
                    return Err(ClaimReadError::NotFound {
                        namespace: namespace.to_owned(),
                        name: name.to_owned(),
                    });
                }
                Ok(Err(error)) if !is_outage(&error) => return Err(failed(describe(&error))),
                Ok(Err(error)) => describe(&error),
                Err(_) => format!("no answer within {} s", READ_LIMIT.as_secs()),
            };
            let delay = backoff.next().unwrap_or(RETRY.1);
            if tokio::time::Instant::now() + delay >= give_up {
                return Err(failed(reason));
            }
            tokio::time::sleep(delay).await;
        }
    }
}
