//! Serves gRPC on one Unix socket until the driver stops.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::Server;

use crate::error::ServeError;

/// How long calls may go on after the driver was asked to stop. The kubelet's
/// own limit is 45 s; a pod's default grace period is 30 s.
const DRAIN_LIMIT: Duration = Duration::from_secs(10);

/// Serves until `shutdown`, then lets calls end. Fails when the socket does not
/// accept any more: tonic itself would only skip such errors.
pub(crate) async fn serve(
    routes: Routes,
    listener: UnixListener,
    path: &Path,
    shutdown: &CancellationToken,
) -> Result<(), ServeError> {
    let stop = shutdown.child_token();
    let failure = Arc::new(OnceLock::new());
    let incoming = Accepting {
        listener,
        failure: failure.clone(),
        stop: stop.clone(),
    };
    let server = Server::builder()
        .add_routes(routes)
        .serve_with_incoming_shutdown(incoming, stop.clone().cancelled_owned());
    let mut server = std::pin::pin!(server);
    let outcome = tokio::select! {
        ended = &mut server => ended,
        () = stop.cancelled() => tokio::time::timeout(DRAIN_LIMIT, server).await.unwrap_or(Ok(())),
    };
    if let Some(source) = Arc::into_inner(failure).and_then(OnceLock::into_inner) {
        return Err(ServeError::Accept {
            path: path.to_owned(),
            source,
        });
    }
    outcome.map_err(|error| ServeError::Server {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

/// Connections; ends at the first error that is not about one connection.
struct Accepting {
    listener: UnixListener,
    failure: Arc<OnceLock<io::Error>>,
    stop: CancellationToken,
}

impl Stream for Accepting {
    type Item = io::Result<UnixStream>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.listener.poll_accept(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok((stream, _))) => return Poll::Ready(Some(Ok(stream))),
                Poll::Ready(Err(error)) if is_about_one_connection(&error) => {}
                Poll::Ready(Err(error)) => {
                    // Only the first error is kept; there is no second.
                    let _ = self.failure.set(error);
                    self.stop.cancel();
                    return Poll::Ready(None);
                }
            }
        }
    }
}

fn is_about_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted
    )
}
