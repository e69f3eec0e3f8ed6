//! The decision.

use k8s_openapi::api::resource::v1::AllocationResult;

use crate::error::AllocateError;
use crate::input::Input;
use crate::inventory::{NodePools, PoolState};
use crate::plan::ClaimPlan;
use crate::result;
use crate::search::Search;

/// What an allocation took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// How often the search looked at a claim, a request or a device to fill;
    /// `NumAllocateOneInvocations` of Kubernetes.
    pub steps: u64,
}

/// Allocates all claims together on one node.
///
/// One result for each claim, in order. `None` if they do not fit, which may be
/// different later or on other nodes: see
/// [`CANNOT_ALLOCATE`](crate::CANNOT_ALLOCATE). An error if the question is wrong:
/// except for [`is_node_local`](AllocateError::is_node_local) errors, asking for
/// another node is pointless.
///
/// The result is that of `structured.Allocator` (v0.37.2): the first fit in the
/// order of pools (by driver and name, those with binding conditions last), slices
/// (by name) and devices (as published).
pub fn allocate(input: &Input<'_>) -> Result<Option<Vec<AllocationResult>>, AllocateError> {
    allocate_counted(input).0
}

/// [`allocate`], with the work that it took.
pub fn allocate_counted(
    input: &Input<'_>,
) -> (Result<Option<Vec<AllocationResult>>, AllocateError>, Stats) {
    let mut stats = Stats::default();
    let result = decide(input, &mut stats);
    (result, stats)
}

fn decide(
    input: &Input<'_>,
    stats: &mut Stats,
) -> Result<Option<Vec<AllocationResult>>, AllocateError> {
    let pools = NodePools::gather(input.inventory, input.node, input.features)?;
    let claims = input
        .claims
        .iter()
        .map(|claim| ClaimPlan::new(input, &pools, claim))
        .collect::<Result<_, _>>()?;
    let mut search = Search::new(input, &pools, claims);
    let found = search.run();
    stats.steps = search.steps();
    if !found? {
        // Valid pools could have been enough; now that they were not, somebody
        // should know that there are others.
        let mut pools = pools.pools.iter();
        if pools.any(|pool| pool.state == PoolState::Invalid) {
            return Err(AllocateError::InvalidPools);
        }
        return Ok(None);
    }
    search
        .into_solution()
        .into_iter()
        .map(|(plan, chosen)| result::allocation(input, &pools, &plan, chosen))
        .collect::<Result<_, _>>()
        .map(Some)
}
