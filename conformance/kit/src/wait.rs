//! Polling with a named deadline and the last thing seen.

use std::future::Future;
use std::time::{Duration, Instant};

/// Pause between two looks. Short against what is waited for, long against one request.
const PAUSE: Duration = Duration::from_millis(10);

/// A wait ended without what it waited for.
#[derive(Debug, thiserror::Error)]
#[error("waited {seconds:.1} s for {what}; last seen: {last}")]
pub struct Timeout {
    /// What was expected.
    pub what: String,
    /// For how long.
    pub seconds: f64,
    /// The state at the last look.
    pub last: String,
}

/// One look at the world.
pub enum Look<T> {
    /// It is there.
    Seen(T),
    /// Not yet; what is there instead.
    NotYet(String),
}

/// Looks until it sees, or until `limit` is over.
///
/// # Errors
/// [`Timeout`] with the last look.
pub async fn until<T, F: Future<Output = Look<T>>>(
    what: &str,
    limit: Duration,
    mut look: impl FnMut() -> F,
) -> Result<T, Timeout> {
    let start = Instant::now();
    loop {
        match look().await {
            Look::Seen(value) => return Ok(value),
            Look::NotYet(last) if start.elapsed() >= limit => {
                return Err(Timeout {
                    what: what.to_owned(),
                    seconds: limit.as_secs_f64(),
                    last,
                });
            }
            Look::NotYet(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_wait_ends_with_what_it_saw() {
        let mut looks = 0;
        let seen = until("three", Duration::from_secs(5), || {
            looks += 1;
            let now = looks;
            async move {
                if now == 3 {
                    Look::Seen(now)
                } else {
                    Look::NotYet(now.to_string())
                }
            }
        });
        assert_eq!(seen.await.unwrap(), 3);
    }

    #[tokio::test]
    async fn a_vain_wait_tells_what_was_there() {
        let error = until("a pod", Duration::from_millis(30), || async {
            Look::<()>::NotYet("Pending".into())
        })
        .await;
        assert_eq!(
            error.unwrap_err().to_string(),
            "waited 0.0 s for a pod; last seen: Pending"
        );
    }
}
