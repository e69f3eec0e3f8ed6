//! The slices of one driver as this process last saw them: the watch merged
//! with the answers to our own writes, which arrive earlier.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use drakit_api::k8s::api::resource::v1::ResourceSlice;

use crate::digest::Digest;
use crate::plan::Stored;
use crate::pool::PoolKey;

/// How long a slice that we wrote may stay unseen by the watch before it is
/// doubted (it may have been deleted between two watches), and how long a
/// deleted one is remembered. Kubernetes' helper: MutationCacheTTL, 60 s.
const UNSEEN_LIMIT: Duration = Duration::from_secs(60);

/// Summary of one slice: digests instead of devices.
pub(crate) fn summary(slice: &ResourceSlice) -> Option<(PoolKey, Stored)> {
    let meta = &slice.metadata;
    let owner_uid = meta
        .owner_references
        .iter()
        .flatten()
        .find(|owner| owner.kind == "Node" && owner.controller == Some(true))
        .map(|owner| owner.uid.clone());
    let stored = Stored {
        name: meta.name.clone()?,
        uid: meta.uid.clone()?,
        resource_version: meta.resource_version.clone()?,
        generation: slice.spec.pool.generation,
        slice_count: slice.spec.pool.resource_slice_count,
        digest: Digest::of(&slice.spec),
        owner_uid,
    };
    Some((PoolKey::of(&slice.spec), stored))
}

#[derive(Debug)]
struct Entry {
    key: PoolKey,
    stored: Stored,
    /// When our own write put it here, until the watch shows it too.
    unseen_since: Option<Instant>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    by_name: BTreeMap<String, Entry>,
    by_pool: BTreeMap<PoolKey, BTreeSet<String>>,
    /// UIDs that are gone: an answer or event that is late must not revive them.
    gone: BTreeMap<String, Instant>,
    /// Names seen since the watch began to list anew.
    relisted: Option<BTreeSet<String>>,
}

impl Inventory {
    /// The slices of a pool in the order of their names.
    pub(crate) fn pool(&self, key: &PoolKey) -> Vec<Stored> {
        let names = self.by_pool.get(key).into_iter().flatten();
        names
            .filter_map(|name| Some(self.by_name.get(name)?.stored.clone()))
            .collect()
    }

    /// The watch begins to list everything.
    pub(crate) fn list_begins(&mut self) {
        self.relisted = Some(BTreeSet::new());
    }

    /// The list is complete: what was seen before and is not in it is gone.
    /// A slice that we wrote ourselves may be newer than the list and stays.
    pub(crate) fn list_ends(&mut self) -> BTreeSet<PoolKey> {
        let Some(listed) = self.relisted.take() else {
            return BTreeSet::new();
        };
        let unlisted: Vec<String> = self
            .by_name
            .iter()
            .filter(|(name, entry)| entry.unseen_since.is_none() && !listed.contains(*name))
            .map(|(name, _)| name.clone())
            .collect();
        unlisted
            .iter()
            .filter_map(|name| self.forget(name))
            .collect()
    }

    /// The watch shows a slice. Answers the pools whose content changed.
    pub(crate) fn seen(&mut self, slice: &ResourceSlice) -> BTreeSet<PoolKey> {
        if let (Some(listed), Some(name)) = (&mut self.relisted, &slice.metadata.name) {
            listed.insert(name.clone());
        }
        if self.knows(slice) {
            return BTreeSet::new();
        }
        let Some((key, stored)) = summary(slice) else {
            return BTreeSet::new();
        };
        self.put(key, stored, None)
    }

    /// Whether this very state is known, mostly from the answer to our own
    /// write: saves making its digest again.
    fn knows(&mut self, slice: &ResourceSlice) -> bool {
        let meta = &slice.metadata;
        let entry = meta
            .name
            .as_ref()
            .and_then(|name| self.by_name.get_mut(name));
        let Some(entry) = entry else { return false };
        let same = Some(&entry.stored.uid) == meta.uid.as_ref()
            && Some(&entry.stored.resource_version) == meta.resource_version.as_ref();
        if same {
            entry.unseen_since = None;
        }
        same
    }

    /// Our own write was answered with this slice.
    pub(crate) fn written(&mut self, key: PoolKey, stored: Stored, now: Instant) {
        self.put(key, stored, Some(now));
    }

    /// The watch says that a slice is gone.
    pub(crate) fn deleted(&mut self, slice: &ResourceSlice, now: Instant) -> Option<PoolKey> {
        let (_, stored) = summary(slice)?;
        self.removed(&stored, now)
    }

    /// A slice was deleted, by us or by somebody else.
    pub(crate) fn removed(&mut self, stored: &Stored, now: Instant) -> Option<PoolKey> {
        self.gone.insert(stored.uid.clone(), now);
        let entry = self.by_name.get(&stored.name)?;
        if entry.stored.uid == stored.uid {
            return self.forget(&stored.name);
        }
        None
    }

    /// Drops what was doubted for too long; answers the pools to look at again.
    pub(crate) fn expire(&mut self, now: Instant) -> BTreeSet<PoolKey> {
        let old = |since: Instant| now.saturating_duration_since(since) > UNSEEN_LIMIT;
        self.gone.retain(|_, since| !old(*since));
        let doubted: Vec<String> = self
            .by_name
            .iter()
            .filter(|(_, entry)| entry.unseen_since.is_some_and(old))
            .map(|(name, _)| name.clone())
            .collect();
        doubted
            .iter()
            .filter_map(|name| self.forget(name))
            .collect()
    }

    fn put(&mut self, key: PoolKey, stored: Stored, unseen: Option<Instant>) -> BTreeSet<PoolKey> {
        let mut changed = BTreeSet::new();
        if self.gone.contains_key(&stored.uid) {
            return changed;
        }
        let mut unseen_since = unseen;
        if let Some(entry) = self.by_name.get_mut(&stored.name) {
            if is_older(&stored, &entry.stored) {
                return changed;
            }
            if entry.key == key && entry.stored == stored {
                if unseen.is_none() {
                    entry.unseen_since = None;
                }
                return changed;
            }
            // What the watch once showed, a later list shows again.
            if entry.unseen_since.is_none() && entry.stored.uid == stored.uid {
                unseen_since = None;
            }
        }
        changed.extend(self.forget(&stored.name));
        let names = self.by_pool.entry(key.clone()).or_default();
        names.insert(stored.name.clone());
        changed.insert(key.clone());
        self.by_name.insert(
            stored.name.clone(),
            Entry {
                key,
                stored,
                unseen_since,
            },
        );
        changed
    }

    fn forget(&mut self, name: &str) -> Option<PoolKey> {
        let entry = self.by_name.remove(name)?;
        if let Some(names) = self.by_pool.get_mut(&entry.key) {
            names.remove(name);
            if names.is_empty() {
                self.by_pool.remove(&entry.key);
            }
        }
        Some(entry.key)
    }
}

/// Whether `a` is an older state of the object than `b`. Resource versions of
/// one resource compare as numbers (KEP-5504); what is no number is not older.
fn is_older(a: &Stored, b: &Stored) -> bool {
    let number = |stored: &Stored| stored.resource_version.parse::<u64>().ok();
    a.uid == b.uid && number(a) < number(b) && number(a).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(name: &str, uid: &str, version: &str) -> ResourceSlice {
        let mut slice = ResourceSlice::default();
        slice.metadata.name = Some(name.into());
        slice.metadata.uid = Some(uid.into());
        slice.metadata.resource_version = Some(version.into());
        slice.spec.pool.name = "n1".into();
        slice.spec.node_name = Some("n1".into());
        slice
    }

    fn key() -> PoolKey {
        PoolKey {
            node: Some("n1".into()),
            pool: "n1".into(),
        }
    }

    fn written(inventory: &mut Inventory, slice: &ResourceSlice, now: Instant) {
        let (key, stored) = summary(slice).expect("complete");
        inventory.written(key, stored, now);
    }

    #[test]
    fn a_late_event_does_not_undo_our_write() {
        let mut inventory = Inventory::default();
        written(&mut inventory, &slice("a", "1", "9"), Instant::now());
        assert!(inventory.seen(&slice("a", "1", "8")).is_empty());
        assert_eq!(inventory.pool(&key())[0].resource_version, "9");
    }

    #[test]
    fn an_answer_that_comes_after_the_deletion_does_not_revive_the_slice() {
        let mut inventory = Inventory::default();
        inventory.deleted(&slice("a", "1", "9"), Instant::now());
        written(&mut inventory, &slice("a", "1", "8"), Instant::now());
        assert!(inventory.pool(&key()).is_empty());
    }

    #[test]
    fn a_new_list_drops_what_it_lacks_but_not_what_we_just_wrote() {
        let mut inventory = Inventory::default();
        inventory.seen(&slice("old", "1", "3"));
        inventory.list_begins();
        written(&mut inventory, &slice("new", "2", "9"), Instant::now());
        assert_eq!(inventory.list_ends(), BTreeSet::from([key()]));
        let names: Vec<String> = inventory.pool(&key()).into_iter().map(|s| s.name).collect();
        assert_eq!(names, ["new"]);
    }

    #[test]
    fn a_write_that_the_watch_never_shows_is_doubted_after_a_while() {
        let mut inventory = Inventory::default();
        let now = Instant::now();
        written(&mut inventory, &slice("a", "1", "9"), now);
        assert!(inventory.expire(now + UNSEEN_LIMIT / 2).is_empty());
        assert_eq!(
            inventory.expire(now + UNSEEN_LIMIT * 2),
            BTreeSet::from([key()])
        );
        assert!(inventory.pool(&key()).is_empty());
    }
}
