//! All objects of one kind, with the log that watches replay.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::object::{Key, Object};
use crate::watch::{Subscriber, WatchEvent};

/// Changes kept per kind for watches that resume. A kept change keeps two versions of its object
/// alive, so this bounds memory; who falls further behind is told 410 and lists again.
const LOG_LENGTH: usize = 2_048;

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Created.
    Added,
    /// Replaced by a new version.
    Modified,
    /// Removed; `object` is the last state, with the version of the deletion.
    Deleted,
}

/// One change of one object.
#[derive(Debug, Clone)]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// The new state (the last one for a deletion).
    pub object: Arc<Object>,
    /// The state before, absent for `Added`.
    pub previous: Option<Arc<Object>>,
}

#[derive(Debug, Default)]
pub(crate) struct Table {
    objects: BTreeMap<Key, Arc<Object>>,
    log: VecDeque<Change>,
    /// Version of the newest change that fell out of the log.
    forgotten: u64,
    subscribers: Vec<Subscriber>,
}

impl Table {
    pub(crate) fn get(&self, key: &Key) -> Option<&Arc<Object>> {
        self.objects.get(key)
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// Objects in key order, of one namespace or of all, after `after` if given.
    pub(crate) fn range<'a>(
        &'a self,
        namespace: Option<&'a str>,
        after: Option<&Key>,
    ) -> impl Iterator<Item = &'a Arc<Object>> + 'a {
        use std::ops::Bound;
        let from = match (after, namespace) {
            (Some(key), _) => Bound::Excluded(key.clone()),
            (None, Some(ns)) => Bound::Included(Key::new(ns, "")),
            (None, None) => Bound::Unbounded,
        };
        self.objects
            .range((from, Bound::Unbounded))
            .take_while(move |(key, _)| namespace.is_none_or(|ns| key.namespace == ns))
            .map(|(_, object)| object)
    }

    pub(crate) fn commit(&mut self, change: Change) {
        let key = change.object.key();
        match change.kind {
            ChangeKind::Added | ChangeKind::Modified => {
                self.objects.insert(key, change.object.clone());
            }
            ChangeKind::Deleted => {
                self.objects.remove(&key);
            }
        }
        // A subscriber whose queue is full or gone is dropped: its client resumes from the log.
        self.subscribers.retain(|s| s.offer(&change));
        if self.log.len() == LOG_LENGTH
            && let Some(old) = self.log.pop_front()
        {
            self.forgotten = old.object.version();
        }
        self.log.push_back(change);
    }

    pub(crate) fn oldest(&self) -> u64 {
        self.forgotten
    }

    /// Changes after `version`, in order.
    pub(crate) fn since(&self, version: u64) -> impl Iterator<Item = &Change> {
        let start = self.log.partition_point(|c| c.object.version() <= version);
        self.log.range(start..)
    }

    pub(crate) fn subscribe(&mut self, subscriber: Subscriber) {
        self.subscribers.push(subscriber);
    }

    /// Tells every watch of this kind that `version` has been reached.
    pub(crate) fn progress(&mut self, version: u64) {
        self.subscribers.retain(|s| s.progress(version));
    }

    /// Ends every watch of this kind.
    pub(crate) fn close_watches(&mut self) {
        self.subscribers.clear();
    }
}

pub(crate) type EventSender = mpsc::Sender<WatchEvent>;
