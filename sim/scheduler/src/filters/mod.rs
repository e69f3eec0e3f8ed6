//! Which nodes a pod may use, without looking at devices.

mod affinity;
mod resources;
mod taints;

use drakit_sim_store::Object;

pub(crate) use affinity::selector_matches;

use crate::pod::Requests;
use crate::verdict::NodeReason;
use crate::world::NodeInfo;

/// Why the pod cannot use the node; the first filter in kube-scheduler's order decides.
pub(crate) fn refuse(
    pod: &Object,
    requests: &Requests,
    node: &NodeInfo,
) -> Option<Vec<NodeReason>> {
    if let Some(reason) = taints::refuse(pod, node) {
        return Some(vec![reason]);
    }
    if !affinity::fits(pod, node) {
        return Some(vec![NodeReason::fixed(
            "node(s) didn't match Pod's node affinity/selector",
        )]);
    }
    let missing = resources::missing(requests, node);
    (!missing.is_empty()).then_some(missing)
}
