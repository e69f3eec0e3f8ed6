//! Sockets: listening, TLS, HTTP/1.1 and HTTP/2, and an end to all of it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::ApiConfig;
use crate::kubeconfig;
use crate::tls::{self, TlsError};

/// A client that connects and then says nothing is dropped after this.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Open requests may finish this long after the end was asked for; watches end at once.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
/// A pause after a failed accept (out of file descriptors), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// `--http2-max-streams-per-connection` of kube-apiserver.
const MAX_STREAMS: u32 = 1000;
/// Flow control per stream and connection: a list of a thousand claims in one window.
const WINDOW: u32 = 4 * 1024 * 1024;

/// Why the API server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be bound.
    #[error("listen on {address}: {source} (choose another address, or port 0 for a free one)")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// No certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The vendored type descriptions are broken.
    #[error("load the API types: {0}")]
    Types(#[from] drakit_sim_schema::LoadError),
}

/// The API server.
#[derive(Clone)]
pub struct ApiServer {
    app: Arc<App>,
}

impl std::fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiServer").finish_non_exhaustive()
    }
}

/// A server that accepts connections.
#[derive(Debug)]
pub struct RunningApi {
    /// Where it listens.
    pub address: SocketAddr,
    /// A kubeconfig (YAML) with address, authority and token.
    pub kubeconfig: String,
    /// Ends after the token that the server was started with is cancelled.
    pub task: JoinHandle<()>,
}

impl ApiServer {
    /// A server without sockets. Its streams end when `shutdown` is cancelled.
    ///
    /// # Errors
    /// [`StartError::Types`].
    pub fn new(config: &ApiConfig, shutdown: CancellationToken) -> Result<Self, StartError> {
        Ok(Self {
            app: Arc::new(App::new(config, shutdown)?),
        })
    }

    /// The service itself: `kube::Client` takes it as transport, without a socket.
    pub fn router(&self) -> Router {
        crate::app::router(self.app.clone())
    }

    /// Starts to serve.
    ///
    /// # Errors
    /// [`StartError`]; nothing runs then.
    pub async fn start(
        config: ApiConfig,
        shutdown: CancellationToken,
    ) -> Result<RunningApi, StartError> {
        let listen = |source| StartError::Listen {
            address: config.address,
            source,
        };
        let listener = TcpListener::bind(config.address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let identity = config
            .tls
            .then(|| tls::identity(address.ip()))
            .transpose()?;
        let scheme = if identity.is_some() { "https" } else { "http" };
        let kubeconfig = kubeconfig::render(
            &format!("{scheme}://{address}"),
            identity.as_ref().map(|i| i.ca_pem.as_str()),
            config.token.as_deref(),
        );
        let server = Self::new(&config, shutdown.clone())?;
        let acceptor = identity.map(|i| TlsAcceptor::from(i.server));
        let task = tokio::spawn(accept(listener, acceptor, server.router(), shutdown));
        Ok(RunningApi {
            address,
            kubeconfig,
            task,
        })
    }
}

/// Accepts until the end, then waits for what is open.
async fn accept(
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    shutdown: CancellationToken,
) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let (acceptor, router) = (acceptor.clone(), router.clone());
                connections.spawn(connection(stream, acceptor, router, shutdown.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(DRAIN_TIMEOUT, drained).await.is_err() {
        tracing::debug!("open requests were cut off");
        connections.shutdown().await;
    }
}

async fn connection(
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    shutdown: CancellationToken,
) {
    // Small answers must not wait for more.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "set TCP_NODELAY");
    }
    let Some(acceptor) = acceptor else {
        return serve(stream, router, shutdown).await;
    };
    let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream));
    let stream = tokio::select! {
        () = shutdown.cancelled() => return,
        done = handshake => done,
    };
    match stream {
        Ok(Ok(stream)) => serve(stream, router, shutdown).await,
        Ok(Err(error)) => tracing::debug!(%error, "TLS handshake"),
        Err(_) => tracing::debug!("TLS handshake took too long"),
    }
}

async fn serve<S>(stream: S, router: Router, shutdown: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    let service = TowerToHyperService::new(router);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let mut ending = false;
    loop {
        tokio::select! {
            done = connection.as_mut() => {
                if let Err(error) = done {
                    tracing::debug!(%error, "connection ended");
                }
                return;
            }
            () = shutdown.cancelled(), if !ending => {
                ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
