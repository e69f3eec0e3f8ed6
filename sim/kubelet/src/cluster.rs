//! What the kubelets of all nodes share.

use std::sync::Arc;

use drakit_sim_store::Store;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::pods::LogBook;
use crate::pods::addresses::PodNetwork;
use crate::timing::Timing;

#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) store: Store,
    pub(crate) timing: Timing,
    pub(crate) network: PodNetwork,
    pub(crate) logs: Arc<LogBook>,
    /// Everything that runs; joined when the kubelets stop.
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}
