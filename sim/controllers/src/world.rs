//! What controllers see: the store, who owns what, which pod uses which claim.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use drakit_sim_store::resource::{PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS};
use drakit_sim_store::{
    Change, ChangeKind, EventRecorder, EventType, Key, Object, Resource, Store, StoreError,
};
use serde_json::Value;

/// An object by kind and name. The kind is an index into [`World::kinds`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ref {
    pub(crate) kind: usize,
    pub(crate) key: Key,
}

/// The store with indexes that are kept up to date from its changes.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) store: Store,
    kinds: Vec<Resource>,
    by_type: BTreeMap<(String, String), usize>,
    /// Owner uid to its dependents.
    dependents: BTreeMap<String, BTreeSet<Ref>>,
    /// Uids of all objects.
    alive: BTreeMap<String, Ref>,
    /// Namespace and claim name to the pods that use it.
    claim_users: BTreeMap<Key, BTreeSet<Key>>,
    /// Namespace and template name to the pods that wait for or use it.
    template_users: BTreeMap<Key, BTreeSet<Key>>,
    recorders: BTreeMap<&'static str, EventRecorder>,
}

impl World {
    pub(crate) fn new(store: Store, kinds: Vec<Resource>) -> Self {
        let by_type = kinds
            .iter()
            .enumerate()
            .map(|(i, k)| ((k.api_version(), k.kind.to_string()), i))
            .collect();
        Self {
            store,
            kinds,
            by_type,
            dependents: BTreeMap::new(),
            alive: BTreeMap::new(),
            claim_users: BTreeMap::new(),
            template_users: BTreeMap::new(),
            recorders: BTreeMap::new(),
        }
    }

    pub(crate) fn resource(&self, of: &Ref) -> Option<&Resource> {
        self.kinds.get(of.kind)
    }

    pub(crate) fn kinds(&self) -> &[Resource] {
        &self.kinds
    }

    pub(crate) fn reference(&self, object: &Object) -> Option<Ref> {
        let types = (
            object.str_at(&["apiVersion"]).to_owned(),
            object.str_at(&["kind"]).to_owned(),
        );
        self.by_type.get(&types).map(|kind| Ref {
            kind: *kind,
            key: object.key(),
        })
    }

    pub(crate) fn is(&self, of: &Ref, resource: &Resource) -> bool {
        self.resource(of).is_some_and(|r| r == resource)
    }

    /// Whether an object with this uid exists.
    pub(crate) fn is_alive(&self, uid: &str) -> bool {
        self.alive.contains_key(uid)
    }

    /// The owner that an owner reference points to, if it exists.
    pub(crate) fn owner(&self, reference: &Value) -> Option<Ref> {
        self.alive.get(reference.get("uid")?.as_str()?).cloned()
    }

    /// Objects that name `uid` as an owner.
    pub(crate) fn dependents(&self, uid: &str) -> Vec<Ref> {
        self.dependents
            .get(uid)
            .map(|d| d.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Objects of `resource` that `owner` controls, in name order.
    pub(crate) fn controlled(&self, owner: &Object, resource: &Resource) -> Vec<Arc<Object>> {
        let Some(all) = self.dependents.get(owner.uid()) else {
            return Vec::new();
        };
        all.iter()
            .filter(|d| self.is(d, resource))
            .filter_map(|d| self.store.get(resource, &d.key).ok())
            .filter(|o| {
                o.controller()
                    .and_then(|c| c.get("uid"))
                    .and_then(Value::as_str)
                    == Some(owner.uid())
            })
            .collect()
    }

    /// Pods that use a claim.
    pub(crate) fn pods_of_claim(&self, claim: &Key) -> Vec<Key> {
        self.claim_users
            .get(claim)
            .map(|u| u.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Pods that name a claim template.
    pub(crate) fn pods_of_template(&self, template: &Key) -> Vec<Key> {
        self.template_users
            .get(template)
            .map(|u| u.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Takes a change into the indexes.
    pub(crate) fn apply(&mut self, change: &Change) {
        if let Some(old) = &change.previous {
            self.forget(old);
        }
        if change.kind == ChangeKind::Deleted {
            self.alive.remove(change.object.uid());
        } else {
            self.learn(&change.object);
        }
    }

    fn learn(&mut self, object: &Object) {
        let Some(me) = self.reference(object) else {
            return;
        };
        for owner in owners(object) {
            self.dependents.entry(owner).or_default().insert(me.clone());
        }
        for (index, key) in self.used_by_pod(object) {
            self.users(index)
                .entry(key)
                .or_default()
                .insert(object.key());
        }
        self.alive.insert(object.uid().to_owned(), me);
    }

    fn forget(&mut self, object: &Object) {
        let Some(me) = self.reference(object) else {
            return;
        };
        for owner in owners(object) {
            remove_from(&mut self.dependents, &owner, &me);
        }
        for (index, key) in self.used_by_pod(object) {
            remove_from(self.users(index), &key, &object.key());
        }
    }

    fn users(&mut self, templates: bool) -> &mut BTreeMap<Key, BTreeSet<Key>> {
        if templates {
            &mut self.template_users
        } else {
            &mut self.claim_users
        }
    }

    /// Claims (false) and templates (true) that a pod names.
    fn used_by_pod(&self, object: &Object) -> Vec<(bool, Key)> {
        if !self.reference(object).is_some_and(|r| self.is(&r, &PODS)) {
            return Vec::new();
        }
        let list = |path: &[&str]| object.at(path).as_array().cloned().unwrap_or_default();
        let key = |v: &Value, field: &str| {
            v.get(field)
                .and_then(Value::as_str)
                .map(|name| Key::new(object.namespace(), name))
        };
        let named = list(&["spec", "resourceClaims"]);
        let generated = list(&["status", "resourceClaimStatuses"]);
        let claims = named
            .iter()
            .chain(&generated)
            .filter_map(|c| key(c, "resourceClaimName"))
            .map(|k| (false, k));
        let templates = named
            .iter()
            .filter_map(|c| key(c, "resourceClaimTemplateName"))
            .map(|k| (true, k));
        claims.chain(templates).collect()
    }

    /// Records an event for `component`.
    pub(crate) fn event(
        &mut self,
        component: &'static str,
        object: &Object,
        kind: EventType,
        reason: &str,
        message: &str,
    ) {
        let store = &self.store;
        let recorder = self
            .recorders
            .entry(component)
            .or_insert_with(|| EventRecorder::new(store.clone(), component, None));
        recorder.record(object, kind, reason, message);
    }

    /// An object, or `None` if it is gone.
    pub(crate) fn get(
        &self,
        resource: &Resource,
        key: &Key,
    ) -> Result<Option<Arc<Object>>, StoreError> {
        match self.store.get(resource, key) {
            Ok(object) => Ok(Some(object)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// True for kinds whose changes make work for the pods that name them.
    pub(crate) fn claim_or_template(&self, of: &Ref) -> (bool, bool) {
        (
            self.is(of, &RESOURCE_CLAIMS),
            self.is(of, &RESOURCE_CLAIM_TEMPLATES),
        )
    }
}

fn owners(object: &Object) -> Vec<String> {
    let list = object.at(&["metadata", "ownerReferences"]).as_array();
    list.into_iter()
        .flatten()
        .filter_map(|o| o.get("uid")?.as_str().map(str::to_owned))
        .collect()
}

fn remove_from<K: Ord, V: Ord>(index: &mut BTreeMap<K, BTreeSet<V>>, key: &K, value: &V) {
    if let Some(set) = index.get_mut(key) {
        set.remove(value);
        if set.is_empty() {
            index.remove(key);
        }
    }
}
