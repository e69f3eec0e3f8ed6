//! One pass over one pool: plan from what is known, then write.

use std::sync::Arc;

use drakit_api::k8s::api::resource::v1::ResourceSlice;
use kube::api::Api;

use crate::api::{Changes, Owner, carry_out};
use crate::error::PublishError;
use crate::nodes::NodeUids;
use crate::plan::{Stored, Wanted, plan};
use crate::pool::{PoolKey, SliceSource};

/// What every pass needs.
pub(crate) struct Context {
    pub(crate) slices: Api<ResourceSlice>,
    pub(crate) nodes: NodeUids,
}

/// Input of one pass: a copy, so that the owner of the state is not held up.
pub(crate) struct Job {
    pub(crate) key: PoolKey,
    /// `None`: the pool is to go.
    pub(crate) source: Option<Arc<dyn SliceSource>>,
    pub(crate) wanted: Vec<Wanted>,
    pub(crate) stored: Vec<Stored>,
    pub(crate) last_generation: i64,
}

/// Result of one pass.
pub(crate) struct Done {
    pub(crate) key: PoolKey,
    pub(crate) generation: i64,
    pub(crate) changes: Changes,
    pub(crate) result: Result<(), PublishError>,
}

/// Runs one pass.
pub(crate) async fn sync(context: Arc<Context>, job: Job) -> Done {
    let mut changes = Changes::default();
    let mut generation = job.last_generation;
    let result = write(&context, &job, &mut generation, &mut changes).await;
    Done {
        key: job.key,
        generation,
        changes,
        result,
    }
}

async fn write(
    context: &Context,
    job: &Job,
    generation: &mut i64,
    changes: &mut Changes,
) -> Result<(), PublishError> {
    let owner = match (&job.key.node, &job.source) {
        (Some(node), Some(_)) => Some(Owner {
            node: node.clone(),
            uid: context.nodes.get(node, &job.key).await?,
        }),
        _ => None,
    };
    let owner_uid = owner.as_ref().map(|owner| owner.uid.as_str());
    let writes = plan(&job.wanted, &job.stored, owner_uid, job.last_generation);
    *generation = writes.generation;
    if writes.is_empty() {
        return Ok(());
    }
    let specs = job
        .source
        .as_ref()
        .map(|source| source.specs(writes.generation));
    let specs = specs.unwrap_or_default();
    carry_out(
        &context.slices,
        &job.key,
        writes,
        &specs,
        &job.wanted,
        owner.as_ref(),
        changes,
    )
    .await
}
