//! Which pods run where: one watch for all nodes, one worker for each pod.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_sim_store::resource::PODS;
use drakit_sim_store::{ChangeKind, Filter, Object, Watch, WatchEvent};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use super::worker::{PodUpdate, PodWorker};
use crate::cluster::Cluster;
use crate::node::Node;

/// New nodes, and who wants to know that their pods are taken up.
pub(crate) type Hosted = (Vec<Arc<Node>>, oneshot::Sender<()>);

struct Worker {
    updates: watch::Sender<PodUpdate>,
}

pub(crate) struct Dispatcher {
    cluster: Arc<Cluster>,
    nodes: BTreeMap<String, Arc<Node>>,
    /// By pod UID.
    workers: BTreeMap<String, Worker>,
    /// Pods bound to nodes that are not here (yet): by node and UID.
    waiting: BTreeMap<String, BTreeMap<String, Arc<Object>>>,
}

impl Dispatcher {
    pub(crate) fn new(cluster: Arc<Cluster>) -> Self {
        Self {
            cluster,
            nodes: BTreeMap::new(),
            workers: BTreeMap::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// Runs until the cluster stops.
    pub(crate) async fn run(mut self, mut hosted: mpsc::UnboundedReceiver<Hosted>) {
        let stop = self.cluster.stop.clone();
        let _ = stop.run_until_cancelled(self.follow(&mut hosted)).await;
    }

    async fn follow(&mut self, hosted: &mut mpsc::UnboundedReceiver<Hosted>) {
        loop {
            let mut pods = self.list();
            loop {
                tokio::select! {
                    event = pods.next() => match event {
                        Some(WatchEvent::Change(change)) => {
                            self.seen(change.object, change.kind == ChangeKind::Deleted);
                        }
                        Some(WatchEvent::Progress(_)) => {}
                        // Too slow, or the API server restarts: starts over with a list.
                        None => break,
                    },
                    Some((nodes, ready)) = hosted.recv() => {
                        for node in nodes {
                            self.host(node);
                        }
                        // Whoever asked may have given up.
                        let _ = ready.send(());
                    }
                }
            }
        }
    }

    fn list(&mut self) -> Watch {
        let bound = |pod: &Value| {
            let node = pod.pointer("/spec/nodeName").and_then(Value::as_str);
            node.is_some_and(|name| !name.is_empty())
        };
        let (pods, watch) = self
            .cluster
            .store
            .list_and_watch(&PODS, &Filter::matching(bound));
        let mut lost = std::mem::take(&mut self.workers);
        self.waiting.clear();
        for pod in pods {
            if let Some(worker) = lost.remove(pod.uid()) {
                self.workers.insert(pod.uid().to_owned(), worker);
            }
            self.seen(pod, false);
        }
        for worker in lost.into_values() {
            worker.updates.send_modify(|update| update.gone = true);
        }
        watch
    }

    fn host(&mut self, node: Arc<Node>) {
        let pods = self.waiting.remove(&node.name).unwrap_or_default();
        self.nodes.insert(node.name.clone(), node);
        for pod in pods.into_values() {
            self.seen(pod, false);
        }
    }

    fn seen(&mut self, object: Arc<Object>, gone: bool) {
        let uid = object.uid().to_owned();
        let node_name = object.str_at(&["spec", "nodeName"]).to_owned();
        let update = PodUpdate { object, gone };
        if let Some(worker) = self.workers.get(&uid) {
            worker.updates.send_replace(update);
            if gone {
                self.workers.remove(&uid);
            }
            return;
        }
        let Some(node) = self.nodes.get(&node_name) else {
            self.keep_waiting(&node_name, uid, update);
            return;
        };
        if gone {
            return;
        }
        let (updates, receiver) = watch::channel(update);
        node.take_up(&uid);
        let worker = PodWorker::new(self.cluster.clone(), node.clone(), receiver);
        self.cluster.tasks.spawn(worker.run());
        self.workers.insert(uid, Worker { updates });
    }

    fn keep_waiting(&mut self, node: &str, uid: String, update: PodUpdate) {
        let pods = self.waiting.entry(node.to_owned()).or_default();
        if update.gone {
            pods.remove(&uid);
        } else {
            pods.insert(uid, update.object);
        }
        if pods.is_empty() {
            self.waiting.remove(node);
        }
    }
}
