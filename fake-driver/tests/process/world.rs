//! Folders for many nodes, and a kubelet's calls.

use std::path::PathBuf;
use std::time::Duration;

use drakit_driver_model::{Fleet, Plan};
use drakit_fake_driver::{
    Driver, DriverConfig, DriverError, FolderTemplates, Observer, ServedNodes,
};
use drakit_proto::dra_v1::dra_plugin_client::DraPluginClient;
use drakit_proto::dra_v1::{Claim, NodePrepareResourcesRequest};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Endpoint;

use crate::api::Api;

const GPU_DRIVER: &str = "gpu.example.com";
/// More than any test needs, also on a busy machine in a debug build.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn fleet(profile: &str, nodes: usize) -> Plan {
    Fleet::from_profile(profile, "n{index}", nodes, 7)
        .unwrap()
        .plan()
}

/// Memory and processor time of this process; the test's own API server and
/// kubelet calls are in it.
pub(crate) fn usage() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks = |index: usize| fields[index].parse::<u64>().unwrap() * 10;
    format!(
        "{} MiB, user {} ms, system {} ms",
        kib / 1024,
        ticks(11),
        ticks(12)
    )
}

pub(crate) struct World {
    pub(crate) api: Api,
    pub(crate) plan: Plan,
    root: tempfile::TempDir,
}

impl World {
    pub(crate) fn new(plan: Plan) -> Self {
        let names: Vec<String> = plan
            .nodes
            .iter()
            .map(|node| node.name.to_string())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Self {
            api: Api::with_nodes(&names),
            plan,
            root: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn config(&self, nodes: ServedNodes) -> DriverConfig {
        let root = self.root.path().display();
        DriverConfig {
            plan: self.plan.clone(),
            nodes,
            network_pools: true,
            folders: FolderTemplates {
                registrar: format!("{root}/{{node}}/plugins_registry"),
                plugins: format!("{root}/{{node}}/plugins"),
                cdi: format!("{root}/{{node}}/cdi"),
                create: true,
            },
            client: self.api.client(),
            create_classes: true,
        }
    }

    pub(crate) async fn start(&self, nodes: ServedNodes) -> Running {
        let stop = CancellationToken::new();
        let driver = Driver::start(self.config(nodes), stop.clone())
            .await
            .unwrap();
        Running {
            observer: driver.observer(),
            stop,
            task: tokio::spawn(driver.wait()),
        }
    }

    pub(crate) fn driver_socket(&self, node: &str, driver: &str) -> PathBuf {
        self.root
            .path()
            .join(node)
            .join("plugins")
            .join(driver)
            .join("dra.sock")
    }

    pub(crate) fn socket(&self, node: &str) -> PathBuf {
        self.driver_socket(node, GPU_DRIVER)
    }

    pub(crate) fn allocate(&self, name: &str, uid: &str, pool: &str, devices: &[&str]) {
        self.allocate_from(GPU_DRIVER, name, uid, pool, devices);
    }

    pub(crate) fn allocate_from(
        &self,
        driver: &str,
        name: &str,
        uid: &str,
        pool: &str,
        devices: &[&str],
    ) {
        let results: Vec<_> = devices
            .iter()
            .map(|device| json!({"request": "gpu", "driver": driver, "pool": pool, "device": device}))
            .collect();
        let claim = json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": {"namespace": "default", "name": name, "uid": uid},
            "spec": {}, "status": {"allocation": {"devices": {"results": results}}},
        });
        self.api
            .lock()
            .claims
            .insert(format!("default/{name}"), claim);
    }

    /// The claim's error, empty when it is prepared.
    pub(crate) async fn prepare(&self, node: &str, name: &str, uid: &str) -> String {
        self.prepare_from(GPU_DRIVER, node, name, uid).await
    }

    pub(crate) async fn prepare_from(
        &self,
        driver: &str,
        node: &str,
        name: &str,
        uid: &str,
    ) -> String {
        let path = self.driver_socket(node, driver);
        let connector = tower::service_fn(move |_| {
            let path = path.clone();
            async move { UnixStream::connect(path).await.map(TokioIo::new) }
        });
        let channel =
            Endpoint::from_static("http://localhost").connect_with_connector_lazy(connector);
        let claim = Claim {
            namespace: "default".into(),
            name: name.into(),
            uid: uid.into(),
        };
        let request = NodePrepareResourcesRequest {
            claims: vec![claim],
        };
        let mut kubelet = DraPluginClient::new(channel);
        let answer = kubelet.node_prepare_resources(request);
        let answer = tokio::time::timeout(PATIENCE, answer)
            .await
            .unwrap()
            .unwrap();
        answer.into_inner().claims.remove(uid).unwrap().error
    }
}

pub(crate) struct Running {
    pub(crate) observer: Observer,
    stop: CancellationToken,
    task: JoinHandle<Result<(), DriverError>>,
}

impl Running {
    pub(crate) async fn published(&self) {
        assert!(
            tokio::time::timeout(PATIENCE, self.observer.published())
                .await
                .unwrap()
        );
    }

    async fn until(&self, condition: impl Fn() -> bool) {
        // Status of several publishers, so no single thing to wait for.
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while !condition() {
            assert!(
                tokio::time::Instant::now() < deadline,
                "{:?}",
                self.observer.status().slices
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) async fn until_slices(&self, world: &World, count: usize) {
        self.until(|| world.api.slices().len() == count).await;
    }

    pub(crate) async fn until_updates(&self, count: u64) {
        self.until(|| {
            self.observer
                .status()
                .slices
                .values()
                .map(|status| status.updates)
                .sum::<u64>()
                == count
        })
        .await;
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.task)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }
}
