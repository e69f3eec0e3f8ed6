//! The process: starts everything, joins everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_driver_model::plan::PoolPlan;
use drakit_driver_plugin::{ClaimSource, Identity, Plugin, PluginConfig, PluginHandle};
use drakit_driver_publisher::{ClaimReader, Publisher, PublisherConfig};
use futures::{StreamExt, TryStreamExt, stream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::assignment::assign;
use crate::claims::ApiClaims;
use crate::config::{DriverConfig, FolderTemplates};
use crate::error::DriverError;
use crate::observer::Observer;
use crate::{open_files, upkeep};

/// Plugins that start at the same time.
const START_AT_ONCE: usize = 64;
/// File work at the same time. The kernel joins the syncs of files that come
/// together, so this is about throughput, not about processors.
const DISK_AT_ONCE: usize = 32;

/// A running driver for one node or many.
pub struct Driver {
    observer: Observer,
    tasks: Tasks,
    shutdown: CancellationToken,
}

impl Driver {
    /// Starts everything. When this returns, every socket accepts connections;
    /// slices follow ([`Observer::published`]). On an error nothing is left
    /// running and no socket is left behind.
    pub async fn start(
        config: DriverConfig,
        shutdown: CancellationToken,
    ) -> Result<Self, DriverError> {
        let DriverConfig {
            plan,
            nodes,
            network_pools,
            folders,
            client,
            create_classes,
        } = config;
        let assignment = assign(&plan, &nodes, network_pools)?;
        folders.check(assignment.nodes)?;
        open_files::raise(assignment.plugins.len())?;
        let source: Arc<dyn ClaimSource> = Arc::new(ApiClaims(ClaimReader::new(client.clone())));
        let plugins = start_plugins(assignment.plugins, &folders, &source).await?;

        let mut tasks = Tasks::default();
        let mut publishers = BTreeMap::new();
        for (driver, pools) in assignment.publishers {
            let config = PublisherConfig {
                driver: driver.clone(),
                pools,
            };
            let (publisher, handle) = Publisher::new(client.clone(), config);
            publishers.insert(driver, handle);
            tasks.spawn(publisher.run(shutdown.clone()));
        }
        let observer = Observer {
            plugins: plugins.iter().map(Plugin::handle).collect(),
            publishers: Arc::new(publishers),
            nodes,
            network_pools,
        };
        for plugin in plugins {
            tasks.0.spawn(serve(plugin, shutdown.clone()));
        }
        tasks.spawn(upkeep::reconcile(observer.clone(), shutdown.clone()));
        tasks.spawn(upkeep::watch_contact(observer.clone(), shutdown.clone()));
        if create_classes {
            let classes = plan.device_classes;
            tasks.spawn(upkeep::ensure_classes(client, classes, shutdown.clone()));
        }
        Ok(Self {
            observer,
            tasks,
            shutdown,
        })
    }

    /// For looking at it while it runs.
    pub fn observer(&self) -> Observer {
        self.observer.clone()
    }

    /// Until the shutdown token is cancelled, or something vital fails: then
    /// everything else is stopped too and the first failure is the answer.
    /// Sockets are gone afterwards; slices, CDI files and checkpoints stay.
    pub async fn wait(mut self) -> Result<(), DriverError> {
        let mut outcome = Ok(());
        while let Some(joined) = self.tasks.0.join_next().await {
            let result = joined.unwrap_or_else(|error| Err(DriverError::Task(error.to_string())));
            if let Err(error) = result {
                self.shutdown.cancel();
                outcome = outcome.and(Err(error));
            }
        }
        outcome
    }
}

/// Everything that runs; some of it can fail.
#[derive(Default)]
struct Tasks(JoinSet<Result<(), DriverError>>);

impl Tasks {
    fn spawn(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(async move {
            work.await;
            Ok(())
        });
    }
}

/// Runs a driver until `shutdown`; see [`Driver`] for a start with readiness.
pub async fn run(config: DriverConfig, shutdown: CancellationToken) -> Result<(), DriverError> {
    Driver::start(config, shutdown).await?.wait().await
}

async fn start_plugins(
    wanted: Vec<(Identity, Vec<Arc<PoolPlan>>)>,
    folders: &FolderTemplates,
    source: &Arc<dyn ClaimSource>,
) -> Result<Vec<Plugin>, DriverError> {
    let disk = Arc::new(Semaphore::new(DISK_AT_ONCE));
    let starts = wanted.into_iter().map(|(identity, pools)| {
        let config = PluginConfig {
            folders: folders.of(identity.node.as_ref()),
            identity: identity.clone(),
            pools,
            source: source.clone(),
            disk: disk.clone(),
        };
        async move {
            Plugin::start(config)
                .await
                .map_err(|source| DriverError::Start {
                    driver: identity.driver.to_string(),
                    node: identity.node.to_string(),
                    source,
                })
        }
    });
    stream::iter(starts)
        .buffered(START_AT_ONCE)
        .try_collect()
        .await
}

async fn serve(plugin: Plugin, shutdown: CancellationToken) -> Result<(), DriverError> {
    let handle: PluginHandle = plugin.handle();
    plugin
        .run(shutdown)
        .await
        .map_err(|source| DriverError::Serve {
            driver: handle.identity().driver.to_string(),
            node: handle.identity().node.to_string(),
            source,
        })
}
