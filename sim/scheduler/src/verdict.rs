//! Reasons, in the words of kube-scheduler.

use std::collections::BTreeMap;

/// Why one node does not do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeReason {
    pub(crate) text: String,
    /// Whether removing other pods could help (`Unschedulable`, not `UnschedulableAndUnresolvable`).
    pub(crate) preemptible: bool,
}

impl NodeReason {
    pub(crate) fn fixed(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            preemptible: false,
        }
    }

    pub(crate) fn preemptible(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            preemptible: true,
        }
    }
}

/// Why a pod got no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is not tried at all yet (`PreEnqueue`): a claim is missing. No event, as in Kubernetes.
    NotReady(String),
    /// No node does, for a reason of the pod itself (`PreFilter`).
    Pod(String),
    /// Every node has its reasons.
    Nodes(Vec<NodeReason>),
    /// The question is wrong; the scheduler's error.
    Error(String),
}

impl Verdict {
    /// The text of the event `FailedScheduling` and of the condition.
    pub(crate) fn message(&self, nodes: usize) -> String {
        let reason = match self {
            Self::NotReady(text) | Self::Error(text) => return text.clone(),
            Self::Pod(_) | Self::Nodes(_) if nodes == 0 => {
                return "no nodes available to schedule pods".to_owned();
            }
            Self::Pod(text) => format!("{text}."),
            Self::Nodes(reasons) => histogram(reasons.iter().map(|r| r.text.as_str())),
        };
        let preemption = match self {
            Self::Nodes(reasons) => histogram(reasons.iter().map(|r| {
                if r.preemptible {
                    "No preemption victims found for incoming pod"
                } else {
                    NOT_HELPFUL
                }
            })),
            _ => format!("{nodes} {NOT_HELPFUL}."),
        };
        format!(
            "0/{nodes} nodes are available: {reason} preemption: 0/{nodes} nodes are available: {preemption}"
        )
    }

    /// `reason` of the condition `PodScheduled`.
    pub(crate) fn condition_reason(&self) -> &'static str {
        if matches!(self, Self::Error(_)) {
            "SchedulerError"
        } else {
            "Unschedulable"
        }
    }
}

const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";

/// `2 a, 1 b.`, sorted as text (`FitError.Error`).
fn histogram<'a>(reasons: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    reasons.for_each(|r| *counts.entry(r).or_default() += 1);
    let mut lines: Vec<String> = counts
        .into_iter()
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    lines.sort();
    format!("{}.", lines.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_nodes_are_counted() {
        let verdict = Verdict::Nodes(vec![
            NodeReason::fixed("cannot allocate all claims"),
            NodeReason::preemptible("Insufficient cpu"),
            NodeReason::fixed("cannot allocate all claims"),
        ]);
        assert_eq!(
            verdict.message(3),
            "0/3 nodes are available: 1 Insufficient cpu, 2 cannot allocate all claims. preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
        );
    }

    #[test]
    fn a_reason_of_the_pod_is_told_once() {
        let verdict = Verdict::Pod("request gpu: device class x does not exist".into());
        assert_eq!(
            verdict.message(2),
            "0/2 nodes are available: request gpu: device class x does not exist. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
        );
    }
}
