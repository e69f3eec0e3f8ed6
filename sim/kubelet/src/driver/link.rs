//! One long-lived connection to the service socket of a driver.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::Code;
use tonic::body::Body;

use crate::rpc_error::RpcError;
use crate::timing::{Backoff, Timing};

/// Flow-control windows of grpc-go. Small buffers matter: there is one connection per driver and node.
const WINDOW: u32 = 65_535;

/// A connection that ends sooner was never good (grpc-go waits for the server's greeting instead).
const SHORT_LIVED: Duration = Duration::from_millis(50);

/// State of the connection, as grpc-go's client connection has it.
#[derive(Debug, Clone)]
enum State {
    /// The first attempt, or the one after a loss.
    Connecting,
    Ready(SendRequest<Body>),
    /// Waiting to try again; calls fail at once.
    Failed(RpcError),
}

/// Keeps one connection to a driver, and connects again when it is lost.
#[derive(Debug)]
pub(super) struct Link {
    state: watch::Receiver<State>,
}

impl Link {
    /// A link and the future that keeps it up until `stop`. `connected` hears of each change.
    pub(super) fn new(
        endpoint: PathBuf,
        timing: &Timing,
        stop: CancellationToken,
        connected: impl Fn(bool) + Send + Sync + 'static,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (sender, state) = watch::channel(State::Connecting);
        let backoff = Backoff::new(timing.reconnect_first, timing.reconnect_max);
        let keep = async move {
            let run = keep_connected(&endpoint, backoff, &sender, &connected);
            let _ = stop.run_until_cancelled(run).await;
            connected(false);
        };
        (Self { state }, keep)
    }

    /// A client for one call. Waits while the connection is being made, but not while it is down.
    pub(super) async fn client(&self) -> Result<LinkClient, RpcError> {
        let mut state = self.state.clone();
        let settled = state
            .wait_for(|state| !matches!(state, State::Connecting))
            .await
            .map_err(|_| {
                RpcError::new(Code::Cancelled, "grpc: the client connection is closing")
            })?;
        match &*settled {
            State::Ready(send) => Ok(LinkClient(send.clone())),
            State::Failed(error) => Err(error.clone()),
            State::Connecting => Err(RpcError::closed()),
        }
    }
}

async fn keep_connected(
    endpoint: &Path,
    mut backoff: Backoff,
    state: &watch::Sender<State>,
    connected: &impl Fn(bool),
) {
    loop {
        match connect(endpoint).await {
            Ok((send, connection)) => {
                let since = Instant::now();
                state.send_replace(State::Ready(send));
                connected(true);
                if let Err(error) = connection.await {
                    tracing::debug!(endpoint = %endpoint.display(), %error, "connection to driver lost");
                }
                connected(false);
                if since.elapsed() < SHORT_LIVED {
                    // Who accepts only to hang up must not keep the kubelet busy.
                    state.send_replace(State::Failed(RpcError::closed()));
                    tokio::time::sleep(backoff.wait()).await;
                } else {
                    backoff.reset();
                }
                state.send_replace(State::Connecting);
            }
            Err(error) => {
                tracing::debug!(endpoint = %endpoint.display(), %error, "cannot connect to driver");
                state.send_replace(State::Failed(error));
                tokio::time::sleep(backoff.wait()).await;
                state.send_replace(State::Connecting);
            }
        }
    }
}

type Connection = http2::Connection<TokioIo<UnixStream>, Body, TokioExecutor>;

async fn connect(endpoint: &Path) -> Result<(SendRequest<Body>, Connection), RpcError> {
    let io = UnixStream::connect(endpoint)
        .await
        .map_err(|e| RpcError::dial(endpoint, &e))?;
    http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .handshake(TokioIo::new(io))
        .await
        .map_err(|e| {
            RpcError::new(
                Code::Unavailable,
                format!("connection error: desc = \"{e}\""),
            )
        })
}

/// What tonic's generated clients call through.
#[derive(Debug, Clone)]
pub(super) struct LinkClient(SendRequest<Body>);

impl tower::Service<http::Request<Body>> for LinkClient {
    type Response = http::Response<Incoming>;
    type Error = tonic::Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(cx).map_err(|error| status_of(&error))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let response = self.0.send_request(request);
        Box::pin(async move { response.await.map_err(|error| status_of(&error)) })
    }
}

/// A call that a dying connection ends is `Unavailable`, as grpc-go reports it. A reset of its stream
/// keeps its own code.
fn status_of(error: &hyper::Error) -> tonic::Status {
    if error.is_closed() || error.is_canceled() || error.is_incomplete_message() {
        return tonic::Status::unavailable(RpcError::closed().message);
    }
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if cause.is::<std::io::Error>() {
            return tonic::Status::unavailable(RpcError::closed().message);
        }
        source = cause.source();
    }
    tonic::Status::unavailable(format!("error reading from server: {error}"))
}
