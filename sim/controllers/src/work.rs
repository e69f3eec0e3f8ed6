//! The queue: each item once, failed ones again later.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use drakit_sim_store::{Key, StoreError};

use crate::world::Ref;

/// First pause after a failure, doubled each time (client-go's item rate limiter).
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// Longest pause between two attempts. The real limiter goes to 1000 s; nobody waits for that in a test.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Why an item could not be brought to its wanted state.
#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    /// A read or write was refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something else is missing; the text goes into an event.
    #[error("{0}")]
    Waiting(String),
}

/// The result of a write whose object may have gone meanwhile: then there is nothing left to do.
pub(crate) fn gone_is_fine<T>(result: Result<T, StoreError>) -> Result<(), ReconcileError> {
    match result {
        Err(error) if !error.is_not_found() => Err(error.into()),
        _ => Ok(()),
    }
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    /// Claims of a pod.
    PodClaims(Key),
    /// A claim's users.
    Claim(Key),
    ReplicaSet(Key),
    Deployment(Key),
    DaemonSet(Key),
    Job(Key),
    Namespace(String),
    /// An object whose owner went, or that waits for its dependents.
    Garbage(Ref),
}

/// Items in the order in which they came up.
#[derive(Debug, Default)]
pub(crate) struct Work {
    ready: VecDeque<Item>,
    waiting: BTreeSet<Item>,
    later: BTreeMap<(Instant, u64), Item>,
    failures: BTreeMap<Item, u32>,
    counter: u64,
}

impl Work {
    pub(crate) fn add(&mut self, item: Item) {
        if self.waiting.insert(item.clone()) {
            self.ready.push_back(item);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Item> {
        let item = self.ready.pop_front()?;
        self.waiting.remove(&item);
        Some(item)
    }

    pub(crate) fn succeeded(&mut self, item: &Item) {
        self.failures.remove(item);
    }

    pub(crate) fn failed(&mut self, item: Item, now: Instant) {
        let failures = self.failures.entry(item.clone()).or_default();
        let pause = FIRST_PAUSE
            .saturating_mul(1 << (*failures).min(12))
            .min(LONGEST_PAUSE);
        *failures += 1;
        self.add_at(item, now + pause);
    }

    /// Adds an item when `at` comes.
    pub(crate) fn add_at(&mut self, item: Item, at: Instant) {
        self.counter += 1;
        self.later.insert((at, self.counter), item);
    }

    /// Moves items whose time has come; when to look again.
    pub(crate) fn wake(&mut self, now: Instant) -> Option<Instant> {
        while let Some(entry) = self.later.first_entry() {
            if entry.key().0 > now {
                return Some(entry.key().0);
            }
            let item = entry.remove();
            self.add(item);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str) -> Item {
        Item::Job(Key::new("ns", name))
    }

    #[test]
    fn an_item_is_queued_once_until_it_is_taken() {
        let mut work = Work::default();
        work.add(item("a"));
        work.add(item("b"));
        work.add(item("a"));
        assert_eq!(
            (work.pop(), work.pop(), work.pop()),
            (Some(item("a")), Some(item("b")), None)
        );
        work.add(item("a"));
        assert_eq!(work.pop(), Some(item("a")));
    }

    #[test]
    fn a_failed_item_comes_back_later_each_time() {
        let (mut work, start) = (Work::default(), Instant::now());
        work.failed(item("a"), start);
        assert_eq!(work.wake(start), Some(start + FIRST_PAUSE));
        assert_eq!(work.wake(start + FIRST_PAUSE), None);
        assert_eq!(work.pop(), Some(item("a")));
        work.failed(item("a"), start);
        assert_eq!(work.wake(start), Some(start + FIRST_PAUSE * 2));
        work.succeeded(&item("a"));
        work.failed(item("a"), start);
        assert_eq!(
            work.wake(start + FIRST_PAUSE),
            Some(start + FIRST_PAUSE * 2)
        );
    }
}
