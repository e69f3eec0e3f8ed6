//! A pool as it should be: its key and where its slices come from.

use std::fmt;

use drakit_api::k8s::api::resource::v1::ResourceSliceSpec;

/// Which pool of one driver: pool names are unique per node only, because a
/// driver may give the same name on every node (k8s.io/dynamic-resource-allocation
/// lists slices by driver *and* node for the same reason).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PoolKey {
    /// The node of a node-local pool; `None` for a network-attached pool.
    pub node: Option<String>,
    /// `spec.pool.name`.
    pub pool: String,
}

impl PoolKey {
    /// The pool that a published slice belongs to.
    pub(crate) fn of(spec: &ResourceSliceSpec) -> Self {
        Self {
            node: spec.node_name.clone(),
            pool: spec.pool.name.clone(),
        }
    }
}

impl fmt::Display for PoolKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(f, "pool {:?} of node {node:?}", self.pool),
            None => write!(f, "pool {:?}", self.pool),
        }
    }
}

/// Makes the slices of one pool when they are needed, so that a process that
/// serves 1,000 nodes does not hold every device twice.
pub trait SliceSource: Send + Sync + 'static {
    /// All slices of the pool in the order of their index, complete: driver,
    /// node selection, `pool.name`, `pool.resourceSliceCount` and the given
    /// `pool.generation`. Must answer the same for the same generation.
    fn specs(&self, generation: i64) -> Vec<ResourceSliceSpec>;
}

/// Ready-made slices; only the generation is replaced.
impl SliceSource for Vec<ResourceSliceSpec> {
    fn specs(&self, generation: i64) -> Vec<ResourceSliceSpec> {
        let mut specs = self.clone();
        for spec in &mut specs {
            spec.pool.generation = generation;
        }
        specs
    }
}
