//! The life of one pod on its node.

use std::sync::Arc;
use std::time::Duration;

use drakit_sim_store::resource::PODS;
use drakit_sim_store::{DeleteOptions, EventType, Expect, Key, Object, StoreError};
use tokio::sync::watch;

use super::containers::{self, Announce};
use super::status::{ContainerStage, PodStage};
use super::view::PodView;
use crate::cluster::Cluster;
use crate::node::Node;

/// After this long the pod's status says that its containers are being created. A kubelet writes that
/// at once; a pod that starts sooner saves the write.
const SHOW_CREATING_AFTER: Duration = Duration::from_millis(250);

/// How long a pod of restart policy Never or OnFailure runs before it succeeds, e.g. `30s`.
const RUN_FOR: &str = "drakit/run-for";

/// The newest state of a pod.
#[derive(Debug, Clone)]
pub(super) struct PodUpdate {
    pub(super) object: Arc<Object>,
    /// The object is no longer in the API.
    pub(super) gone: bool,
}

pub(super) struct PodWorker {
    cluster: Arc<Cluster>,
    node: Arc<Node>,
    updates: watch::Receiver<PodUpdate>,
    key: Key,
    uid: String,
    stage: PodStage,
}

/// How starting a pod went.
#[derive(PartialEq, Eq)]
enum Start {
    Running,
    /// The pod is deleted, gone or was finished before.
    Ending,
}

impl PodWorker {
    pub(super) fn new(
        cluster: Arc<Cluster>,
        node: Arc<Node>,
        updates: watch::Receiver<PodUpdate>,
    ) -> Self {
        let object = updates.borrow().object.clone();
        let stage = PodStage {
            start_time: node.now(),
            host_ip: node.address.to_string(),
            ..PodStage::default()
        };
        Self {
            cluster,
            node,
            updates,
            key: object.key(),
            uid: object.uid().to_owned(),
            stage,
        }
    }

    /// Runs until the pod is gone or the kubelet stops.
    pub(super) async fn run(mut self) {
        let stop = self.cluster.stop.clone();
        if stop.run_until_cancelled(self.live()).await.is_some() {
            self.node.release(&self.uid);
        }
    }

    async fn live(&mut self) {
        if self.start().await == Start::Running && self.ends_by_itself().await {
            self.complete().await;
        }
        self.end().await;
    }

    fn current(&self) -> (Arc<Object>, bool) {
        let update = self.updates.borrow();
        (update.object.clone(), update.gone)
    }

    /// The pod as it is now; `None` when it is deleted, gone or finished.
    fn wanted(&self) -> Option<(Arc<Object>, PodView)> {
        let (object, gone) = self.current();
        let pod: PodView = match object.parse() {
            Ok(pod) => pod,
            Err(error) => {
                tracing::warn!(pod = %self.key, %error, "pod cannot be read");
                return None;
            }
        };
        (!gone && !pod.is_deleting() && !pod.is_finished()).then_some((object, pod))
    }

    async fn start(&mut self) -> Start {
        let mut changes = self.node.plugins.changes();
        loop {
            changes.mark_unchanged();
            self.updates.mark_unchanged();
            let Some((object, pod)) = self.wanted() else {
                return Start::Ending;
            };
            if self.adopt(&object, &pod) {
                return Start::Running;
            }
            let again = match self.attempt(&object, &pod).await {
                Some(Ok(())) => return Start::Running,
                Some(Err(again)) => again,
                // Deleted while it was being prepared.
                None => continue,
            };
            tokio::select! {
                () = tokio::time::sleep(again) => {}
                _ = changes.changed() => {}
                () = self.changed_by_others(&pod) => {}
            }
        }
    }

    /// A pod that ran before this kubelet started goes on running, without being prepared again.
    fn adopt(&mut self, object: &Arc<Object>, pod: &PodView) -> bool {
        if pod.status.phase != "Running" || !self.stage.containers.is_empty() {
            return false;
        }
        self.stage.sandbox = true;
        self.stage.pod_ip = Some(pod.status.pod_ip.clone());
        self.cluster.network.keep(&pod.status.pod_ip);
        if let Some(start) = &pod.status.start_time {
            self.stage.start_time.clone_from(start);
        }
        containers::create_missing(&self.node, pod, object, &mut self.stage, Announce::No);
        true
    }

    /// One sync of the pod. `None` when the pod ended meanwhile, else how long to wait after a failure.
    async fn attempt(
        &mut self,
        object: &Arc<Object>,
        pod: &PodView,
    ) -> Option<Result<(), Duration>> {
        if !self.stage.sandbox {
            if let Err(error) = self.prepare(pod).await? {
                let message = format!(
                    "Failed to prepare dynamic resources: prepare dynamic resources: {error}"
                );
                self.node.events.record(
                    object,
                    EventType::Warning,
                    "FailedPrepareDynamicResources",
                    &message,
                );
                self.write_status(pod);
                return Some(Err(self.cluster.timing.prepare_again));
            }
            self.stage.sandbox = true;
            self.stage.pod_ip = if pod.spec.host_network {
                Some(self.stage.host_ip.clone())
            } else {
                self.cluster.network.take().map(|ip| ip.to_string())
            };
        }
        let all =
            containers::create_missing(&self.node, pod, object, &mut self.stage, Announce::Yes);
        self.write_status(pod);
        Some(if all {
            Ok(())
        } else {
            Err(self.cluster.timing.sync_again)
        })
    }

    /// Prepares the claims; stops waiting (and cancels the call) when the pod is deleted.
    async fn prepare(&mut self, pod: &PodView) -> Option<Result<(), crate::claims::PrepareError>> {
        let node = self.node.clone();
        let mut prepare = std::pin::pin!(node.claims.prepare(pod));
        let mut ending = std::pin::pin!(deleted(self.updates.clone()));
        tokio::select! {
            done = &mut prepare => return Some(done),
            () = &mut ending => return None,
            () = tokio::time::sleep(SHOW_CREATING_AFTER) => {}
        }
        self.write_status(pod);
        tokio::select! {
            done = prepare => Some(done),
            () = ending => None,
        }
    }

    /// Waits for a change that is more than this kubelet's own writes.
    async fn changed_by_others(&mut self, known: &PodView) {
        loop {
            if self.updates.changed().await.is_err() {
                return std::future::pending().await;
            }
            let Some((_, pod)) = self.wanted() else {
                return;
            };
            let same_claims = pod.status.resource_claim_statuses.len()
                == known.status.resource_claim_statuses.len();
            if pod.metadata.generation != known.metadata.generation || !same_claims {
                return;
            }
        }
    }

    /// True when the containers end on their own; false when the pod is deleted first.
    async fn ends_by_itself(&mut self) -> bool {
        let Some((_, pod)) = self.wanted() else {
            return false;
        };
        let ending = deleted(self.updates.clone());
        let Some(time) = run_time(&pod) else {
            ending.await;
            return false;
        };
        tokio::select! {
            () = tokio::time::sleep(time) => true,
            () = ending => false,
        }
    }

    /// Unprepares before the pod is finished for the API: the claim may then go to somebody else.
    async fn complete(&mut self) {
        let Some((_, pod)) = self.wanted() else {
            return;
        };
        self.end_containers(&pod);
        self.unprepare().await;
        self.stage.terminal = true;
        self.write_status(&pod);
    }

    /// Waits for the deletion of a finished pod, and takes down what a deleted one has.
    async fn end(&mut self) {
        let (object, gone) = self.current();
        let pod: PodView = object.parse().unwrap_or_default();
        if !gone && !self.stage.terminal {
            self.announce_killing(&object, &pod);
        }
        self.end_containers(&pod);
        self.unprepare().await;
        if !gone && !self.stage.terminal && !pod.is_finished() {
            self.stage.terminal = true;
            self.write_status(&pod);
        }
        deleted(self.updates.clone()).await;
        if let Some(ip) = self.stage.pod_ip.take() {
            self.cluster.network.give_back(&ip);
        }
        let now = DeleteOptions::now(self.uid.as_str());
        if let Err(error) = self.cluster.store.delete(&PODS, &self.key, &now) {
            // It is gone already, or another pod has its name.
            tracing::debug!(pod = %self.key, %error, "pod not deleted");
        }
        // A finalizer may hold it; logs stay readable until then.
        let mut updates = self.updates.clone();
        let _ = updates.wait_for(|update| update.gone).await;
        self.node.logs.remove(&self.key, &self.uid);
    }

    fn announce_killing(&self, object: &Arc<Object>, pod: &PodView) {
        for container in pod.all_containers() {
            let running = self.stage.containers.get(&container.name);
            if matches!(running, Some(ContainerStage::Running { .. })) {
                self.node.events.record(
                    object,
                    EventType::Normal,
                    "Killing",
                    &format!("Stopping container {}", container.name),
                );
            }
        }
    }

    fn end_containers(&mut self, pod: &PodView) {
        let now = self.node.now();
        for container in pod.all_containers() {
            containers::end(&mut self.stage, container, &now);
        }
    }

    /// Tries until the drivers have let go; without them the pod stays, as on a real node.
    async fn unprepare(&self) {
        let mut changes = self.node.plugins.changes();
        loop {
            changes.mark_unchanged();
            let Err(error) = self.node.claims.unprepare(&self.uid).await else {
                return;
            };
            tracing::info!(pod = %self.key, %error, "claims not unprepared, will try again");
            tokio::select! {
                () = tokio::time::sleep(self.cluster.timing.sync_again) => {}
                _ = changes.changed() => {}
            }
        }
    }

    fn write_status(&self, pod: &PodView) {
        let now = self.node.now();
        let result = self.cluster.store.update_status(
            &PODS,
            &self.key,
            &Expect::uid(self.uid.as_str()),
            |old| {
                let mut new = old.value().clone();
                new["status"] = self.stage.status(pod, old.at(&["status"]), &now);
                Ok::<_, StoreError>(new)
            },
        );
        if let Err(error) = result {
            // The pod is gone, or another has its name.
            tracing::debug!(pod = %self.key, %error, "pod status not written");
        }
    }
}

/// Waits until the pod is deleted or gone.
async fn deleted(mut updates: watch::Receiver<PodUpdate>) {
    let deleted = updates
        .wait_for(|update| update.gone || update.object.is_deleting())
        .await
        .is_ok();
    if !deleted {
        // The kubelet stops.
        std::future::pending::<()>().await;
    }
}

/// How long the pod's containers run; `None`: until they are stopped.
fn run_time(pod: &PodView) -> Option<Duration> {
    if !matches!(pod.spec.restart_policy.as_str(), "Never" | "OnFailure") {
        return None;
    }
    match pod.metadata.annotations.get(RUN_FOR) {
        Some(text) => match text.parse::<jiff::SignedDuration>() {
            Ok(duration) => Some(duration.unsigned_abs()),
            Err(error) => {
                tracing::warn!(pod = pod.full_name(), %error, "{RUN_FOR} is no duration");
                None
            }
        },
        None => pod.is_of_job().then_some(Duration::ZERO),
    }
}
