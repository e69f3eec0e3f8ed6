//! A node for the plugin: folders, a kubelet's clients, and an API server that
//! is a map.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drakit_api::k8s::api::resource::v1::ResourceClaim;
use drakit_api::names::{DriverName, NodeName};
use drakit_driver_model::{Fleet, PoolPlan};
use drakit_driver_plugin::{
    ClaimSource, ClaimSourceError, Folders, Identity, Plugin, PluginConfig, PluginHandle,
    ServeError, StartError,
};
use drakit_proto::dra_v1::dra_plugin_client::DraPluginClient;
use drakit_proto::dra_v1::{
    Claim, NodePrepareResourceResponse, NodePrepareResourcesRequest, NodeUnprepareResourcesRequest,
};
use drakit_proto::plugin_registration_v1::registration_client::RegistrationClient;
use futures::FutureExt;
use futures::future::BoxFuture;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::UnixStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint};

pub(crate) const DRIVER: &str = "gpu.example.com";
/// More than any test needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Claims, how often they were read, and whose reads hang.
#[derive(Default)]
pub(crate) struct Cluster {
    claims: Mutex<BTreeMap<String, ResourceClaim>>,
    hanging: watch::Sender<BTreeSet<String>>,
    reads: watch::Sender<BTreeMap<String, usize>>,
}

impl Cluster {
    /// A claim with these devices of pool `n1`.
    pub(crate) fn allocate(&self, name: &str, uid: &str, devices: &[&str]) {
        let results: Vec<_> = devices
            .iter()
            .map(|device| json!({"request": "gpu", "driver": DRIVER, "pool": "n1", "device": device}))
            .collect();
        self.put(
            name,
            uid,
            &json!({"allocation": {"devices": {"results": results}}}),
        );
    }

    pub(crate) fn put(&self, name: &str, uid: &str, status: &serde_json::Value) {
        let claim = json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": {"namespace": "default", "name": name, "uid": uid},
            "spec": {}, "status": status,
        });
        let claim = serde_json::from_value(claim).unwrap();
        self.claims.lock().unwrap().insert(name.into(), claim);
    }

    pub(crate) fn delete(&self, name: &str) {
        self.claims.lock().unwrap().remove(name);
    }

    /// From now on reads of this claim do not end, or do again.
    pub(crate) fn hang(&self, name: &str, hang: bool) {
        self.hanging.send_modify(|names| {
            if hang {
                names.insert(name.into());
            } else {
                names.remove(name);
            }
        });
    }

    pub(crate) fn reads(&self, name: &str) -> usize {
        self.reads.borrow().get(name).copied().unwrap_or(0)
    }

    /// Waits until this claim was asked for.
    pub(crate) async fn read_begins(&self, name: &str) {
        let mut reads = self.reads.subscribe();
        let begun = reads.wait_for(|reads| reads.contains_key(name));
        tokio::time::timeout(PATIENCE, begun)
            .await
            .unwrap()
            .unwrap();
    }
}

impl ClaimSource for Cluster {
    fn read<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ResourceClaim, ClaimSourceError>> {
        async move {
            assert_eq!(namespace, "default");
            self.reads
                .send_modify(|reads| *reads.entry(name.into()).or_default() += 1);
            let mut hanging = self.hanging.subscribe();
            hanging
                .wait_for(|names| !names.contains(name))
                .await
                .unwrap();
            let found = self.claims.lock().unwrap().get(name).cloned();
            found.ok_or_else(|| {
                ClaimSourceError::NotFound(format!("claim default/{name} not found"))
            })
        }
        .boxed()
    }
}

/// One node's folders and what outlives a driver.
pub(crate) struct Node {
    pub(crate) root: tempfile::TempDir,
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) disk: Arc<Semaphore>,
}

impl Node {
    pub(crate) fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
            cluster: Arc::default(),
            disk: Arc::new(Semaphore::new(4)),
        }
    }

    pub(crate) fn folders(&self) -> Folders {
        Folders {
            registrar: self.root.path().join("plugins_registry"),
            plugins: self.root.path().join("plugins"),
            cdi: self.root.path().join("cdi"),
            create: true,
        }
    }

    pub(crate) fn registration_socket(&self) -> PathBuf {
        self.folders().registrar.join(format!("{DRIVER}@reg.sock"))
    }

    pub(crate) fn dra_socket(&self) -> PathBuf {
        self.folders().plugins.join(DRIVER).join("dra.sock")
    }

    pub(crate) fn record(&self, uid: &str) -> PathBuf {
        self.folders()
            .plugins
            .join(DRIVER)
            .join("claims")
            .join(format!("{uid}.json"))
    }

    /// Names in the CDI folder.
    pub(crate) fn cdi_files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folders().cdi).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) async fn try_start(&self, folders: Folders) -> Result<Plugin, StartError> {
        let plan = Fleet::from_profile("demo-gpu", "n1", 1, 7).unwrap().plan();
        let pools: Vec<Arc<PoolPlan>> = plan.nodes[0].drivers.clone();
        let config = PluginConfig {
            identity: Identity {
                driver: DriverName::new(DRIVER).unwrap(),
                node: NodeName::new("n1").unwrap(),
            },
            pools,
            folders,
            source: self.cluster.clone(),
            disk: self.disk.clone(),
        };
        Plugin::start(config).await
    }

    pub(crate) async fn start(&self) -> Running {
        let plugin = self.try_start(self.folders()).await.unwrap();
        let handle = plugin.handle();
        let stop = CancellationToken::new();
        let task = tokio::spawn(plugin.run(stop.clone()));
        let dra = DraPluginClient::new(connect(&self.dra_socket()));
        Running {
            handle,
            stop,
            task,
            dra,
        }
    }

    pub(crate) fn registration(&self) -> RegistrationClient<Channel> {
        RegistrationClient::new(connect(&self.registration_socket()))
    }
}

/// A connection as the kubelet's DRA client makes it, with authority `localhost`.
pub(crate) fn connect(path: &Path) -> Channel {
    let path = path.to_owned();
    let connector = tower::service_fn(move |_| {
        let path = path.clone();
        async move { UnixStream::connect(path).await.map(TokioIo::new) }
    });
    Endpoint::from_static("http://localhost").connect_with_connector_lazy(connector)
}

/// A plugin that serves, and a kubelet's client.
pub(crate) struct Running {
    pub(crate) handle: PluginHandle,
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<Result<(), ServeError>>,
    pub(crate) dra: DraPluginClient<Channel>,
}

pub(crate) fn claim(name: &str, uid: &str) -> Claim {
    Claim {
        namespace: "default".into(),
        name: name.into(),
        uid: uid.into(),
    }
}

impl Running {
    pub(crate) async fn prepare_all(
        &self,
        claims: Vec<Claim>,
    ) -> BTreeMap<String, NodePrepareResourceResponse> {
        let request = NodePrepareResourcesRequest { claims };
        let mut dra = self.dra.clone();
        let answer = dra.node_prepare_resources(request);
        tokio::time::timeout(PATIENCE, answer)
            .await
            .unwrap()
            .unwrap()
            .into_inner()
            .claims
    }

    /// Devices, or the claim's error.
    pub(crate) async fn prepare(&self, name: &str, uid: &str) -> Result<Vec<String>, String> {
        let mut claims = self.prepare_all(vec![claim(name, uid)]).await;
        assert_eq!(claims.len(), 1);
        let answer = claims.remove(uid).unwrap();
        if answer.error.is_empty() {
            Ok(answer
                .devices
                .into_iter()
                .map(|device| device.device_name)
                .collect())
        } else {
            Err(answer.error)
        }
    }

    pub(crate) async fn unprepare(&self, name: &str, uid: &str) -> Result<(), String> {
        let request = NodeUnprepareResourcesRequest {
            claims: vec![claim(name, uid)],
        };
        let mut dra = self.dra.clone();
        let answer = dra.node_unprepare_resources(request);
        let answer = tokio::time::timeout(PATIENCE, answer)
            .await
            .unwrap()
            .unwrap();
        let mut claims = answer.into_inner().claims;
        assert_eq!(claims.len(), 1);
        let error = claims.remove(uid).unwrap().error;
        if error.is_empty() { Ok(()) } else { Err(error) }
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.task)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }

    /// Ends it where it stands, as a kill would; the sockets stay as files.
    pub(crate) async fn crash(self, node: &Node) {
        self.task.abort();
        let _ = self.task.await;
        for path in [node.registration_socket(), node.dra_socket()] {
            drop(std::os::unix::net::UnixListener::bind(path).unwrap());
        }
    }
}
