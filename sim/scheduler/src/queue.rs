//! Pods that wait: ready, backing off, or until something changes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use drakit_sim_store::Key;

/// First pause before a pod that did not fit is tried again (`DefaultPodInitialBackoffDuration`).
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause (`DefaultPodMaxBackoffDuration`).
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
struct Attempts {
    count: u32,
    /// Not before this.
    until: Option<Instant>,
}

/// The scheduling queue.
#[derive(Debug)]
pub(crate) struct Queue {
    scale: f64,
    ready: VecDeque<Key>,
    is_ready: BTreeSet<Key>,
    /// Tried in vain; wait for a change.
    parked: BTreeSet<Key>,
    /// Wait for one claim.
    for_claim: BTreeMap<Key, BTreeSet<Key>>,
    attempts: BTreeMap<Key, Attempts>,
    backing_off: BTreeSet<(Instant, Key)>,
}

impl Queue {
    /// `scale` multiplies every pause.
    pub(crate) fn new(scale: f64) -> Self {
        Self {
            scale,
            ready: VecDeque::new(),
            is_ready: BTreeSet::new(),
            parked: BTreeSet::new(),
            for_claim: BTreeMap::new(),
            attempts: BTreeMap::new(),
            backing_off: BTreeSet::new(),
        }
    }

    /// A pod that is new or whose own object changed.
    pub(crate) fn add(&mut self, pod: &Key) {
        self.parked.remove(pod);
        if self.is_ready.insert(pod.clone()) {
            self.ready.push_back(pod.clone());
        }
    }

    /// A pod that is bound or gone.
    pub(crate) fn forget(&mut self, pod: &Key) {
        self.parked.remove(pod);
        self.is_ready.remove(pod);
        self.attempts.remove(pod);
    }

    pub(crate) fn pop(&mut self) -> Option<Key> {
        while let Some(pod) = self.ready.pop_front() {
            // One that was forgotten meanwhile is skipped.
            if self.is_ready.remove(&pod) {
                return Some(pod);
            }
        }
        None
    }

    /// A pod that did not fit: it waits for a change, and then for its pause.
    pub(crate) fn park(&mut self, pod: Key, now: Instant) {
        let attempts = self.attempts.entry(pod.clone()).or_default();
        let pause = FIRST_PAUSE
            .saturating_mul(1 << attempts.count.min(8))
            .min(LONGEST_PAUSE);
        attempts.count += 1;
        attempts.until = Some(now + pause.mul_f64(self.scale));
        self.parked.insert(pod);
    }

    /// A pod that waits for a claim to exist.
    pub(crate) fn wait_for_claim(&mut self, pod: Key, claim: Key) {
        self.for_claim.entry(claim).or_default().insert(pod);
    }

    /// A claim appeared or changed.
    pub(crate) fn claim_changed(&mut self, claim: &Key) {
        for pod in self.for_claim.remove(claim).unwrap_or_default() {
            self.add(&pod);
        }
    }

    /// Something changed that may help any parked pod.
    pub(crate) fn wake_parked(&mut self, now: Instant) {
        for pod in std::mem::take(&mut self.parked) {
            match self
                .attempts
                .get(&pod)
                .and_then(|a| a.until)
                .filter(|until| *until > now)
            {
                Some(until) => {
                    self.backing_off.insert((until, pod));
                }
                None => self.add(&pod),
            }
        }
    }

    /// Moves pods whose pause is over; when the next one is.
    pub(crate) fn wake(&mut self, now: Instant) -> Option<Instant> {
        while let Some((until, pod)) = self.backing_off.pop_first() {
            if until > now {
                self.backing_off.insert((until, pod));
                return Some(until);
            }
            self.add(&pod);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(name: &str) -> Key {
        Key::new("ns", name)
    }

    #[test]
    fn a_parked_pod_waits_for_a_change_and_its_pause() {
        let (mut queue, start) = (Queue::new(1.0), Instant::now());
        queue.park(pod("a"), start);
        assert_eq!(queue.pop(), None);
        queue.wake_parked(start);
        assert_eq!(
            (queue.pop(), queue.wake(start)),
            (None, Some(start + FIRST_PAUSE))
        );
        assert_eq!(queue.wake(start + FIRST_PAUSE), None);
        assert_eq!(queue.pop(), Some(pod("a")));
        queue.park(pod("a"), start);
        queue.wake_parked(start);
        assert_eq!(queue.wake(start), Some(start + FIRST_PAUSE * 2));
    }

    #[test]
    fn a_claim_wakes_the_pods_that_wait_for_it() {
        let mut queue = Queue::new(1.0);
        queue.wait_for_claim(pod("a"), Key::new("ns", "c"));
        queue.claim_changed(&Key::new("ns", "other"));
        assert_eq!(queue.pop(), None);
        queue.claim_changed(&Key::new("ns", "c"));
        assert_eq!(queue.pop(), Some(pod("a")));
    }

    #[test]
    fn a_forgotten_pod_is_not_tried() {
        let mut queue = Queue::new(1.0);
        queue.add(&pod("a"));
        queue.forget(&pod("a"));
        assert_eq!(queue.pop(), None);
    }
}
