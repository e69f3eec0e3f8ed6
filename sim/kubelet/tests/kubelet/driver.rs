//! A driver that answers what a test tells it to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drakit_proto::plugin_registration_v1::registration_server::{Registration, RegistrationServer};
use drakit_proto::plugin_registration_v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use drakit_proto::{dra_v1, dra_v1beta1, services};
use drakit_sim_kubelet::NodeDirs;
use tokio::net::UnixListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::UnixListenerStream;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

pub(crate) type Prepare =
    dyn Fn(&dra_v1::NodePrepareResourcesRequest) -> Result<Answer, Status> + Send + Sync;
pub(crate) type Unprepare = dyn Fn(&dra_v1::Claim) -> String + Send + Sync;

/// Claims of a prepare answer.
pub(crate) type Answer = BTreeMap<String, dra_v1::NodePrepareResourceResponse>;

/// How long a test waits for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What the driver is like.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) name: String,
    /// Name of the registration socket.
    pub(crate) socket: String,
    /// Name of the service socket, below the plugin folder.
    pub(crate) service: String,
    pub(crate) kind: String,
    pub(crate) versions: Vec<String>,
}

impl Setup {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            socket: format!("{name}@reg.sock"),
            service: format!("{name}.sock"),
            kind: services::DRA_PLUGIN_TYPE.into(),
            versions: vec![services::DRA_V1.into(), services::DRA_V1BETA1.into()],
        }
    }
}

#[derive(Clone)]
struct Service {
    setup: Setup,
    endpoint: PathBuf,
    log: Arc<watch::Sender<Vec<String>>>,
    prepare: Arc<Mutex<Arc<Prepare>>>,
    unprepare: Arc<Mutex<Arc<Unprepare>>>,
    /// Prepare calls do not answer while this is true.
    hanging: Arc<watch::Sender<bool>>,
    /// Registration calls that fail before one succeeds.
    failing: Arc<Mutex<BTreeMap<&'static str, usize>>>,
}

pub(crate) struct TestDriver {
    service: Service,
    registration: PathBuf,
    stop: CancellationToken,
    servers: Vec<JoinHandle<()>>,
}

impl TestDriver {
    /// Serves both sockets.
    pub(crate) fn start(dirs: &NodeDirs, setup: Setup) -> Self {
        Self::start_failing(dirs, setup, BTreeMap::new())
    }

    /// As [`Self::start`], but the first calls of these methods fail.
    pub(crate) fn start_failing(
        dirs: &NodeDirs,
        setup: Setup,
        failing: BTreeMap<&'static str, usize>,
    ) -> Self {
        let endpoint = dirs.plugins.join(&setup.service);
        let registration = dirs.registry.join(&setup.socket);
        let service = Service {
            setup,
            endpoint: endpoint.clone(),
            log: Arc::new(watch::Sender::new(Vec::new())),
            prepare: Arc::new(Mutex::new(Arc::new(prepare_all))),
            unprepare: Arc::new(Mutex::new(Arc::new(|_: &dra_v1::Claim| String::new()))),
            hanging: Arc::new(watch::Sender::new(false)),
            failing: Arc::new(Mutex::new(failing)),
        };
        let mut driver = Self {
            service,
            registration,
            stop: CancellationToken::new(),
            servers: Vec::new(),
        };
        driver.serve_dra(&endpoint);
        driver.serve_registration();
        driver
    }

    pub(crate) fn serve_dra(&mut self, endpoint: &Path) {
        let server = Server::builder()
            .add_service(dra_v1::dra_plugin_server::DraPluginServer::new(
                self.service.clone(),
            ))
            .add_service(dra_v1beta1::dra_plugin_server::DraPluginServer::new(
                self.service.clone(),
            ));
        self.serve(endpoint, server);
    }

    pub(crate) fn serve_registration(&mut self) {
        let server = Server::builder().add_service(RegistrationServer::new(self.service.clone()));
        self.serve(&self.registration.clone(), server);
    }

    fn serve(&mut self, socket: &Path, server: tonic::transport::server::Router) {
        let _ = std::fs::remove_file(socket);
        let listener = UnixListener::bind(socket).unwrap();
        let stop = self.stop.clone();
        self.servers.push(tokio::spawn(async move {
            let incoming = UnixListenerStream::new(listener);
            server
                .serve_with_incoming_shutdown(incoming, stop.cancelled_owned())
                .await
                .unwrap();
        }));
    }

    /// Ends the servers and removes the sockets.
    pub(crate) async fn stop(self) {
        std::fs::remove_file(&self.registration).unwrap();
        self.kill().await;
    }

    /// Ends the servers and leaves the sockets, as a killed process does.
    pub(crate) async fn kill(mut self) {
        self.stop.cancel();
        for server in self.servers.drain(..) {
            tokio::time::timeout(PATIENCE, server)
                .await
                .unwrap()
                .unwrap();
        }
    }

    pub(crate) fn remove_registration(&self) {
        std::fs::remove_file(&self.registration).unwrap();
    }

    pub(crate) fn on_prepare(
        &self,
        prepare: impl Fn(&dra_v1::NodePrepareResourcesRequest) -> Result<Answer, Status>
        + Send
        + Sync
        + 'static,
    ) {
        *self.service.prepare.lock().unwrap() = Arc::new(prepare);
    }

    pub(crate) fn hang(&self, hanging: bool) {
        self.service.hanging.send_replace(hanging);
    }

    pub(crate) fn on_unprepare(
        &self,
        unprepare: impl Fn(&dra_v1::Claim) -> String + Send + Sync + 'static,
    ) {
        *self.service.unprepare.lock().unwrap() = Arc::new(unprepare);
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.service.log.borrow().clone()
    }

    pub(crate) fn forget_log(&self) {
        self.service.log.send_modify(Vec::clear);
    }

    /// Waits until the log has this line.
    pub(crate) async fn logged(&self, line: &str) {
        self.logged_times(line, 1).await;
    }

    pub(crate) async fn logged_times(&self, line: &str, times: usize) {
        let mut log = self.service.log.subscribe();
        let has = |log: &Vec<String>| log.iter().filter(|l| *l == line).count() >= times;
        let waited = tokio::time::timeout(PATIENCE, log.wait_for(has)).await;
        assert!(waited.is_ok(), "no {line:?} in {:#?}", self.log());
    }
}

impl Drop for TestDriver {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is one of the answers that a test may choose"
)]
/// Each claim gets one device `dev-<claim name>` for all requests.
pub(crate) fn prepare_all(request: &dra_v1::NodePrepareResourcesRequest) -> Result<Answer, Status> {
    Ok(request
        .claims
        .iter()
        .map(|claim| (claim.uid.clone(), prepared(claim, &[])))
        .collect())
}

pub(crate) fn prepared(
    claim: &dra_v1::Claim,
    requests: &[&str],
) -> dra_v1::NodePrepareResourceResponse {
    dra_v1::NodePrepareResourceResponse {
        devices: vec![dra_v1::Device {
            request_names: requests.iter().map(|r| (*r).into()).collect(),
            pool_name: "pool".into(),
            device_name: format!("dev-{}", claim.name),
            cdi_device_ids: vec![format!("example.com/gpu={}", claim.name)],
            share_id: None,
        }],
        error: String::new(),
    }
}

impl Service {
    fn note(&self, line: impl Into<String>) {
        self.log.send_modify(|log| log.push(line.into()));
    }

    fn maybe_fail(&self, method: &str) -> Result<(), Status> {
        match self.failing.lock().unwrap().get_mut(method) {
            Some(left) if *left > 0 => {
                *left -= 1;
                Err(Status::unavailable("not yet"))
            }
            _ => Ok(()),
        }
    }
}

fn names(claims: &[dra_v1::Claim]) -> String {
    let names: Vec<_> = claims.iter().map(|c| c.name.as_str()).collect();
    names.join(" ")
}

#[tonic::async_trait]
impl Registration for Service {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        self.note("GetInfo");
        self.maybe_fail("GetInfo")?;
        Ok(Response::new(PluginInfo {
            r#type: self.setup.kind.clone(),
            name: self.setup.name.clone(),
            endpoint: self.endpoint.to_str().unwrap().into(),
            supported_versions: self.setup.versions.clone(),
        }))
    }

    async fn notify_registration_status(
        &self,
        request: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        let status = request.into_inner();
        let line = format!("Notify {} {}", status.plugin_registered, status.error);
        self.note(line.trim_end());
        self.maybe_fail("Notify")?;
        Ok(Response::new(RegistrationStatusResponse {}))
    }
}

#[tonic::async_trait]
impl dra_v1::dra_plugin_server::DraPlugin for Service {
    async fn node_prepare_resources(
        &self,
        request: Request<dra_v1::NodePrepareResourcesRequest>,
    ) -> Result<Response<dra_v1::NodePrepareResourcesResponse>, Status> {
        let request = request.into_inner();
        self.note(format!("v1 Prepare {}", names(&request.claims)));
        let mut hanging = self.hanging.subscribe();
        hanging.wait_for(|hanging| !hanging).await.unwrap();
        let prepare = self.prepare.lock().unwrap().clone();
        prepare(&request)
            .map(|claims| Response::new(dra_v1::NodePrepareResourcesResponse { claims }))
    }

    async fn node_unprepare_resources(
        &self,
        request: Request<dra_v1::NodeUnprepareResourcesRequest>,
    ) -> Result<Response<dra_v1::NodeUnprepareResourcesResponse>, Status> {
        let request = request.into_inner();
        self.note(format!("v1 Unprepare {}", names(&request.claims)));
        let unprepare = self.unprepare.lock().unwrap().clone();
        let claims = request.claims.iter().map(|claim| {
            let error = unprepare(claim);
            (
                claim.uid.clone(),
                dra_v1::NodeUnprepareResourceResponse { error },
            )
        });
        Ok(Response::new(dra_v1::NodeUnprepareResourcesResponse {
            claims: claims.collect(),
        }))
    }
}

#[tonic::async_trait]
impl dra_v1beta1::dra_plugin_server::DraPlugin for Service {
    async fn node_prepare_resources(
        &self,
        request: Request<dra_v1beta1::NodePrepareResourcesRequest>,
    ) -> Result<Response<dra_v1beta1::NodePrepareResourcesResponse>, Status> {
        let request = dra_v1::NodePrepareResourcesRequest::from(request.into_inner());
        self.note(format!("v1beta1 Prepare {}", names(&request.claims)));
        let prepare = self.prepare.lock().unwrap().clone();
        let claims = prepare(&request)?;
        Ok(Response::new(
            dra_v1::NodePrepareResourcesResponse { claims }.into(),
        ))
    }

    async fn node_unprepare_resources(
        &self,
        request: Request<dra_v1beta1::NodeUnprepareResourcesRequest>,
    ) -> Result<Response<dra_v1beta1::NodeUnprepareResourcesResponse>, Status> {
        let request = dra_v1::NodeUnprepareResourcesRequest::from(request.into_inner());
        self.note(format!("v1beta1 Unprepare {}", names(&request.claims)));
        let claims = request.claims.iter().map(|c| {
            (
                c.uid.clone(),
                dra_v1beta1::NodeUnprepareResourceResponse::default(),
            )
        });
        Ok(Response::new(dra_v1beta1::NodeUnprepareResourcesResponse {
            claims: claims.collect(),
        }))
    }
}
