//! A stream of events from a resource version on.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;

use crate::object::Object;
use crate::table::{Change, ChangeKind, EventSender};

/// Events a watch may lag behind before it is ended. Its client then resumes from the log, as with
/// a real API server's watch cache.
pub(crate) const WATCH_QUEUE: usize = 16_384;

/// A field or label selector, compiled.
pub type Predicate = Arc<dyn Fn(&Value) -> bool + Send + Sync>;

/// Which objects a watch or list is about.
#[derive(Clone, Default)]
pub struct Filter {
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Only objects for which this is true (field and label selectors).
    pub matches: Option<Predicate>,
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filter")
            .field("namespace", &self.namespace)
            .field("matches", &self.matches.is_some())
            .finish()
    }
}

impl Filter {
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// One namespace.
    pub fn namespace(namespace: impl Into<String>) -> Self {
        Self {
            namespace: Some(namespace.into()),
            matches: None,
        }
    }

    /// Objects for which `matches` is true.
    pub fn matching(matches: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        Self {
            namespace: None,
            matches: Some(Arc::new(matches)),
        }
    }

    /// Whether `object` passes.
    pub fn passes(&self, object: &Object) -> bool {
        self.namespace
            .as_deref()
            .is_none_or(|ns| object.namespace() == ns)
            && self.matches.as_ref().is_none_or(|m| m(object.value()))
    }

    /// How `change` looks to somebody who only sees what passes: an object that stops matching
    /// is deleted for them, one that starts to match is added (`cacher.go`, `updateResult`).
    pub fn view(&self, change: &Change) -> Option<Change> {
        let now = change.kind != ChangeKind::Deleted && self.passes(&change.object);
        let before = change.previous.as_ref().is_some_and(|p| self.passes(p));
        let kind = match (before, now) {
            (false, false) => return None,
            (false, true) => ChangeKind::Added,
            (true, true) => ChangeKind::Modified,
            (true, false) => ChangeKind::Deleted,
        };
        Some(Change {
            kind,
            object: change.object.clone(),
            previous: change.previous.clone(),
        })
    }
}

/// What a watch delivers.
#[derive(Debug, Clone)]
pub enum WatchEvent {
    /// An object changed.
    Change(Change),
    /// Nothing that passes changed up to this version (a bookmark, when the client asked for them).
    Progress(u64),
}

#[derive(Debug)]
pub(crate) struct Subscriber {
    filter: Filter,
    queue: EventSender,
}

impl Subscriber {
    pub(crate) fn pair(filter: Filter) -> (Self, mpsc::Receiver<WatchEvent>) {
        let (queue, events) = mpsc::channel(WATCH_QUEUE);
        (Self { filter, queue }, events)
    }

    pub(crate) fn offer(&self, change: &Change) -> bool {
        match self.filter.view(change) {
            None => !self.queue.is_closed(),
            Some(seen) => self.queue.try_send(WatchEvent::Change(seen)).is_ok(),
        }
    }

    pub(crate) fn progress(&self, version: u64) -> bool {
        match self.queue.try_send(WatchEvent::Progress(version)) {
            Ok(()) | Err(mpsc::error::TrySendError::Full(_)) => true,
            Err(mpsc::error::TrySendError::Closed(_)) => false,
        }
    }
}

/// A running watch. Dropping it ends it.
#[derive(Debug)]
pub struct Watch {
    replay: VecDeque<Change>,
    live: mpsc::Receiver<WatchEvent>,
    reached: u64,
}

impl Watch {
    pub(crate) fn new(
        replay: VecDeque<Change>,
        live: mpsc::Receiver<WatchEvent>,
        reached: u64,
    ) -> Self {
        Self {
            replay,
            live,
            reached,
        }
    }

    /// The store's version when the watch began: the snapshot or the replayed changes go up to here.
    pub fn started_at(&self) -> u64 {
        self.reached
    }

    /// The next event; `None` when the watch was ended (too slow, or the store closed).
    pub async fn next(&mut self) -> Option<WatchEvent> {
        if let Some(change) = self.replay.pop_front() {
            return Some(WatchEvent::Change(change));
        }
        self.live.recv().await
    }

    /// The next change, skipping progress marks.
    pub async fn next_change(&mut self) -> Option<Change> {
        loop {
            if let WatchEvent::Change(change) = self.next().await? {
                return Some(change);
            }
        }
    }

    /// The next event if there is one already.
    pub fn try_next(&mut self) -> Option<WatchEvent> {
        if let Some(change) = self.replay.pop_front() {
            return Some(WatchEvent::Change(change));
        }
        self.live.try_recv().ok()
    }
}
