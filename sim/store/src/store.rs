//! The owner of every object.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};

use crate::clock::Clock;
use crate::error::StoreError;
use crate::object::{Key, Object};
use crate::resource::Resource;
use crate::table::{Change, Table};
use crate::watch::{Filter, Subscriber, Watch};

/// Letters of generated names (`k8s.io/apimachinery/pkg/util/rand`).
const NAME_LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) version: u64,
    tables: BTreeMap<(String, String), Table>,
    everything: Vec<Subscriber>,
    random: StdRng,
}

impl State {
    pub(crate) fn table(&mut self, resource: &Resource) -> &mut Table {
        let key = (resource.group.to_string(), resource.plural.to_string());
        self.tables.entry(key).or_default()
    }

    pub(crate) fn commit(&mut self, resource: &Resource, change: Change) {
        self.everything.retain(|s| s.offer(&change));
        self.table(resource).commit(change);
    }
}

/// All objects of one simulated cluster. Cheap to clone; every clone is the same store.
///
/// The lock is held for a statement and never across an await. Of callers' code only watch filters
/// run under it; changes are made outside and committed if nobody else was faster.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) state: Arc<Mutex<State>>,
    clock: Clock,
    /// Writes are checked and answered, but not kept.
    pub(crate) dry: bool,
}

impl Store {
    /// An empty store. `seed` decides uids and generated names.
    pub fn new(seed: u64, clock: Clock) -> Self {
        let state = State {
            version: 0,
            tables: BTreeMap::new(),
            everything: Vec::new(),
            random: StdRng::seed_from_u64(seed),
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            clock,
            dry: false,
        }
    }

    /// The same store for requests with `dryRun=All`: writes are checked and answered as always, but
    /// nothing is kept and nobody sees them.
    #[must_use]
    pub fn dry_run(&self) -> Self {
        Self {
            dry: true,
            ..self.clone()
        }
    }

    /// The clock that stamps objects.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The version of the newest change.
    pub fn version(&self) -> u64 {
        self.state.lock().version
    }

    /// A fresh UUID (version 4 in form, from the store's seed).
    pub fn new_uid(&self) -> String {
        let mut bytes = [0_u8; 16];
        self.state.lock().random.fill_bytes(&mut bytes);
        uuid::Builder::from_random_bytes(bytes)
            .into_uuid()
            .to_string()
    }

    /// `base` with five random letters, as `generateName` makes them.
    pub fn generate_name(&self, base: &str) -> String {
        /// 63 less the five letters (`names/generate.go`).
        const MAX_BASE: usize = 58;
        let cut = base
            .char_indices()
            .nth(MAX_BASE)
            .map_or(base.len(), |(at, _)| at);
        let mut name = base[..cut].to_owned();
        let state = &mut *self.state.lock();
        name.extend(
            (0..5).map(|_| {
                char::from(NAME_LETTERS[state.random.random_range(0..NAME_LETTERS.len())])
            }),
        );
        name
    }

    /// The newest version of an object.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub fn get(&self, resource: &Resource, key: &Key) -> Result<Arc<Object>, StoreError> {
        let mut state = self.state.lock();
        state
            .table(resource)
            .get(key)
            .cloned()
            .ok_or_else(|| StoreError::not_found(resource, &key.name))
    }

    /// Objects that pass, in key order, with the version of the snapshot.
    pub fn list(&self, resource: &Resource, filter: &Filter) -> (Vec<Arc<Object>>, u64) {
        let (snapshot, version) = self.snapshot(resource, filter.namespace.as_deref(), None);
        (
            snapshot
                .into_iter()
                .filter(|o| filter.matches.as_ref().is_none_or(|m| m(o.value())))
                .collect(),
            version,
        )
    }

    /// All objects of a namespace (or of all) after `after`, in key order. Selectors are the
    /// caller's, outside the lock.
    pub fn snapshot(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        after: Option<&Key>,
    ) -> (Vec<Arc<Object>>, u64) {
        let mut state = self.state.lock();
        let version = state.version;
        (
            state
                .table(resource)
                .range(namespace, after)
                .cloned()
                .collect(),
            version,
        )
    }

    /// Number of objects of a kind.
    pub fn count(&self, resource: &Resource) -> usize {
        self.state.lock().table(resource).len()
    }

    /// Every kind that has or had objects, as (group, plural).
    pub fn kinds(&self) -> Vec<(String, String)> {
        self.state.lock().tables.keys().cloned().collect()
    }

    /// Changes after `version` and from then on.
    ///
    /// # Errors
    /// [`StoreError::Expired`] when changes after `version` are no longer kept.
    pub fn watch(
        &self,
        resource: &Resource,
        filter: &Filter,
        version: u64,
    ) -> Result<Watch, StoreError> {
        let (subscriber, live) = Subscriber::pair(filter.clone());
        let (changes, reached): (Vec<Change>, u64) = {
            let mut state = self.state.lock();
            let table = state.table(resource);
            if version < table.oldest() {
                return Err(StoreError::Expired {
                    requested: version,
                    oldest: table.oldest(),
                });
            }
            let changes = table.since(version).cloned().collect();
            table.subscribe(subscriber);
            (changes, state.version)
        };
        let replay: VecDeque<Change> = changes.iter().filter_map(|c| filter.view(c)).collect();
        Ok(Watch::new(replay, live, reached))
    }

    /// The state now, and every change after it: what an informer starts with.
    pub fn list_and_watch(
        &self,
        resource: &Resource,
        filter: &Filter,
    ) -> (Vec<Arc<Object>>, Watch) {
        let (subscriber, live) = Subscriber::pair(filter.clone());
        let (snapshot, reached): (Vec<_>, u64) = {
            let mut state = self.state.lock();
            let version = state.version;
            let table = state.table(resource);
            table.subscribe(subscriber);
            let objects = table.range(filter.namespace.as_deref(), None);
            (objects.cloned().collect(), version)
        };
        let passing = snapshot.into_iter().filter(|o| filter.passes(o)).collect();
        (passing, Watch::new(VecDeque::new(), live, reached))
    }

    /// Every object of every kind now, and every change after it (garbage collection).
    pub fn watch_everything(&self) -> (Vec<Arc<Object>>, Watch) {
        let (subscriber, live) = Subscriber::pair(Filter::all());
        let mut state = self.state.lock();
        state.everything.push(subscriber);
        let objects = state
            .tables
            .values()
            .flat_map(|t| t.range(None, None).cloned())
            .collect();
        (objects, Watch::new(VecDeque::new(), live, state.version))
    }

    /// Tells every watch of `resource` how far the store is, so that idle watches can resume later.
    pub fn announce_progress(&self, resource: &Resource) {
        let mut state = self.state.lock();
        let version = state.version;
        state.table(resource).progress(version);
    }

    /// Ends every watch of `resource`, as a restarting API server does.
    pub fn close_watches(&self, resource: &Resource) {
        self.state.lock().table(resource).close_watches();
    }
}
