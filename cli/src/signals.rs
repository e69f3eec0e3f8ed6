//! SIGINT and SIGTERM become one cancellation; a second one ends the process at once.

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Exit code of a process that a second signal ended.
const FORCED: i32 = 130;

/// Cancels `token` at the first signal. The task ends with the runtime.
pub(crate) fn cancel_on_signal(token: CancellationToken) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("listen for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("listen for SIGTERM")?;
    tokio::spawn(async move {
        for forced in [false, true] {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if forced {
                std::process::exit(FORCED);
            }
            token.cancel();
        }
    });
    Ok(())
}
