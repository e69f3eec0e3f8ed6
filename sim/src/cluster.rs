//! Start, readiness, stop.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use drakit_allocator::Features;
use drakit_kit::Cluster;
use drakit_kit::cluster::reach_loopback_directly;
use drakit_sim_apiserver::{ApiConfig, ApiServer};
use drakit_sim_controllers::ControllersConfig;
use drakit_sim_kubelet::{AddNodeError, KubeletConfig, Kubelets, NodeConfig, NodeDirs, Timing};
use drakit_sim_scheduler::SchedulerConfig;
use drakit_sim_schema::Schemas;
use drakit_sim_store::resource::{BUILT_IN, RESOURCE_SLICES};
use drakit_sim_store::{Clock, Resource, Store};
use kube::config::{KubeConfigOptions, Kubeconfig};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::config::{SimConfig, SimNode};
use crate::folder::Folder;
use crate::logs::FromKubelets;

/// Pause between two looks at readiness.
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// The most that the parts may need to end after they were told to.
const STOP: Duration = Duration::from_secs(10);

/// Why a cluster did not start. Nothing runs then.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The state folder or the kubeconfig cannot be written.
    #[error("write {}: {source}", path.display())]
    Write {
        /// Which file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another cluster runs in the folder.
    #[error(
        "use {}: another simulated cluster runs in it; stop it or choose another folder",
        path.display()
    )]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The version is not one that is known.
    #[error("simulate Kubernetes {version}: {message}")]
    Version {
        /// As given.
        version: String,
        /// What is known.
        message: String,
    },
    /// The descriptions of the API types cannot be read.
    #[error("load the API types: {0}")]
    Types(#[from] drakit_sim_schema::LoadError),
    /// The API server.
    #[error("start the API server: {0}")]
    Api(#[from] drakit_sim_apiserver::StartError),
    /// The kubelets.
    #[error("start the kubelets: {0}")]
    Kubelets(#[from] drakit_sim_kubelet::StartError),
    /// A node.
    #[error(transparent)]
    Node(#[from] AddNodeError),
    /// Our own client.
    #[error("connect to the simulated API server: {0}")]
    Client(String),
}

/// Why a cluster did not stop as it should.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// A part did not end.
    #[error("the {part} did not end within {} s", STOP.as_secs())]
    Slow {
        /// Which.
        part: &'static str,
    },
    /// A part panicked: a bug of the simulation.
    #[error("the {part} ended unexpectedly: {message}")]
    Crashed {
        /// Which.
        part: &'static str,
        /// The panic.
        message: String,
    },
}

struct Part {
    name: &'static str,
    task: JoinHandle<()>,
}

impl Part {
    fn new(name: &'static str, task: JoinHandle<()>) -> Self {
        Self { name, task }
    }
}

/// A running simulated cluster.
pub struct SimCluster {
    store: Store,
    kubelets: Kubelets,
    parts: Vec<Part>,
    client: kube::Client,
    kubeconfig: PathBuf,
    folder: Folder,
    shutdown: CancellationToken,
}

impl std::fmt::Debug for SimCluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimCluster")
            .field("state_dir", &self.state_dir())
            .finish_non_exhaustive()
    }
}

impl SimCluster {
    /// Starts everything: when this returns, the API answers and all nodes are Ready. Cancelling
    /// `shutdown` ends it; [`SimCluster::stop`] waits for that.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn start(config: SimConfig, shutdown: CancellationToken) -> Result<Self, StartError> {
        let SimConfig {
            nodes,
            address,
            state_dir,
            seed,
            time_scale,
            version,
        } = config;
        let features = Features::for_version(&version).map_err(|error| StartError::Version {
            version: version.clone(),
            message: error.to_string(),
        })?;
        let folder = Folder::open(state_dir)?;
        let shutdown = shutdown.child_token();
        // Whatever started before an error is told to end.
        let guard = shutdown.clone().drop_guard();

        let store = Store::new(seed, Clock::system());
        let control_plane = start_control_plane(&store, features, time_scale, &shutdown)?;
        let kubelets = Kubelets::start(
            KubeletConfig {
                store: store.clone(),
                state_dir: folder.path().to_path_buf(),
                timing: Timing::real().with_delays_scaled(time_scale),
            },
            shutdown.clone(),
        )?;
        let mut api = ApiConfig::new(store.clone());
        api.address = address;
        api.logs = Arc::new(FromKubelets(kubelets.clone()));
        let api = ApiServer::start(api, shutdown.clone()).await?;
        let kubeconfig = folder.write_kubeconfig(&api.kubeconfig)?;
        let config = |node: SimNode| NodeConfig::new(node.name).with_labels(node.labels);
        kubelets
            .add_nodes(nodes.into_iter().map(config).collect())
            .await?;
        let client = connect(&api.kubeconfig).await?;

        guard.disarm();
        let ended = kubelets.clone();
        let mut parts = control_plane;
        parts.push(Part::new("API server", api.task));
        parts.push(Part::new(
            "kubelets",
            tokio::spawn(async move { ended.stopped().await }),
        ));
        Ok(Self {
            store,
            kubelets,
            parts,
            client,
            kubeconfig,
            folder,
            shutdown,
        })
    }

    /// The objects, for tests that look behind the API.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The kubelets, for tests that restart them.
    pub fn kubelets(&self) -> &Kubelets {
        &self.kubelets
    }

    /// The kubeconfig file.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The folder of the cluster.
    pub fn state_dir(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of one node, with `plugins_registry`, `plugins` and `cdi` below it.
    pub fn node_dir(&self, node: &str) -> PathBuf {
        let dirs = NodeDirs::of(self.state_dir(), node);
        dirs.cdi
            .parent()
            .map_or(dirs.cdi.clone(), Path::to_path_buf)
    }

    /// Waits until at least `slices` ResourceSlices are published and `plugins` drivers are connected,
    /// over all nodes.
    pub async fn ready(&self, slices: usize, plugins: usize) {
        while self.store.count(&RESOURCE_SLICES) < slices {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        while self.connected() < plugins {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    fn connected(&self) -> usize {
        let on_node = |node: &String| {
            let plugins = self.kubelets.plugins(node).unwrap_or_default();
            plugins.iter().filter(|p| p.is_connected()).count()
        };
        self.kubelets.nodes().iter().map(on_node).sum()
    }

    /// When a part has ended by itself, which it must not.
    pub async fn failed(&mut self) -> String {
        let ends = self.parts.iter_mut().map(|part| {
            Box::pin(async {
                let result = (&mut part.task).await;
                (part.name, result)
            })
        });
        let ((name, result), ..) = futures::future::select_all(ends).await;
        match result {
            Ok(()) => format!("the {name} ended"),
            Err(error) => format!("the {name} crashed: {error}"),
        }
    }

    /// Ends everything and waits for it.
    ///
    /// # Errors
    /// The first part that does not end, or crashed.
    pub async fn stop(self) -> Result<(), StopError> {
        self.shutdown.cancel();
        let mut outcome = Ok(());
        for part in self.parts {
            if part.task.is_finished() {
                continue;
            }
            let ended = match tokio::time::timeout(STOP, part.task).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(StopError::Crashed {
                    part: part.name,
                    message: error.to_string(),
                }),
                Err(_) => Err(StopError::Slow { part: part.name }),
            };
            outcome = outcome.and(ended);
        }
        outcome
    }
}

impl Cluster for SimCluster {
    fn name(&self) -> &'static str {
        "simulation"
    }

    fn client(&self) -> kube::Client {
        self.client.clone()
    }
}

/// Controllers and scheduler.
fn start_control_plane(
    store: &Store,
    features: Features,
    time_scale: f64,
    shutdown: &CancellationToken,
) -> Result<Vec<Part>, StartError> {
    let resources = resources(&Schemas::load()?);
    let controllers = drakit_sim_controllers::start(
        store.clone(),
        ControllersConfig { resources },
        shutdown.clone(),
    );
    let config = SchedulerConfig {
        features,
        time_scale,
    };
    let scheduler = drakit_sim_scheduler::start(store.clone(), config, shutdown.clone());
    Ok(vec![
        Part::new("controllers", controllers),
        Part::new("scheduler", scheduler),
    ])
}

async fn connect(kubeconfig: &str) -> Result<kube::Client, StartError> {
    let refused = |error: &dyn std::fmt::Display| StartError::Client(error.to_string());
    let kubeconfig = Kubeconfig::from_yaml(kubeconfig).map_err(|e| refused(&e))?;
    let mut config =
        kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
            .await
            .map_err(|e| refused(&e))?;
    reach_loopback_directly(&mut config);
    kube::Client::try_from(config).map_err(|e| refused(&e))
}

/// Every kind that the API server serves, as the store knows kinds.
fn resources(schemas: &Schemas) -> Vec<Resource> {
    let mut all = BUILT_IN.to_vec();
    for served in schemas.resources() {
        let known = |r: &Resource| r.group == served.group && r.plural == served.plural;
        if !all.iter().any(known) {
            all.push(Resource {
                group: served.group.clone().into(),
                version: served.version.clone().into(),
                plural: served.plural.clone().into(),
                kind: served.kind.clone().into(),
                namespaced: served.namespaced,
                has_status: served.subresource("status").is_some(),
            });
        }
    }
    all
}
