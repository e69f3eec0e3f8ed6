//! One driver on one node: both sockets and what is behind them.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use drakit_driver_model::plan::PoolPlan;
use drakit_driver_model::prepare::PreparedClaim;
use drakit_proto::dra_v1::dra_plugin_server::DraPluginServer as DraV1Server;
use drakit_proto::dra_v1beta1::dra_plugin_server::DraPluginServer as DraV1beta1Server;
use drakit_proto::plugin_registration_v1::registration_server::RegistrationServer;
use tokio::net::UnixListener;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::service::Routes;

use crate::cdi_folder::CdiFolder;
use crate::checkpoint::Checkpoint;
use crate::claims::Claims;
use crate::decision::{Decision, Identity};
use crate::dra::DraService;
use crate::durable;
use crate::error::{ServeError, StartError};
use crate::failure::{ClaimRef, ClaimSource, ClaimSourceError, UnprepareFailure};
use crate::layout::{Folders, Layout};
use crate::registration::RegistrationService;
use crate::server::serve;
use crate::socket::{self, SocketFile};
use crate::status::{Counters, PluginStatus};
use crate::table::Table;

/// What a plugin needs to start.
pub struct PluginConfig {
    /// Who it is.
    pub identity: Identity,
    /// The pools whose devices it prepares: the node's own and network pools.
    pub pools: Vec<Arc<PoolPlan>>,
    /// Folders of the node.
    pub folders: Folders,
    /// Reads claims.
    pub source: Arc<dyn ClaimSource>,
    /// Limits disk work; one for all plugins of a process.
    pub disk: Arc<Semaphore>,
}

/// A driver that listens; [`Plugin::run`] serves it.
pub struct Plugin {
    handle: PluginHandle,
    dra: (SocketFile, UnixListener),
    registration: (SocketFile, UnixListener),
}

/// Looks at a running [`Plugin`] and changes what it knows.
#[derive(Clone)]
pub struct PluginHandle {
    identity: Identity,
    claims: Arc<Claims>,
    counters: Arc<Counters>,
    registration_socket: Arc<Path>,
}

impl PluginHandle {
    /// Driver and node.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Where the kubelet finds the driver.
    pub fn registration_socket(&self) -> &Path {
        &self.registration_socket
    }

    /// A snapshot.
    pub fn status(&self) -> PluginStatus {
        let counters = &self.counters;
        PluginStatus {
            contacted: counters.contacted.load(Ordering::Relaxed),
            registered: *counters.registered.borrow(),
            prepared: self.claims.table().prepared_count(),
            prepares: counters.prepares.load(Ordering::Relaxed),
            prepare_failures: counters.prepare_failures.load(Ordering::Relaxed),
            unprepares: counters.unprepares.load(Ordering::Relaxed),
            unprepare_failures: counters.unprepare_failures.load(Ordering::Relaxed),
        }
    }

    /// Follows the kubelet's last word on the registration.
    pub fn registered(&self) -> watch::Receiver<bool> {
        self.counters.registered.subscribe()
    }

    /// From now on these pools are decided on; prepared claims keep what they have.
    pub fn set_pools(&self, pools: Vec<Arc<PoolPlan>>) {
        self.claims.decision.set_pools(pools);
    }

    /// Unprepares claims whose ResourceClaim is gone or was replaced: their
    /// removal was missed (UNP-09). A claim that cannot be read stays.
    pub async fn reconcile(&self) -> Result<(), UnprepareFailure> {
        let prepared = self.claims.table().all_prepared();
        for claim in prepared {
            if self.is_gone(&claim).await {
                tracing::warn!(
                    namespace = %claim.namespace, name = %claim.name, uid = %claim.uid,
                    "unpreparing a claim that does not exist any more"
                );
                let claim = ClaimRef {
                    uid: claim.uid.clone(),
                    namespace: claim.namespace.clone(),
                    name: claim.name.clone(),
                };
                if let Err(error) = self.claims.unprepare(&claim).await {
                    return Err(Arc::into_inner(error).unwrap_or(UnprepareFailure::Stopping));
                }
            }
        }
        Ok(())
    }

    async fn is_gone(&self, claim: &PreparedClaim) -> bool {
        match self.claims.source.read(&claim.namespace, &claim.name).await {
            Ok(found) => found.metadata.uid.as_deref() != Some(&claim.uid),
            Err(ClaimSourceError::NotFound(_)) => true,
            Err(ClaimSourceError::Failed(_)) => false,
        }
    }
}

impl Plugin {
    /// Checks the folders, restores what was prepared, and listens: first on
    /// the DRA socket, because the kubelet dials it as soon as it has seen the
    /// registration socket. When this returns, both accept connections.
    pub async fn start(config: PluginConfig) -> Result<Self, StartError> {
        let PluginConfig {
            identity,
            pools,
            folders,
            source,
            disk,
        } = config;
        let layout = Layout::new(&folders, identity.driver.as_ref())?;
        let checkpoint = Checkpoint::new(layout.checkpoint.clone());
        let cdi = CdiFolder::new(layout.folders.cdi.clone(), identity.clone());
        let permit = disk.clone().acquire_owned().await;
        let restore = {
            let (layout, checkpoint, cdi) = (layout.clone(), checkpoint.clone(), cdi.clone());
            move || {
                let restored = restore(&layout, &checkpoint, &cdi);
                drop(permit);
                restored
            }
        };
        make_folders(&layout)?;
        // The sockets come first: who holds them owns the checkpoint.
        let dra = socket::listen(&layout.dra_socket).await?;
        let restored = tokio::task::spawn_blocking(restore).await;
        let prepared = restored.map_err(|_| StartError::Interrupted)??;
        let registration = socket::listen(&layout.registration_socket).await?;
        let counters = Arc::new(Counters::default());
        let claims = Arc::new(Claims {
            decision: Decision::new(identity.clone(), pools),
            source,
            checkpoint,
            cdi,
            disk,
            table: Mutex::new(Table::restored(prepared)),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        });
        let handle = PluginHandle {
            identity,
            claims,
            counters,
            registration_socket: registration.0.path().into(),
        };
        Ok(Self {
            handle,
            dra,
            registration,
        })
    }

    /// For looking at it while it runs.
    pub fn handle(&self) -> PluginHandle {
        self.handle.clone()
    }

    /// Serves until `shutdown`; then removes its sockets, lets calls end, and
    /// keeps CDI files and checkpoint (ROLL-04). An error means that the
    /// driver cannot serve any more (REG-16).
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), ServeError> {
        let Self {
            handle,
            dra: (dra_file, dra_listener),
            registration: (registration_file, registration_listener),
        } = self;
        let PluginHandle {
            identity,
            claims,
            counters,
            registration_socket: registration_path,
        } = handle;
        let dra_path = dra_file.path().to_owned();
        let service = DraService {
            claims: claims.clone(),
            counters: counters.clone(),
        };
        let dra_routes = Routes::new(DraV1Server::new(service.clone()))
            .add_service(DraV1beta1Server::new(service));
        let registration_routes = Routes::new(RegistrationServer::new(RegistrationService {
            driver: identity.driver.to_string(),
            node: identity.node.to_string(),
            endpoint: dra_path.to_string_lossy().into_owned(),
            counters,
        }));
        let stop = CancellationToken::new();
        let ended = async {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = stop.cancelled() => {}
            }
            // The kubelet unregisters the driver when the first one goes.
            drop(registration_file);
            drop(dra_file);
            claims.stopping.cancel();
            stop.cancel();
        };
        // One socket without the other is no driver: the end of one is the end of both.
        let one = async |routes, listener, path| {
            let served = serve(routes, listener, path, &stop).await;
            stop.cancel();
            served
        };
        let (dra, registration, ()) = tokio::join!(
            one(dra_routes, dra_listener, &dra_path),
            one(
                registration_routes,
                registration_listener,
                &registration_path
            ),
            ended,
        );
        claims.tasks.close();
        claims.tasks.wait().await;
        dra.and(registration)
    }
}

fn make_folders(layout: &Layout) -> Result<(), StartError> {
    let failed = |what, path: &std::path::Path, source| StartError::Folder {
        what,
        path: path.to_owned(),
        source,
    };
    for (what, path) in [
        ("plugin registration folder", &layout.folders.registrar),
        ("plugin folder", &layout.folders.plugins),
    ] {
        if layout.folders.create {
            std::fs::create_dir_all(path).map_err(|error| failed(what, path, error))?;
        }
        let meta = std::fs::metadata(path).map_err(|error| failed(what, path, error))?;
        if !meta.is_dir() {
            return Err(failed(what, path, std::io::ErrorKind::NotADirectory.into()));
        }
    }
    std::fs::create_dir_all(&layout.checkpoint)
        .and_then(|()| durable::probe(&layout.data, "probe"))
        .map_err(|error| failed("driver data folder", &layout.data, error))
}

/// Loads the checkpoint and brings the CDI files to it. Blocking.
fn restore(
    layout: &Layout,
    checkpoint: &Checkpoint,
    cdi: &CdiFolder,
) -> Result<Vec<PreparedClaim>, StartError> {
    let mut prepared: Vec<PreparedClaim> = Vec::new();
    for (uid, claim) in checkpoint.load::<PreparedClaim>()? {
        if claim.uid != uid {
            return Err(crate::error::CheckpointError::Damaged {
                path: layout.checkpoint.join(format!("{uid}.json")),
                reason: format!("it is the record of claim uid {:?}", claim.uid),
            }
            .into());
        }
        prepared.push(claim);
    }
    cdi.restore(&prepared).map_err(|source| StartError::Cdi {
        path: layout.folders.cdi.clone(),
        source,
    })?;
    Ok(prepared)
}
