//! SIGINT and SIGTERM become one cancellation; a second one ends the process at once.

use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Exit code of a process that a second signal ended.
const FORCED: i32 = 130;
/// `timeout` and terminals signal a process and its group in one go: what comes this soon after the
/// first signal is the same wish, not a second one.
const SAME_WISH: Duration = Duration::from_secs(1);

/// Cancels `token` at the first signal. The task ends with the runtime.
pub(crate) fn cancel_on_signal(token: CancellationToken) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("listen for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("listen for SIGTERM")?;
    tokio::spawn(async move {
        let mut first: Option<Instant> = None;
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            match first {
                None => {
                    first = Some(Instant::now());
                    token.cancel();
                }
                Some(at) if at.elapsed() < SAME_WISH => {}
                Some(_) => std::process::exit(FORCED),
            }
        }
    });
    Ok(())
}
