//! What is prepared and what is being worked on, in memory. One owner; its
//! lock is held for a statement.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_driver_model::prepare::{Held, PreparedClaim};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::failure::{PrepareFailure, UnprepareFailure};

/// Answer of a Prepare of one claim.
pub(crate) type Prepared = Result<Arc<PreparedClaim>, Arc<PrepareFailure>>;
/// Answer of an Unprepare of one claim.
pub(crate) type Unprepared = Result<(), Arc<UnprepareFailure>>;

/// Filled once, when the work is done.
pub(crate) type Pending<T> = watch::Receiver<Option<T>>;

/// Work on one claim; there is at most one at a time.
pub(crate) enum Running {
    Prepare {
        answer: Pending<Prepared>,
        /// Ends a Prepare that still waits for the API server.
        superseded: CancellationToken,
    },
    Unprepare {
        answer: Pending<Unprepared>,
    },
}

/// How a call on a claim goes on.
pub(crate) enum Turn<T, W> {
    /// The same work is under way: take its answer.
    Join(Pending<T>),
    /// The opposite work is under way: wait for it, then ask again.
    After(Pending<W>),
    /// The caller was entered as the one who does it.
    Begin(watch::Sender<Option<T>>, CancellationToken),
}

/// See the module.
#[derive(Default)]
pub(crate) struct Table {
    prepared: BTreeMap<String, Arc<PreparedClaim>>,
    held: Held,
    running: BTreeMap<String, Running>,
}

impl Table {
    /// The table after a start, from the checkpoint.
    pub(crate) fn restored(claims: Vec<PreparedClaim>) -> Self {
        let mut table = Self::default();
        for claim in claims {
            table.held.add(&claim);
            table.prepared.insert(claim.uid.clone(), Arc::new(claim));
        }
        table
    }

    /// A Prepare of this claim: joins, waits or begins.
    pub(crate) fn prepare_turn(&mut self, uid: &str) -> Turn<Prepared, Unprepared> {
        match self.running.get(uid) {
            Some(Running::Prepare { answer, .. }) => return Turn::Join(answer.clone()),
            Some(Running::Unprepare { answer }) => return Turn::After(answer.clone()),
            None => {}
        }
        let (sender, answer) = watch::channel(None);
        let superseded = CancellationToken::new();
        let running = Running::Prepare {
            answer,
            superseded: superseded.clone(),
        };
        self.running.insert(uid.to_owned(), running);
        Turn::Begin(sender, superseded)
    }

    /// An Unprepare of this claim: joins, waits or begins. A Prepare that is
    /// under way is told to end.
    pub(crate) fn unprepare_turn(&mut self, uid: &str) -> Turn<Unprepared, Prepared> {
        match self.running.get(uid) {
            Some(Running::Unprepare { answer }) => return Turn::Join(answer.clone()),
            Some(Running::Prepare { answer, superseded }) => {
                superseded.cancel();
                return Turn::After(answer.clone());
            }
            None => {}
        }
        let (sender, answer) = watch::channel(None);
        self.running
            .insert(uid.to_owned(), Running::Unprepare { answer });
        Turn::Begin(sender, CancellationToken::new())
    }

    /// The work on this claim is done.
    pub(crate) fn finished(&mut self, uid: &str) {
        self.running.remove(uid);
    }

    pub(crate) fn prepared(&self, uid: &str) -> Option<Arc<PreparedClaim>> {
        self.prepared.get(uid).cloned()
    }

    pub(crate) fn all_prepared(&self) -> Vec<Arc<PreparedClaim>> {
        self.prepared.values().cloned().collect()
    }

    pub(crate) fn prepared_count(&self) -> usize {
        self.prepared.len()
    }

    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// Books the devices of a claim, before it is on disk, so that a claim
    /// that is decided at the same time sees them.
    pub(crate) fn book(&mut self, claim: &PreparedClaim) {
        self.held.add(claim);
    }

    /// The claim is on disk.
    pub(crate) fn commit(&mut self, claim: Arc<PreparedClaim>) {
        self.prepared.insert(claim.uid.clone(), claim);
    }

    /// The claim holds nothing (any more).
    pub(crate) fn release(&mut self, uid: &str) {
        self.prepared.remove(uid);
        self.held.remove(uid);
    }
}
