//! The owner of every object.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::error::StoreError;
use crate::object::{Key, Object};
use crate::resource::{NAMESPACES, Resource};
use crate::rules::{self, DeleteOptions, Deletion};
use crate::table::{Change, ChangeKind, Table};
use crate::watch::{Filter, Subscriber, Watch};

/// Attempts before a write that keeps losing to others gives up. Each loss means that somebody
/// else succeeded, so this is far above what any test reaches.
const MAX_ATTEMPTS: usize = 1_000;

/// Letters of generated names (`k8s.io/apimachinery/pkg/util/rand`).
const NAME_LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// What a write expects of the stored object.
#[derive(Debug, Clone, Default)]
pub struct Expect {
    /// `metadata.uid`.
    pub uid: Option<String>,
    /// `metadata.resourceVersion`.
    pub resource_version: Option<String>,
}

impl Expect {
    /// Nothing.
    pub fn any() -> Self {
        Self::default()
    }

    /// This very version, as read before.
    pub fn version_of(object: &Object) -> Self {
        Self {
            uid: Some(object.uid().to_owned()),
            resource_version: Some(object.version().to_string()),
        }
    }

    /// This incarnation, whatever its version.
    pub fn uid(uid: impl Into<String>) -> Self {
        Self {
            uid: Some(uid.into()),
            resource_version: None,
        }
    }

    fn check(&self, resource: &Resource, object: &Object) -> Result<(), StoreError> {
        if let Some(uid) = self
            .uid
            .as_deref()
            .filter(|u| !u.is_empty() && *u != object.uid())
        {
            let message = format!(
                "StorageError: invalid object, Code: 4, Key: {}, Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                object.key(),
                object.uid()
            );
            return Err(StoreError::conflict(resource, object.name(), message));
        }
        match self.resource_version.as_deref() {
            Some(v) if !v.is_empty() && v != "0" && v != object.version().to_string() => {
                Err(StoreError::conflict(
                    resource,
                    object.name(),
                    "the object has been modified; please apply your changes to the latest version and try again",
                ))
            }
            _ => Ok(()),
        }
    }
}

#[derive(Debug)]
struct State {
    version: u64,
    tables: BTreeMap<(String, String), Table>,
    everything: Vec<Subscriber>,
    random: StdRng,
}

impl State {
    fn table(&mut self, resource: &Resource) -> &mut Table {
        let key = (resource.group.to_string(), resource.plural.to_string());
        self.tables.entry(key).or_default()
    }

    fn commit(&mut self, resource: &Resource, change: Change) {
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
    state: Arc<Mutex<State>>,
    clock: Clock,
    dry: bool,
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

    /// Stores a new object: uid, creation time, generation and a generated name are filled in, the
    /// status of kinds with a status subresource is kept as given, and so is a uid (callers that serve
    /// users clear both).
    ///
    /// # Errors
    /// [`StoreError::AlreadyExists`]; [`StoreError::NotFound`] or [`StoreError::Forbidden`] for a namespace that
    /// is absent or being deleted; [`StoreError::BadRequest`] without a name.
    pub fn create(&self, resource: &Resource, mut value: Value) -> Result<Arc<Object>, StoreError> {
        let uid = rules::given_uid(&value).unwrap_or_else(|| self.new_uid());
        rules::stamp_new(resource, &mut value, &uid, &self.clock.now_seconds());
        let generated = self.fill_name(&mut value)?;
        loop {
            let key = key_of(resource, &value);
            let mut state = self.state.lock();
            Self::check_namespace(&mut state, resource, &key)?;
            if state.table(resource).get(&key).is_some() {
                drop(state);
                if let Some(base) = &generated {
                    // Kubernetes retries a colliding generated name (`Store.Create`, 1.30 and later).
                    value["metadata"]["name"] = json!(self.generate_name(base));
                    continue;
                }
                return Err(StoreError::AlreadyExists {
                    resource: resource.qualified(),
                    name: key.name,
                });
            }
            return Ok(self.insert(&mut state, resource, value, ChangeKind::Added, None));
        }
    }

    fn fill_name(&self, value: &mut Value) -> Result<Option<String>, StoreError> {
        let text = |v: &Value, field: &str| {
            v.pointer(&format!("/metadata/{field}"))
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned()
        };
        if !text(value, "name").is_empty() {
            return Ok(None);
        }
        let base = text(value, "generateName");
        if base.is_empty() {
            return Err(StoreError::BadRequest(
                "name or generateName is required".into(),
            ));
        }
        value["metadata"]["name"] = json!(self.generate_name(&base));
        Ok(Some(base))
    }

    /// `NamespaceLifecycle` admission.
    fn check_namespace(
        state: &mut State,
        resource: &Resource,
        key: &Key,
    ) -> Result<(), StoreError> {
        if !resource.namespaced {
            return Ok(());
        }
        let Some(namespace) = state
            .table(&NAMESPACES)
            .get(&Key::cluster(key.namespace.as_str()))
        else {
            return Err(StoreError::not_found(&NAMESPACES, &key.namespace));
        };
        // Events about a namespace's end may still be written (`lifecycle/admission.go`).
        if namespace.is_deleting() && resource.kind != "Event" {
            return Err(StoreError::Forbidden {
                resource: resource.qualified(),
                name: key.name.clone(),
                message: format!(
                    "unable to create new content in namespace {} because it is being terminated",
                    key.namespace
                ),
            });
        }
        Ok(())
    }

    fn insert(
        &self,
        state: &mut State,
        resource: &Resource,
        mut value: Value,
        kind: ChangeKind,
        previous: Option<Arc<Object>>,
    ) -> Arc<Object> {
        if self.dry {
            return Object::new(value, previous.map_or(0, |p| p.version()));
        }
        state.version += 1;
        let version = state.version;
        if let Some(meta) = rules::metadata(&mut value) {
            meta.insert("resourceVersion".into(), json!(version.to_string()));
        }
        let object = Object::new(value, version);
        state.commit(
            resource,
            Change {
                kind,
                object: object.clone(),
                previous,
            },
        );
        object
    }

    /// Replaces an object by what `change` makes of it (everything but status for kinds that have a
    /// status subresource). `change` may run several times when others write in between; returning the
    /// value unchanged writes nothing.
    ///
    /// # Errors
    /// What `change` returns, or a [`StoreError`] of the read and write.
    pub fn update<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        expect: &Expect,
        mut change: impl FnMut(&Object) -> Result<Value, E>,
    ) -> Result<Arc<Object>, E> {
        self.modify(resource, key, expect, |old| {
            let mut new = change(old)?;
            if resource.has_status {
                rules::keep_old_status(old, &mut new);
            }
            rules::keep_old_metadata(resource, old, &mut new);
            rules::bump_generation(resource, old, &mut new);
            Ok(new)
        })
    }

    /// Replaces the status of an object by the status of what `change` returns.
    ///
    /// # Errors
    /// As [`Store::update`].
    pub fn update_status<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        expect: &Expect,
        mut change: impl FnMut(&Object) -> Result<Value, E>,
    ) -> Result<Arc<Object>, E> {
        self.modify(resource, key, expect, |old| {
            Ok(rules::keep_all_but_status(old, &change(old)?))
        })
    }

    /// Replaces metadata, spec and status in one write. For writes that Kubernetes makes through
    /// other subresources (`pods/binding`) or that need both parts to change at once.
    ///
    /// # Errors
    /// As [`Store::update`].
    pub fn update_all<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        expect: &Expect,
        mut change: impl FnMut(&Object) -> Result<Value, E>,
    ) -> Result<Arc<Object>, E> {
        self.modify(resource, key, expect, |old| {
            let mut new = change(old)?;
            rules::keep_old_metadata(resource, old, &mut new);
            rules::bump_generation(resource, old, &mut new);
            Ok(new)
        })
    }

    fn modify<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        expect: &Expect,
        mut change: impl FnMut(&Object) -> Result<Value, E>,
    ) -> Result<Arc<Object>, E> {
        for _ in 0..MAX_ATTEMPTS {
            let old = self.get(resource, key)?;
            expect.check(resource, &old)?;
            let mut new = change(&old)?;
            if let Some(meta) = rules::metadata(&mut new) {
                meta.insert("resourceVersion".into(), json!(old.version().to_string()));
            }
            if new == *old.value() {
                return Ok(old);
            }
            let mut state = self.state.lock();
            match state.table(resource).get(key) {
                Some(current) if current.version() == old.version() => {}
                Some(_) => continue,
                None => return Err(StoreError::not_found(resource, &key.name).into()),
            }
            if rules::may_go(resource, &new) {
                return Ok(self.insert(&mut state, resource, new, ChangeKind::Deleted, Some(old)));
            }
            return Ok(self.insert(&mut state, resource, new, ChangeKind::Modified, Some(old)));
        }
        Err(StoreError::conflict(
            resource,
            &key.name,
            "the object keeps changing; please try again",
        )
        .into())
    }

    /// Deletes an object, or marks it when a grace period or finalizers hold it.
    ///
    /// Returns the last state and whether it is gone.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or [`StoreError::Conflict`] for an unmet precondition.
    pub fn delete(
        &self,
        resource: &Resource,
        key: &Key,
        options: &DeleteOptions,
    ) -> Result<(Arc<Object>, bool), StoreError> {
        let mut state = self.state.lock();
        let Some(old) = state.table(resource).get(key).cloned() else {
            return Err(StoreError::not_found(resource, &key.name));
        };
        Expect {
            uid: options.uid.clone(),
            resource_version: options.resource_version.clone(),
        }
        .check(resource, &old)?;
        match rules::decide_deletion(resource, &old, options) {
            Deletion::Unchanged => Ok((old, false)),
            Deletion::Remove => {
                let last = old.value().clone();
                Ok((
                    self.insert(&mut state, resource, last, ChangeKind::Deleted, Some(old)),
                    true,
                ))
            }
            Deletion::Mark {
                grace_seconds,
                finalizers,
            } => {
                let mut marked = old.value().clone();
                let at = self.clock.now() + jiff::SignedDuration::from_secs(grace_seconds);
                let at = at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
                rules::mark_deleted(resource, &mut marked, &at, grace_seconds, &finalizers);
                Ok((
                    self.insert(
                        &mut state,
                        resource,
                        marked,
                        ChangeKind::Modified,
                        Some(old),
                    ),
                    false,
                ))
            }
        }
    }
}

fn key_of(resource: &Resource, value: &Value) -> Key {
    let text = |field: &str| {
        value
            .pointer(&format!("/metadata/{field}"))
            .and_then(Value::as_str)
            .unwrap_or("")
    };
    Key::new(
        if resource.namespaced {
            text("namespace")
        } else {
            ""
        },
        text("name"),
    )
}
