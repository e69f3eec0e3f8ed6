//! Prepare and Unprepare of single claims, in the order that keeps every state
//! recoverable.
//!
//! Prepare: read the claim, decide and book its devices, write the CDI file,
//! write the checkpoint. Unprepare: remove the CDI file, remove the
//! checkpoint, free the devices. So a crash at any point leaves either a CDI
//! file that no record owns (removed at the next start) or a record whose CDI
//! file is missing (written again), and never a device that is free and in use.
//!
//! The work on a claim runs in its own task: it outlives the call that began
//! it, and a later call for the same claim takes its answer (the kubelet
//! gives up after 45 s and asks again). A call that was given up before its
//! turn came never begins.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use drakit_driver_model::cdi::is_usable_uid;
use drakit_driver_model::prepare::PreparedClaim;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cdi_folder::CdiFolder;
use crate::checkpoint::Checkpoint;
use crate::decision::Decision;
use crate::failure::{ClaimRef, ClaimSource, PrepareFailure, UnprepareFailure};
use crate::table::{Pending, Prepared, Table, Turn, Unprepared};

const CDI_FILE: &str = "CDI file";
const CHECKPOINT: &str = "checkpoint";

/// The claims of one driver on one node.
pub(crate) struct Claims {
    pub(crate) decision: Decision,
    pub(crate) source: Arc<dyn ClaimSource>,
    pub(crate) checkpoint: Checkpoint,
    pub(crate) cdi: CdiFolder,
    /// Limits disk work of the whole process.
    pub(crate) disk: Arc<Semaphore>,
    pub(crate) table: Mutex<Table>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stopping: CancellationToken,
}

impl Claims {
    /// Prepares a claim, or finds that it is.
    pub(crate) async fn prepare(self: &Arc<Self>, claim: &ClaimRef) -> Prepared {
        if !is_usable_uid(&claim.uid) {
            return Err(Arc::new(PrepareFailure::BadUid {
                namespace: claim.namespace.clone(),
                name: claim.name.clone(),
                uid: claim.uid.clone(),
            }));
        }
        loop {
            let turn = self.table().prepare_turn(&claim.uid);
            let answer = match turn {
                Turn::Join(answer) => answer,
                Turn::After(other) => {
                    wait(other).await;
                    continue;
                }
                Turn::Begin(sender, superseded) => {
                    let answer = sender.subscribe();
                    let (this, claim) = (self.clone(), claim.clone());
                    let finish = Finish(self.clone(), claim.uid.clone());
                    self.tasks.spawn(async move {
                        let result = this.do_prepare(&claim, &superseded).await.map_err(Arc::new);
                        finish.answer(&sender, result);
                    });
                    answer
                }
            };
            return wait(answer)
                .await
                .unwrap_or_else(|| Err(Arc::new(PrepareFailure::Stopping)));
        }
    }

    /// Undoes what Prepare did. A claim that is not prepared is fine. Never
    /// reads the ResourceClaim: it may be gone.
    pub(crate) async fn unprepare(self: &Arc<Self>, claim: &ClaimRef) -> Unprepared {
        if !is_usable_uid(&claim.uid) {
            return Ok(());
        }
        loop {
            let turn = self.table().unprepare_turn(&claim.uid);
            let answer = match turn {
                Turn::Join(answer) => answer,
                Turn::After(other) => {
                    wait(other).await;
                    continue;
                }
                Turn::Begin(sender, _) => {
                    let answer = sender.subscribe();
                    let (this, claim) = (self.clone(), claim.clone());
                    let finish = Finish(self.clone(), claim.uid.clone());
                    self.tasks.spawn(async move {
                        let result = this.do_unprepare(&claim).await.map_err(Arc::new);
                        finish.answer(&sender, result);
                    });
                    answer
                }
            };
            return wait(answer)
                .await
                .unwrap_or_else(|| Err(Arc::new(UnprepareFailure::Stopping)));
        }
    }

    async fn do_prepare(
        self: &Arc<Self>,
        claim: &ClaimRef,
        superseded: &CancellationToken,
    ) -> Result<Arc<PreparedClaim>, PrepareFailure> {
        let known = self.table().prepared(&claim.uid);
        if let Some(prepared) = known {
            self.restore_cdi(claim, &prepared).await?;
            return Ok(prepared);
        }
        let ended = || PrepareFailure::Superseded {
            namespace: claim.namespace.clone(),
            name: claim.name.clone(),
        };
        let object = tokio::select! {
            () = superseded.cancelled() => return Err(ended()),
            () = self.stopping.cancelled() => return Err(PrepareFailure::Stopping),
            read = self.source.read(&claim.namespace, &claim.name) => read.map_err(PrepareFailure::Read)?,
        };
        let prepared = {
            let mut table = self.table();
            let decided = self.decision.decide(claim, &object, table.held());
            let prepared = Arc::new(decided.map_err(PrepareFailure::Rejected)?);
            table.book(&prepared);
            prepared
        };
        match self.write(claim, &prepared).await {
            Ok(()) => {
                self.table().commit(prepared.clone());
                Ok(prepared)
            }
            Err(error) => {
                self.take_back(claim, &prepared).await;
                Err(error)
            }
        }
    }

    async fn write(
        self: &Arc<Self>,
        claim: &ClaimRef,
        prepared: &Arc<PreparedClaim>,
    ) -> Result<(), PrepareFailure> {
        let record = prepared.clone();
        let work = move |this: &Self| {
            this.cdi
                .ensure(&record)
                .map_err(DiskFailure::of(CDI_FILE))?;
            this.checkpoint
                .store(&record.uid, &*record)
                .map_err(DiskFailure::of(CHECKPOINT))
        };
        let written = self.on_disk(work).await;
        written.map_err(|failure| write_failure(claim, failure))
    }

    /// A reboot takes the CDI file of a claim that is prepared (PREP-05).
    async fn restore_cdi(
        self: &Arc<Self>,
        claim: &ClaimRef,
        prepared: &Arc<PreparedClaim>,
    ) -> Result<(), PrepareFailure> {
        let record = prepared.clone();
        let work = move |this: &Self| this.cdi.ensure(&record).map_err(DiskFailure::of(CDI_FILE));
        let written = self.on_disk(work).await;
        written.map_err(|failure| write_failure(claim, failure))
    }

    /// After a failed write: what may be there goes, then the devices are
    /// free. If even that fails, the record may be on disk: the devices stay
    /// booked until an Unprepare or the next Prepare settles it.
    async fn take_back(self: &Arc<Self>, claim: &ClaimRef, prepared: &PreparedClaim) {
        match self.remove_files(claim).await {
            Ok(()) => self.table().release(&prepared.uid),
            Err(error) => tracing::error!(
                namespace = %claim.namespace, name = %claim.name, uid = %claim.uid, %error,
                "a failed Prepare left files; the devices stay booked until Unprepare"
            ),
        }
    }

    async fn do_unprepare(self: &Arc<Self>, claim: &ClaimRef) -> Result<(), UnprepareFailure> {
        self.remove_files(claim).await?;
        self.table().release(&claim.uid);
        Ok(())
    }

    async fn remove_files(self: &Arc<Self>, claim: &ClaimRef) -> Result<(), UnprepareFailure> {
        let uid = claim.uid.clone();
        let work = move |this: &Self| {
            this.cdi.remove(&uid).map_err(DiskFailure::of(CDI_FILE))?;
            this.checkpoint
                .remove(&uid)
                .map_err(DiskFailure::of(CHECKPOINT))
        };
        let removed = self.on_disk(work).await;
        removed.map_err(|DiskFailure { what, reason }| UnprepareFailure::Remove {
            namespace: claim.namespace.clone(),
            name: claim.name.clone(),
            what,
            reason,
        })
    }

    /// Runs file work beside the async threads; at most a few at a time in the
    /// whole process, so that 1,000 nodes do not mean 1,000 threads.
    async fn on_disk(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<(), DiskFailure> + Send + 'static,
    ) -> Result<(), DiskFailure> {
        // Never closed: without a permit the work is only not limited.
        let permit = self.disk.clone().acquire_owned().await;
        let this = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let result = work(&this);
            drop(permit);
            result
        });
        done.await.unwrap_or_else(|interrupted| {
            Err(DiskFailure {
                what: "files",
                reason: interrupted.to_string(),
            })
        })
    }

    /// A panic cannot happen while it is held (no call leaves this crate), so
    /// a poisoned table is still whole.
    pub(crate) fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// File work that failed.
struct DiskFailure {
    what: &'static str,
    reason: String,
}

impl DiskFailure {
    fn of(what: &'static str) -> impl Fn(io::Error) -> Self {
        move |error| Self {
            what,
            reason: error.to_string(),
        }
    }
}

/// Ends the work on a claim, also when its task is dropped at shutdown.
struct Finish(Arc<Claims>, String);

impl Finish {
    fn answer<T>(self, sender: &watch::Sender<Option<T>>, result: T) {
        // First out of the table, then answered: who is woken must not join it.
        drop(self);
        sender.send_replace(Some(result));
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.table().finished(&self.1);
    }
}

/// `None`: the work was dropped without an answer.
async fn wait<T: Clone>(mut pending: Pending<T>) -> Option<T> {
    pending
        .wait_for(Option::is_some)
        .await
        .ok()
        .and_then(|answer| answer.clone())
}

fn write_failure(claim: &ClaimRef, failure: DiskFailure) -> PrepareFailure {
    let DiskFailure { what, reason } = failure;
    PrepareFailure::Write {
        namespace: claim.namespace.clone(),
        name: claim.name.clone(),
        what,
        reason,
    }
}
