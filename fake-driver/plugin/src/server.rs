//! Serves gRPC on one Unix socket until the driver stops.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
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
    let failure = Failure::default();
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
    let refused = failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(source) = refused {
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

/// Why accepting ended; the server, which may outlive its limit, shares it.
type Failure = Arc<Mutex<Option<io::Error>>>;

/// Connections; ends at the first error that is not about one connection.
struct Accepting {
    listener: UnixListener,
    failure: Failure,
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
                    *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
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

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use super::*;

    /// More than the test needs.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// A socket that reports a connection and has none to give: accept(2)
    /// answers EINVAL, because it does not listen.
    fn broken_listener() -> UnixListener {
        let (socket, peer) = std::os::unix::net::UnixStream::pair().unwrap();
        drop(peer);
        let listener = std::os::unix::net::UnixListener::from(OwnedFd::from(socket));
        listener.set_nonblocking(true).unwrap();
        UnixListener::from_std(listener).unwrap()
    }

    #[tokio::test]
    async fn a_socket_that_accepts_no_more_is_an_error() {
        let shutdown = CancellationToken::new();
        let path = Path::new("/n1/dra.sock");
        let served = serve(Routes::default(), broken_listener(), path, &shutdown);
        let served = tokio::time::timeout(PATIENCE, served).await.unwrap();
        let error = served.unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with(r#"accept on socket "/n1/dra.sock": "#),
            "{error}"
        );
        assert!(
            !shutdown.is_cancelled(),
            "what else stops is for the caller to say"
        );
    }

    #[tokio::test]
    async fn serving_ends_well_when_it_is_asked_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dra.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let shutdown = CancellationToken::new();
        shutdown.cancel();
        serve(Routes::default(), listener, &path, &shutdown)
            .await
            .unwrap();
    }
}
