//! The life of one registration socket.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::handshake::{self, HandshakeError, Registered};
use crate::driver::Plugins;
use crate::timing::{Backoff, Timing};

/// What the folder knows of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signal {
    /// Raised when the file is made anew: the old plugin is deregistered first.
    pub(super) incarnation: u64,
    /// False once the file is gone.
    pub(super) present: bool,
}

pub(super) struct SocketTask {
    pub(super) socket: PathBuf,
    pub(super) plugins: Arc<Plugins>,
    pub(super) timing: Timing,
    pub(super) signal: watch::Receiver<Signal>,
    /// The task of an earlier file at this path, which must be done first.
    pub(super) earlier: Option<JoinHandle<()>>,
    /// Shared by all sockets: how many handshakes run at once.
    pub(super) turns: Arc<Semaphore>,
    pub(super) stop: CancellationToken,
}

impl SocketTask {
    /// Registers, retries, registers again and deregisters until the file is gone.
    pub(super) async fn run(mut self) {
        let stop = self.stop.clone();
        let _ = stop.run_until_cancelled(self.follow()).await;
    }

    /// The calls of many nodes take turns: their short time-outs are about the driver, not about how
    /// long a thousand of them wait for a processor. Dialling does not, since it may wait for nobody.
    async fn register(&self) -> Result<Registered, HandshakeError> {
        let connection = handshake::dial(&self.socket, &self.timing).await?;
        // Never closed; without a turn the calls are made all the same.
        let _turn = self.turns.acquire().await.ok();
        handshake::introduce(connection, &self.socket, &self.plugins, &self.timing).await
    }

    async fn follow(&mut self) {
        if let Some(earlier) = self.earlier.take() {
            // It was cancelled with everything else, or is done.
            let _ = earlier.await;
        }
        let mut backoff = Backoff::new(
            self.timing.register_again_first,
            self.timing.register_again_max,
        );
        loop {
            let seen = *self.signal.borrow_and_update();
            if !seen.present {
                return;
            }
            match self.register().await {
                Ok(plugin) => {
                    tracing::debug!(driver = plugin.driver, socket = %self.socket.display(), "plugin registered");
                    backoff.reset();
                    let changed = self.signal.wait_for(|now| *now != seen).await.is_ok();
                    self.plugins.deregister(&plugin.driver, &plugin.endpoint);
                    if !changed {
                        return;
                    }
                }
                Err(error) => {
                    tracing::info!(%error, "plugin not registered, will try again");
                    // A new file at the path does not shorten the wait: the kubelet keeps it by path.
                    let gone = self.signal.wait_for(|now| !now.present);
                    let _ = tokio::time::timeout(backoff.wait(), gone).await;
                }
            }
        }
    }
}
