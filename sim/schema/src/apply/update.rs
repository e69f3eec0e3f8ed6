//! Who owns what after an update (structured-merge-diff `merge/update.go`, apimachinery
//! `managedfieldsupdater.go`, `capmanagers.go`, `skipnonapplied.go`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    Manager,
    compare::{Comparison, compare},
    entries::{self, ManagerKey, Managers, Owned},
    reset::{never_owned, reset_fields},
    set::Set,
};
use crate::{GroupVersionKind, Schemas, types::Node};

/// More updaters than this are merged into one, oldest first.
const MAX_UPDATE_MANAGERS: usize = 10;
const OLD_UPDATES: &str = "ancient-changes";

impl Schemas {
    /// Records in `new`'s `metadata.managedFields` what a create, update or non-apply patch
    /// changed. `old` is the stored object, `None` on create.
    ///
    /// Entries that the request carries are taken over, except through a subresource; an
    /// empty list resets them; none at all means those of the stored object.
    pub fn track_update(
        &self,
        gvk: &GroupVersionKind,
        old: Option<&Value>,
        new: &mut Value,
        manager: &Manager<'_>,
    ) {
        let Some(id) = self.type_of(gvk) else {
            return;
        };
        let mut managers = managers_of_request(old, new, manager);
        if managers.is_empty() && old.is_some() {
            // Whoever has no entries and is not new is not tracked until the first apply.
            entries::encode(&managers, new);
            return;
        }
        let field_manager = FieldManager::new(self, gvk, Node::Struct(id), manager);
        match old {
            Some(old) => field_manager.update(old, new, &mut managers, manager),
            None => field_manager.update(&empty_object(self, gvk), new, &mut managers, manager),
        }
        entries::encode(&managers, new);
    }
}

/// The live object of a create: what Go has before anything is set.
pub(super) fn empty_object(schemas: &Schemas, gvk: &GroupVersionKind) -> Value {
    let mut empty = json!({ "apiVersion": gvk.api_version(), "kind": gvk.kind });
    schemas.canonicalize(gvk, &mut empty);
    empty
}

pub(super) fn without_managed_fields(object: &Value) -> Value {
    let mut copy = object.clone();
    if let Some(metadata) = copy.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    copy
}

fn managers_of_request(old: Option<&Value>, new: &Value, manager: &Manager<'_>) -> Managers {
    let stored = || {
        old.and_then(|old| entries::decode(old).ok())
            .unwrap_or_default()
    };
    if !manager.subresource.is_empty() {
        return stored();
    }
    let requested = new["metadata"]["managedFields"].as_array();
    let resets = match requested.map(Vec::as_slice) {
        Some([]) => true,
        Some([only]) => only.as_object().is_some_and(Map::is_empty),
        _ => false,
    };
    if resets {
        return Managers::new();
    }
    match entries::decode(new) {
        Ok(managers) if !managers.is_empty() => managers,
        _ => stored(),
    }
}

/// One endpoint's rules of ownership.
pub(super) struct FieldManager<'a> {
    pub(super) schemas: &'a Schemas,
    pub(super) node: Node,
    pub(super) api_version: String,
    pub(super) ignored: Set,
}

impl<'a> FieldManager<'a> {
    pub(super) fn new(
        schemas: &'a Schemas,
        gvk: &GroupVersionKind,
        node: Node,
        manager: &Manager<'_>,
    ) -> Self {
        let resource = schemas.resource_of_kind(&gvk.group, &gvk.version, &gvk.kind);
        let has_status = resource.is_some_and(|resource| resource.subresource("status").is_some());
        Self {
            schemas,
            node,
            api_version: gvk.api_version(),
            ignored: reset_fields(gvk, has_status, manager.subresource),
        }
    }

    fn compare(&self, before: &Value, after: &Value) -> Comparison {
        compare(self.schemas, &self.node, before, after).without(&self.ignored)
    }

    /// Gives what changed to `manager`, and takes it from all others.
    pub(super) fn update(
        &self,
        before: &Value,
        after: &Value,
        managers: &mut Managers,
        manager: &Manager<'_>,
    ) {
        let changes = self.compare(before, after);
        take_away(managers, None, &changes);
        let owned = changes
            .modified
            .union(&changes.added)
            .difference(&never_owned());
        if !owned.is_empty() {
            let key = ManagerKey::new(manager, false, &self.api_version);
            let earlier = managers.get(&key).map(|earlier| &earlier.set);
            let set = earlier.map_or_else(|| owned.clone(), |earlier| owned.union(earlier));
            let (api_version, time) = (self.api_version.clone(), manager.time.to_owned());
            managers.insert(
                key,
                Owned {
                    set,
                    api_version,
                    time,
                },
            );
        }
        cap(managers);
    }

    /// What an apply would take from others by force: by manager, in order.
    pub(super) fn conflicts(
        &self,
        before: &Value,
        after: &Value,
        managers: &Managers,
        applier: &ManagerKey,
    ) -> (Comparison, BTreeMap<ManagerKey, Set>) {
        let changes = self.compare(before, after);
        let touched = changes.modified.union(&changes.added);
        let conflicts = managers
            .iter()
            .filter(|(key, _)| *key != applier)
            .map(|(key, owned)| (key.clone(), owned.set.intersection(&touched)))
            .filter(|(_, set)| !set.is_empty())
            .collect();
        (changes, conflicts)
    }
}

/// Others do not own what was changed, nor what is gone.
pub(super) fn take_away(managers: &mut Managers, keep: Option<&ManagerKey>, changes: &Comparison) {
    let gone = changes
        .modified
        .union(&changes.added)
        .union(&changes.removed);
    for (key, owned) in managers.iter_mut() {
        if Some(key) != keep {
            owned.set = owned.set.difference(&gone);
        }
    }
    managers.retain(|_, owned| !owned.set.is_empty());
}

/// Merges the oldest updaters of a version into one entry until there are few enough.
fn cap(managers: &mut Managers) {
    let mut updaters: Vec<ManagerKey> = managers
        .keys()
        .filter(|key| !key.applies)
        .cloned()
        .collect();
    let mut count = updaters.len();
    updaters.sort_by_key(|key| {
        (
            managers.get(key).map(|owned| owned.time.clone()),
            key.clone(),
        )
    });
    let mut first_of_version: BTreeMap<String, ManagerKey> = BTreeMap::new();
    for key in updaters {
        if count <= MAX_UPDATE_MANAGERS {
            return;
        }
        let Some(first) = first_of_version.get(&key.api_version) else {
            first_of_version.insert(key.api_version.clone(), key);
            continue;
        };
        let bucket = ManagerKey {
            name: OLD_UPDATES.to_owned(),
            applies: false,
            subresource: String::new(),
            api_version: key.api_version.clone(),
        };
        if !managers.contains_key(&bucket)
            && let Some(owned) = managers.remove(first)
        {
            managers.insert(bucket.clone(), owned);
        }
        if key == bucket {
            continue;
        }
        if let Some(newer) = managers.remove(&key)
            && let Some(merged) = managers.get_mut(&bucket)
        {
            merged.set = newer.set.union(&merged.set);
            merged.time = newer.time;
            count -= 1;
        }
    }
}
