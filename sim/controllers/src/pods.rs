//! Facts about pods that controllers decide by.

use drakit_sim_store::Object;

/// Succeeded or Failed, or deleted before it got a node: its claims are not needed any more
/// (`isPodDone`, pkg/controller/resourceclaim).
pub(crate) fn is_done(pod: &Object) -> bool {
    is_terminal(pod) || (pod.is_deleting() && pod.str_at(&["spec", "nodeName"]).is_empty())
}

/// Phase Succeeded or Failed.
pub(crate) fn is_terminal(pod: &Object) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// `status.phase`.
pub(crate) fn phase(pod: &Object) -> &str {
    pod.str_at(&["status", "phase"])
}

/// Condition Ready is True.
pub(crate) fn is_ready(pod: &Object) -> bool {
    let conditions = pod.at(&["status", "conditions"]).as_array();
    conditions
        .into_iter()
        .flatten()
        .any(|c| c["type"] == "Ready" && c["status"] == "True")
}

/// Neither terminal nor being deleted (`FilterActivePods`).
pub(crate) fn is_active(pod: &Object) -> bool {
    !is_terminal(pod) && !pod.is_deleting()
}
