//! The task that keeps one driver's slices right: one watch for all its pools.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drakit_api::k8s::api::resource::v1::ResourceSlice;
use futures::stream::FuturesUnordered;
use futures::{Stream, StreamExt, TryStreamExt};
use kube::api::Api;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::backoff::Backoff;
use crate::nodes::NodeUids;
use crate::pool::PoolKey;
use crate::state::{Pools, State};
use crate::status::PublishStatus;
use crate::sync::{Context, sync};

/// Passes that run at the same time. More only queue up in the API server.
const MAX_IN_FLIGHT: usize = 32;
/// First and longest wait before a broken watch is opened again.
const WATCH_RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// How often doubtful slices are looked for.
const EXPIRE_EVERY: Duration = Duration::from_secs(10);
/// How long a pass may go on after the process was asked to stop.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

/// What a publisher serves.
pub struct PublisherConfig {
    /// `spec.driver` of every slice.
    pub driver: String,
    /// Pools that must exist from the start.
    pub pools: Pools,
}

/// Keeps the slices of one driver as they should be. See [`Publisher::run`].
pub struct Publisher {
    driver: String,
    client: kube::Client,
    state: State,
    commands: mpsc::Receiver<Pools>,
    status: watch::Sender<PublishStatus>,
}

/// Talks to a running [`Publisher`].
#[derive(Clone)]
pub struct PublisherHandle {
    commands: mpsc::Sender<Pools>,
    status: watch::Receiver<PublishStatus>,
}

impl PublisherHandle {
    /// Replaces what is wanted. Pools that are left out are deleted; an empty
    /// map deletes everything that this publisher made.
    /// `false` when the publisher has stopped.
    pub async fn set_pools(&self, pools: Pools) -> bool {
        self.commands.send(pools).await.is_ok()
    }

    /// Follows the status.
    pub fn status(&self) -> watch::Receiver<PublishStatus> {
        self.status.clone()
    }
}

impl Publisher {
    /// A publisher and its handle.
    pub fn new(client: kube::Client, config: PublisherConfig) -> (Self, PublisherHandle) {
        let (sender, commands) = mpsc::channel(4);
        let state = State::new(config.pools);
        let (status, receiver) = watch::channel(state.status.clone());
        let publisher = Self {
            driver: config.driver,
            client,
            state,
            commands,
            status,
        };
        let handle = PublisherHandle {
            commands: sender,
            status: receiver,
        };
        (publisher, handle)
    }

    /// Publishes, heals and follows changes until `shutdown`; the slices stay
    /// (KEP-4381: a driver that stops does not take its devices back; the
    /// kubelet does when it does not return). Never fails: what the API server
    /// refuses is logged, shown in the status, and tried again.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let context = Arc::new(Context {
            slices: Api::all(self.client.clone()),
            nodes: NodeUids::new(self.client.clone()),
        });
        let mut events = std::pin::pin!(self.events(&context.slices));
        let mut running = FuturesUnordered::new();
        let mut listed = false;
        let mut commands_open = true;
        let mut watch_error = None;
        let mut expire = tokio::time::interval(EXPIRE_EVERY);
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = context.nodes.preload(self.state.node_count()) => {}
        }
        loop {
            let now = now();
            while listed && running.len() < MAX_IN_FLIGHT {
                let Some(job) = self.state.next_job(now) else {
                    break;
                };
                running.push(sync(context.clone(), job));
            }
            self.report();
            let due = self
                .state
                .next_due(now)
                .filter(|_| listed && running.len() < MAX_IN_FLIGHT);
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(done) = running.next() => self.state.done(done, crate::publisher::now()),
                Some(event) = events.next() => match event {
                    Ok(event) => {
                        watch_error = None;
                        listed |= matches!(event, Event::InitDone);
                        self.apply(event, &context.nodes);
                    }
                    Err(error) => report_watch_error(&self.driver, &error, &mut watch_error),
                },
                pools = self.commands.recv(), if commands_open => match pools {
                    Some(pools) => self.state.set_pools(pools),
                    None => commands_open = false,
                },
                () = sleep_until(due) => {}
                _ = expire.tick() => {
                    let doubted = self.state.inventory.expire(now);
                    self.state.changed(doubted, now);
                }
            }
        }
        // A write that was sent is finished, so that no generation is half done.
        let drained = async { while running.next().await.is_some() {} };
        if tokio::time::timeout(DRAIN_LIMIT, drained).await.is_err() {
            tracing::warn!(driver = %self.driver, "stopped before the last slices were written");
        }
    }

    fn events(
        &self,
        slices: &Api<ResourceSlice>,
    ) -> impl Stream<Item = watcher::Result<Event<ResourceSlice>>> + use<> {
        let config = watcher::Config::default().fields(&self.selector());
        watcher::watcher(slices.clone(), config)
            .backoff(Backoff::new(WATCH_RETRY.0, WATCH_RETRY.1))
            .into_stream()
    }

    /// A process that serves one node only gets that node's slices.
    fn selector(&self) -> String {
        let driver = format!("spec.driver={}", self.driver);
        match self.state.only_node() {
            Some(node) => format!("{driver},spec.nodeName={node}"),
            None => driver,
        }
    }

    fn apply(&mut self, event: Event<ResourceSlice>, nodes: &NodeUids) {
        let now = now();
        // The watch is selected by driver; a server that does not honour that
        // must not make this driver delete another one's slices.
        if let Event::InitApply(slice) | Event::Apply(slice) | Event::Delete(slice) = &event
            && slice.spec.driver != self.driver
        {
            return;
        }
        let inventory = &mut self.state.inventory;
        let changed = match event {
            Event::Init => {
                inventory.list_begins();
                BTreeSet::new()
            }
            Event::InitApply(slice) | Event::Apply(slice) => inventory.seen(&slice),
            Event::InitDone => inventory.list_ends(),
            Event::Delete(slice) => {
                // The collector takes slices whose Node is gone; a new Node of
                // the same name has another UID.
                if let Some(node) = &slice.spec.node_name {
                    nodes.forget(node);
                }
                inventory
                    .deleted(&slice, now)
                    .into_iter()
                    .collect::<BTreeSet<PoolKey>>()
            }
        };
        self.state.changed(changed, now);
    }

    fn report(&mut self) {
        self.state.status.idle = self.state.is_idle();
        let status = &self.state.status;
        self.status.send_if_modified(|current| {
            let changed = current != status;
            if changed {
                current.clone_from(status);
            }
            changed
        });
    }
}

/// Tokio's clock, so that tests may stop it.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

fn report_watch_error(driver: &str, error: &watcher::Error, last: &mut Option<String>) {
    let text = match error {
        watcher::Error::InitialListFailed(source) => {
            format!("list ResourceSlices: {}", crate::error::describe(source))
        }
        watcher::Error::WatchStartFailed(source) | watcher::Error::WatchFailed(source) => {
            format!("watch ResourceSlices: {}", crate::error::describe(source))
        }
        other => format!("watch ResourceSlices: {other}"),
    };
    if last.as_deref() != Some(&text) {
        tracing::warn!(%driver, error = %text, "slices are not followed; trying again");
        *last = Some(text);
    }
}
