//! NodeResourcesFit.

use crate::pod::Requests;
use crate::verdict::NodeReason;
use crate::world::NodeInfo;

pub(super) fn missing(requests: &Requests, node: &NodeInfo) -> Vec<NodeReason> {
    let mut missing = Vec::new();
    if node.pods + 1 > node.max_pods {
        missing.push(NodeReason::preemptible("Too many pods"));
    }
    let too_much = |wanted: i64, used: i64, all: i64| wanted > 0 && wanted > all - used;
    // What never fits on the empty node cannot be helped by preemption.
    let reason = |name: &str, wanted: i64, all: i64| {
        let text = format!("Insufficient {name}");
        if wanted > all {
            NodeReason::fixed(text)
        } else {
            NodeReason::preemptible(text)
        }
    };
    let (used, all) = (&node.used, &node.allocatable);
    if too_much(requests.milli_cpu, used.milli_cpu, all.milli_cpu) {
        missing.push(reason("cpu", requests.milli_cpu, all.milli_cpu));
    }
    if too_much(requests.memory, used.memory, all.memory) {
        missing.push(reason("memory", requests.memory, all.memory));
    }
    for (name, wanted) in &requests.others {
        if too_much(*wanted, used.other(name), all.other(name)) {
            missing.push(reason(name, *wanted, all.other(name)));
        }
    }
    missing
}
