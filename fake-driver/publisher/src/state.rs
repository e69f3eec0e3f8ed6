//! Which pools are wanted, which need a pass, and when.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::backoff::Backoff;
use crate::digest::Digest;
use crate::inventory::Inventory;
use crate::plan::Wanted;
use crate::pool::{PoolKey, SliceSource};
use crate::status::PublishStatus;
use crate::sync::{Done, Job};

/// First and longest wait after a failed pass of one pool.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(10));
/// First and longest wait while somebody else keeps changing the same pool.
const HEAL: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(5));
/// A pool that was quiet for this long is healed at once again.
const CALM: Duration = Duration::from_secs(10);
/// First and longest pause while the API server is away.
const OUTAGE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Desired slices by pool.
pub type Pools = BTreeMap<PoolKey, Arc<dyn SliceSource>>;

struct Pool {
    source: Arc<dyn SliceSource>,
    /// Made when the pool is first looked at: a start with 1,000 pools does
    /// not wait for all of them.
    wanted: Option<Vec<Wanted>>,
    in_sync: bool,
    retry: Backoff,
    heal: Backoff,
    last_write: Option<Instant>,
    last_error: Option<String>,
}

impl Pool {
    fn new(source: Arc<dyn SliceSource>) -> Self {
        Self {
            wanted: None,
            source,
            in_sync: false,
            retry: Backoff::new(RETRY.0, RETRY.1),
            heal: Backoff::new(HEAL.0, HEAL.1),
            last_write: None,
            last_error: None,
        }
    }
}

impl Pool {
    fn content(&mut self) -> (Arc<dyn SliceSource>, Vec<Wanted>) {
        let digests = || digests(&*self.source);
        let wanted = self.wanted.get_or_insert_with(digests).clone();
        (self.source.clone(), wanted)
    }
}

fn digests(source: &dyn SliceSource) -> Vec<Wanted> {
    let specs = source.specs(0);
    specs
        .iter()
        .map(|spec| Wanted {
            sent: Digest::of(spec),
            kept: None,
        })
        .collect()
}

/// The publisher's state; one task owns it.
pub(crate) struct State {
    pub(crate) inventory: Inventory,
    pub(crate) status: PublishStatus,
    pools: BTreeMap<PoolKey, Pool>,
    /// Highest generation that each pool had: kept when a pool goes and comes.
    generations: BTreeMap<PoolKey, i64>,
    nodes: BTreeSet<String>,
    dirty: BTreeSet<PoolKey>,
    busy: BTreeSet<PoolKey>,
    delayed: BTreeSet<(Instant, PoolKey)>,
    outage: Backoff,
    paused_until: Option<Instant>,
    reported: BTreeSet<String>,
}

impl State {
    pub(crate) fn new(pools: Pools) -> Self {
        let mut state = Self {
            inventory: Inventory::default(),
            status: PublishStatus::default(),
            pools: BTreeMap::new(),
            generations: BTreeMap::new(),
            nodes: BTreeSet::new(),
            dirty: BTreeSet::new(),
            busy: BTreeSet::new(),
            delayed: BTreeSet::new(),
            outage: Backoff::new(OUTAGE.0, OUTAGE.1),
            paused_until: None,
            reported: BTreeSet::new(),
        };
        state.set_pools(pools);
        state
    }

    /// Number of nodes whose pools were ever wanted.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node, when every pool is local to one node.
    pub(crate) fn only_node(&self) -> Option<&str> {
        let all_local = self.pools.keys().all(|key| key.node.is_some());
        let mut nodes = self.nodes.iter();
        let first = nodes.next().filter(|_| all_local)?;
        nodes.next().is_none().then_some(first)
    }

    /// Replaces what is wanted; pools that are not wanted any more are deleted.
    pub(crate) fn set_pools(&mut self, pools: Pools) {
        self.dirty.extend(self.pools.keys().cloned());
        let mut old = std::mem::take(&mut self.pools);
        for (key, source) in pools {
            self.nodes.extend(key.node.clone());
            self.dirty.insert(key.clone());
            let pool = match old.remove(&key) {
                Some(pool) if Arc::ptr_eq(&pool.source, &source) => pool,
                _ => Pool::new(source),
            };
            self.pools.insert(key, pool);
        }
        self.status.pools = self.pools.len();
        self.status.published = self.pools.values().filter(|pool| pool.in_sync).count();
    }

    /// Somebody changed these pools. Foreign nodes and network pools that are
    /// not ours are left alone.
    pub(crate) fn changed(&mut self, keys: BTreeSet<PoolKey>, now: Instant) {
        for key in keys {
            let ours = key
                .node
                .as_ref()
                .is_some_and(|node| self.nodes.contains(node));
            if let Some(pool) = self.pools.get_mut(&key) {
                let calm = pool
                    .last_write
                    .is_none_or(|at| now.saturating_duration_since(at) > CALM);
                if calm {
                    pool.heal.succeed();
                    self.dirty.insert(key);
                } else if let Some(delay) = pool.heal.next() {
                    self.delayed.insert((now + delay, key));
                }
            } else if ours {
                self.dirty.insert(key);
            }
        }
    }

    /// When something is due without an event.
    pub(crate) fn next_due(&self, now: Instant) -> Option<Instant> {
        let pause = self.paused_until.filter(|until| *until > now);
        let delayed = self.delayed.first().map(|(at, _)| *at);
        let delayed = delayed.map(|at| pause.map_or(at, |until| at.max(until)));
        let dirty = pause.filter(|_| !self.dirty.is_empty());
        [delayed, dirty].into_iter().flatten().min()
    }

    /// The next pass to run now, if any.
    pub(crate) fn next_job(&mut self, now: Instant) -> Option<Job> {
        if self.paused_until.is_some_and(|until| now < until) {
            return None;
        }
        while let Some((at, key)) = self.delayed.pop_first() {
            if at > now {
                self.delayed.insert((at, key));
                break;
            }
            self.dirty.insert(key);
        }
        let key = self
            .dirty
            .iter()
            .find(|key| !self.busy.contains(*key))?
            .clone();
        self.dirty.remove(&key);
        self.busy.insert(key.clone());
        let pool = self.pools.get_mut(&key);
        let (source, wanted) = pool.map(Pool::content).unzip();
        Some(Job {
            source,
            wanted: wanted.unwrap_or_default(),
            stored: self.inventory.pool(&key),
            last_generation: self.generations.get(&key).copied().unwrap_or(0),
            key,
        })
    }

    /// Takes in what a pass did.
    pub(crate) fn done(&mut self, done: Done, now: Instant) {
        self.busy.remove(&done.key);
        let generation = self.generations.entry(done.key.clone()).or_default();
        *generation = done.generation.max(*generation);
        let wrote = !done.changes.written.is_empty();
        for gone in &done.changes.deleted {
            self.inventory.removed(gone, now);
            self.status.deletes += 1;
        }
        self.status.creates += done.changes.created as u64;
        self.status.updates += (done.changes.written.len() - done.changes.created) as u64;
        for written in done.changes.written {
            self.report_dropped(&done.key, written.index, &written.dropped);
            if let Some(pool) = self.pools.get_mut(&done.key)
                && let Some(wanted) = pool
                    .wanted
                    .as_mut()
                    .and_then(|all| all.get_mut(written.index))
            {
                wanted.kept = Some(written.stored.digest);
            }
            self.inventory
                .written(done.key.clone(), written.stored, now);
        }
        if let Some(pool) = self.pools.get_mut(&done.key)
            && wrote
        {
            pool.last_write = Some(now);
        }
        match done.result {
            Ok(()) => self.succeeded(&done.key),
            Err(error) => self.failed(&done.key, &error, now),
        }
    }

    fn succeeded(&mut self, key: &PoolKey) {
        self.outage.succeed();
        self.paused_until = None;
        if let Some(pool) = self.pools.get_mut(key) {
            pool.retry.succeed();
            if pool.last_error.take().is_some() {
                tracing::info!(pool = %key, "published after an earlier failure");
            }
            self.status.published += usize::from(!pool.in_sync);
            pool.in_sync = true;
        }
        if self.status.is_published() {
            self.status.last_error = None;
        }
    }

    fn failed(&mut self, key: &PoolKey, error: &crate::PublishError, now: Instant) {
        let text = error.to_string();
        if error.is_outage() {
            if self.paused_until.is_none_or(|until| now >= until) {
                let delay = self.outage.next().unwrap_or(OUTAGE.1);
                self.paused_until = Some(now + delay);
                tracing::warn!(pool = %key, error = %text, ?delay, "the API server is away; trying again");
            }
            self.dirty.insert(key.clone());
        } else {
            let pool = self.pools.get_mut(key);
            let delay = pool.and_then(|pool| {
                if pool.last_error.as_deref() != Some(&text) && !error.is_conflict() {
                    tracing::warn!(pool = %key, error = %text, "slices not published; trying again");
                }
                pool.retry.next()
            });
            self.delayed
                .insert((now + delay.unwrap_or(RETRY.1), key.clone()));
        }
        if let Some(pool) = self.pools.get_mut(key) {
            self.status.published -= usize::from(pool.in_sync);
            pool.in_sync = false;
            pool.last_error = Some(text.clone());
        }
        self.status.last_error = Some(text);
    }

    fn report_dropped(&mut self, key: &PoolKey, index: usize, dropped: &[String]) {
        if dropped.is_empty() {
            return;
        }
        let fields = dropped.join(", ");
        if self.reported.insert(fields.clone()) {
            tracing::warn!(
                pool = %key, slice = index, %fields,
                "the API server did not keep these fields as sent (is their feature gate off?); not sent again"
            );
        }
        self.status.dropped_fields.extend(dropped.iter().cloned());
    }

    /// Whether no pass runs, waits or is planned.
    pub(crate) fn is_idle(&self) -> bool {
        self.busy.is_empty() && self.dirty.is_empty() && self.delayed.is_empty()
    }
}
