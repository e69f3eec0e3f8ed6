//! The one task: hears every change, runs what it made work for.

use std::time::{Duration, Instant};

use drakit_sim_store::resource::{
    BUILT_IN, DAEMON_SETS, DEPLOYMENTS, JOBS, NAMESPACES, NODES, PODS, REPLICA_SETS,
};
use drakit_sim_store::{Change, ChangeKind, Key, Object, Resource, Store, Watch, WatchEvent};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::work::{Item, ReconcileError, Work};
use crate::world::{Ref, World};
use crate::{claims, daemons, deployments, garbage, jobs, namespaces, replicas};

/// Items worked off between two looks at new changes.
const BATCH: usize = 64;
/// Pause when nothing is to be done at a later time.
const IDLE: Duration = Duration::from_secs(3600);

/// What the controllers need to know.
#[derive(Debug, Clone)]
pub struct ControllersConfig {
    /// Every kind that the API server serves, for garbage collection and namespace deletion.
    pub resources: Vec<Resource>,
}

impl Default for ControllersConfig {
    fn default() -> Self {
        Self {
            resources: BUILT_IN.to_vec(),
        }
    }
}

/// Makes the default namespaces and runs all controllers until `shutdown`.
pub fn start(
    store: Store,
    config: ControllersConfig,
    shutdown: CancellationToken,
) -> JoinHandle<()> {
    namespaces::create_defaults(&store);
    let mut engine = Engine {
        world: World::new(store, config.resources),
        work: Work::default(),
    };
    tokio::spawn(async move { engine.run(&shutdown).await })
}

struct Engine {
    world: World,
    work: Work,
}

impl Engine {
    async fn run(&mut self, shutdown: &CancellationToken) {
        let mut watch = self.subscribe();
        loop {
            while let Some(event) = watch.try_next() {
                self.hear(&event);
            }
            let next = self.work.wake(Instant::now());
            if self.work_off() {
                // More is ready: let others run, then look at changes again.
                tokio::task::yield_now().await;
                if shutdown.is_cancelled() {
                    return;
                }
                continue;
            }
            let until = next.unwrap_or_else(|| Instant::now() + IDLE);
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep_until(until.into()) => {}
                event = watch.next() => match event {
                    Some(event) => self.hear(&event),
                    // We fell behind and were cut off: start over from the state as it is.
                    None => watch = self.subscribe(),
                },
            }
        }
    }

    fn subscribe(&mut self) -> Watch {
        let (objects, watch) = self.world.store.watch_everything();
        self.world = World::new(self.world.store.clone(), self.world.kinds().to_vec());
        for object in objects {
            self.apply(&Change {
                kind: ChangeKind::Added,
                object,
                previous: None,
            });
        }
        watch
    }

    fn hear(&mut self, event: &WatchEvent) {
        if let WatchEvent::Change(change) = event {
            self.apply(change);
        }
    }

    fn apply(&mut self, change: &Change) {
        self.world.apply(change);
        let Some(me) = self.world.reference(&change.object) else {
            return;
        };
        self.own_work(&me, change);
        self.claim_work(&me, change);
        self.owner_work(&change.object);
        garbage::notice(&self.world, &me, change, &mut self.work);
    }

    /// Work for the object itself.
    fn own_work(&mut self, me: &Ref, change: &Change) {
        let key = me.key.clone();
        if self.world.is(me, &DEPLOYMENTS) {
            self.work.add(Item::Deployment(key));
        } else if self.world.is(me, &REPLICA_SETS) {
            self.work.add(Item::ReplicaSet(key));
        } else if self.world.is(me, &DAEMON_SETS) {
            self.work.add(Item::DaemonSet(key));
        } else if self.world.is(me, &JOBS) {
            self.work.add(Item::Job(key));
        } else if self.world.is(me, &NAMESPACES) {
            self.work.add(Item::Namespace(key.name));
        } else if self.world.is(me, &NODES) && daemons::node_changed(change) {
            let (sets, _) = self.world.store.snapshot(&DAEMON_SETS, None, None);
            for set in sets {
                self.work.add(Item::DaemonSet(set.key()));
            }
        }
        // The last object of a namespace that is being deleted lets it go.
        if change.kind == ChangeKind::Deleted
            && !key_namespace(&change.object).is_empty()
            && namespaces::is_terminating(&self.world.store, key_namespace(&change.object))
        {
            self.work
                .add(Item::Namespace(key_namespace(&change.object).to_owned()));
        }
    }

    fn claim_work(&mut self, me: &Ref, change: &Change) {
        if self.world.is(me, &PODS) {
            claims::notice_pod(change, &mut self.work);
            return;
        }
        let (claim, template) = self.world.claim_or_template(me);
        if claim {
            self.work.add(Item::Claim(me.key.clone()));
            self.world
                .pods_of_claim(&me.key)
                .into_iter()
                .for_each(|pod| self.work.add(Item::PodClaims(pod)));
        } else if template && change.kind == ChangeKind::Added {
            self.world
                .pods_of_template(&me.key)
                .into_iter()
                .for_each(|pod| self.work.add(Item::PodClaims(pod)));
        }
    }

    /// Work for the controller of the object.
    fn owner_work(&mut self, object: &Object) {
        let Some(owner) = object.controller() else {
            return;
        };
        let text = |field: &str| owner.get(field).and_then(|v| v.as_str()).unwrap_or("");
        let key = Key::new(object.namespace(), text("name"));
        match text("kind") {
            "ReplicaSet" => self.work.add(Item::ReplicaSet(key)),
            "Deployment" => self.work.add(Item::Deployment(key)),
            "DaemonSet" => self.work.add(Item::DaemonSet(key)),
            "Job" => self.work.add(Item::Job(key)),
            _ => {}
        }
    }

    /// Runs a batch; true when more is ready.
    fn work_off(&mut self) -> bool {
        for _ in 0..BATCH {
            let Some(item) = self.work.pop() else {
                return false;
            };
            match self.reconcile(&item) {
                Ok(()) => self.work.succeeded(&item),
                Err(error) => {
                    tracing::debug!(?item, %error, "not reconciled yet");
                    self.work.failed(item, Instant::now());
                }
            }
        }
        true
    }

    fn reconcile(&mut self, item: &Item) -> Result<(), ReconcileError> {
        match item {
            Item::PodClaims(key) => claims::sync_pod(&mut self.world, key),
            Item::Claim(key) => claims::sync_claim(&self.world, key),
            Item::ReplicaSet(key) => replicas::sync(&mut self.world, key),
            Item::Deployment(key) => deployments::sync(&mut self.world, key),
            Item::DaemonSet(key) => daemons::sync(&mut self.world, key),
            Item::Job(key) => jobs::sync(&mut self.world, key, &mut self.work),
            Item::Namespace(name) => namespaces::sync(&self.world, name),
            Item::Garbage(of) => garbage::sync(&self.world, of),
        }
    }
}

fn key_namespace(object: &Object) -> &str {
    object.namespace()
}
