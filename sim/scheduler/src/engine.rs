//! The one task: hears changes, tries pods.

use std::time::{Duration, Instant};

use drakit_allocator::Features;
use drakit_sim_store::resource::{DEVICE_CLASSES, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES};
use drakit_sim_store::{
    Change, ChangeKind, EventRecorder, Filter, Key, Object, Resource, Store, Watch, WatchEvent,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::commit;
use crate::decide::decide;
use crate::pod::{claim_entries, claim_name};
use crate::queue::Queue;
use crate::verdict::Verdict;
use crate::world::World;

/// Pods tried between two looks at new changes.
const BATCH: usize = 32;
/// Pause when nothing is to be done at a later time.
const IDLE: Duration = Duration::from_secs(3600);
/// `spec.schedulerName` of the pods that are ours.
const NAME: &str = "default-scheduler";

/// What the scheduler needs to know.
#[derive(Debug, Clone, Copy)]
pub struct SchedulerConfig {
    /// Feature gates of the allocator.
    pub features: Features,
    /// Multiplies every back-off: 1.0 is Kubernetes' own.
    pub time_scale: f64,
}

/// Runs the scheduler until `shutdown`.
pub fn start(store: Store, config: SchedulerConfig, shutdown: CancellationToken) -> JoinHandle<()> {
    let recorder = EventRecorder::new(store.clone(), NAME, None);
    let mut engine = Engine {
        world: World::new(config.features),
        queue: Queue::new(config.time_scale),
        recorder,
        store,
        config,
    };
    tokio::spawn(async move { engine.run(&shutdown).await })
}

struct Watches {
    classes: Watch,
    slices: Watch,
    nodes: Watch,
    claims: Watch,
    pods: Watch,
}

struct Engine {
    store: Store,
    world: World,
    queue: Queue,
    recorder: EventRecorder,
    config: SchedulerConfig,
}

impl Engine {
    async fn run(&mut self, shutdown: &CancellationToken) {
        let mut watches = self.subscribe();
        loop {
            self.drain(&mut watches);
            let next = self.queue.wake(Instant::now());
            if self.try_batch() {
                tokio::task::yield_now().await;
                if shutdown.is_cancelled() {
                    return;
                }
                continue;
            }
            let until = next.unwrap_or_else(|| Instant::now() + IDLE);
            let lost = tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep_until(until.into()) => false,
                event = watches.classes.next() => !self.heard(&DEVICE_CLASSES, event.as_ref()),
                event = watches.slices.next() => !self.heard(&RESOURCE_SLICES, event.as_ref()),
                event = watches.nodes.next() => !self.heard(&NODES, event.as_ref()),
                event = watches.claims.next() => !self.heard(&RESOURCE_CLAIMS, event.as_ref()),
                event = watches.pods.next() => !self.heard(&PODS, event.as_ref()),
            };
            if lost {
                // We fell behind and were cut off: start over from the state as it is.
                self.world = World::new(self.config.features);
                self.queue = Queue::new(self.config.time_scale);
                watches = self.subscribe();
            }
        }
    }

    /// Lists everything and watches from there. Pods last, so that the first attempt sees the rest.
    fn subscribe(&mut self) -> Watches {
        let classes = self.list(&DEVICE_CLASSES);
        let slices = self.list(&RESOURCE_SLICES);
        let nodes = self.list(&NODES);
        let claims = self.list(&RESOURCE_CLAIMS);
        let pods = self.list(&PODS);
        Watches {
            classes,
            slices,
            nodes,
            claims,
            pods,
        }
    }

    fn list(&mut self, resource: &Resource) -> Watch {
        let (objects, watch) = self.store.list_and_watch(resource, &Filter::all());
        for object in objects {
            self.apply(
                resource,
                &Change {
                    kind: ChangeKind::Added,
                    object,
                    previous: None,
                },
            );
        }
        watch
    }

    fn drain(&mut self, watches: &mut Watches) {
        let all = [
            (&DEVICE_CLASSES, &mut watches.classes),
            (&RESOURCE_SLICES, &mut watches.slices),
            (&NODES, &mut watches.nodes),
            (&RESOURCE_CLAIMS, &mut watches.claims),
            (&PODS, &mut watches.pods),
        ];
        for (resource, watch) in all {
            while let Some(event) = watch.try_next() {
                self.heard(resource, Some(&event));
            }
        }
    }

    /// False when the watch was ended.
    fn heard(&mut self, resource: &Resource, event: Option<&WatchEvent>) -> bool {
        if let Some(WatchEvent::Change(change)) = event {
            self.apply(resource, change);
        }
        event.is_some()
    }

    fn apply(&mut self, resource: &Resource, change: &Change) {
        let helps = if *resource == PODS {
            self.pod_changed(change);
            self.world.pod(change)
        } else if *resource == RESOURCE_CLAIMS {
            let freed = self
                .world
                .claim(&change.object, change.kind == ChangeKind::Deleted);
            self.queue.claim_changed(&change.object.key());
            // A pod may wait for a claim that was deallocated or allocated for another one.
            freed
        } else if *resource == NODES {
            self.world.node(change)
        } else if *resource == RESOURCE_SLICES {
            self.world.slice(change);
            true
        } else {
            self.world.class(change);
            true
        };
        if helps {
            self.queue.wake_parked(Instant::now());
        }
    }

    fn pod_changed(&mut self, change: &Change) {
        let pod = &change.object;
        let waits = change.kind != ChangeKind::Deleted && is_ours(pod);
        if !waits {
            self.queue.forget(&pod.key());
            return;
        }
        // Our own condition is no reason to try again (`isPodUpdated`).
        let status_only = change
            .previous
            .as_ref()
            .is_some_and(|old| same_question(old, pod));
        if !status_only {
            self.queue.add(&pod.key());
        }
    }

    /// Tries a batch of pods; true when more are ready.
    fn try_batch(&mut self) -> bool {
        for _ in 0..BATCH {
            let Some(key) = self.queue.pop() else {
                return false;
            };
            let Ok(pod) = self.store.get(&PODS, &key) else {
                continue;
            };
            if is_ours(&pod) {
                self.try_pod(&pod);
            }
        }
        true
    }

    fn try_pod(&mut self, pod: &Object) {
        let share_ids = || self.store.new_uid();
        let verdict = match decide(&self.world, pod, &share_ids) {
            Ok(placement) => {
                match commit::place(
                    &self.store,
                    &mut self.world,
                    &self.recorder,
                    pod,
                    &placement,
                ) {
                    Ok(()) => {
                        self.queue.forget(&pod.key());
                        return;
                    }
                    Err(error) => Verdict::Error(error.to_string()),
                }
            }
            Err(verdict) => verdict,
        };
        commit::refuse(
            &self.store,
            &self.recorder,
            pod,
            &verdict,
            self.world.nodes.len(),
        );
        match (&verdict, missing_claim(&self.world, pod)) {
            (Verdict::NotReady(_), Some(claim)) => self.queue.wait_for_claim(pod.key(), claim),
            // Its claim is not named yet; the change of its status brings it back.
            (Verdict::NotReady(_), None) => {}
            _ => self.queue.park(pod.key(), Instant::now()),
        }
        if matches!(verdict, Verdict::Error(_)) {
            self.queue.wake_parked(Instant::now());
        }
    }
}

/// The claim that a pod waits for: absent, or on its way out.
fn missing_claim(world: &World, pod: &Object) -> Option<Key> {
    claim_entries(pod).iter().find_map(|entry| {
        let key = Key::new(pod.namespace(), claim_name(pod, entry).ok()??);
        let known = world.claims.get(&key);
        known
            .is_none_or(|claim| claim.object.is_deleting())
            .then_some(key)
    })
}

/// Without a node, not finished, not going away, ungated, and for this scheduler.
fn is_ours(pod: &Object) -> bool {
    let scheduler = pod.str_at(&["spec", "schedulerName"]);
    pod.str_at(&["spec", "nodeName"]).is_empty()
        && !pod.is_deleting()
        && !matches!(pod.str_at(&["status", "phase"]), "Succeeded" | "Failed")
        && pod
            .at(&["spec", "schedulingGates"])
            .as_array()
            .is_none_or(Vec::is_empty)
        && (scheduler.is_empty() || scheduler == NAME)
}

/// Whether nothing changed that a scheduling decision reads.
fn same_question(old: &Object, new: &Object) -> bool {
    old.at(&["spec"]) == new.at(&["spec"])
        && old.at(&["metadata", "labels"]) == new.at(&["metadata", "labels"])
        && old.at(&["status", "resourceClaimStatuses"])
            == new.at(&["status", "resourceClaimStatuses"])
}
