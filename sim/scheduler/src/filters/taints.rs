//! NodeUnschedulable and TaintToleration.

use drakit_sim_store::Object;
use serde_json::Value;

use crate::verdict::NodeReason;
use crate::world::NodeInfo;

pub(super) fn refuse(pod: &Object, node: &NodeInfo) -> Option<NodeReason> {
    let tolerations = pod
        .at(&["spec", "tolerations"])
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let spec = node.object.at(&["spec"]);
    let cordon =
        serde_json::json!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"});
    if spec["unschedulable"] == true && !tolerations.iter().any(|t| tolerates(t, &cordon)) {
        return Some(NodeReason::fixed("node(s) were unschedulable"));
    }
    let taints = spec["taints"].as_array().map_or(&[][..], Vec::as_slice);
    let refusing = |taint: &&Value| {
        matches!(taint["effect"].as_str(), Some("NoSchedule" | "NoExecute"))
            && !tolerations.iter().any(|t| tolerates(t, taint))
    };
    taints
        .iter()
        .find(refusing)
        .map(|_| NodeReason::fixed("node(s) had untolerated taint(s)"))
}

/// `v1.Toleration.ToleratesTaint`.
fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let text = |v: &Value, field: &str| {
        v.get(field)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    let (effect, key) = (text(toleration, "effect"), text(toleration, "key"));
    if !effect.is_empty() && effect != text(taint, "effect") {
        return false;
    }
    if !key.is_empty() && key != text(taint, "key") {
        return false;
    }
    match text(toleration, "operator").as_str() {
        "" | "Equal" => text(toleration, "value") == text(taint, "value"),
        "Exists" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tolerations_match_by_key_value_and_effect() {
        let taint = json!({"key": "gpu", "value": "yes", "effect": "NoSchedule"});
        let table = [
            (json!({"operator": "Exists"}), true, "everything"),
            (json!({"key": "gpu", "operator": "Exists"}), true, "the key"),
            (json!({"key": "gpu", "value": "yes"}), true, "key and value"),
            (json!({"key": "gpu", "value": "no"}), false, "another value"),
            (
                json!({"key": "cpu", "operator": "Exists"}),
                false,
                "another key",
            ),
            (
                json!({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}),
                false,
                "another effect",
            ),
        ];
        for (toleration, expected, what) in table {
            assert_eq!(tolerates(&toleration, &taint), expected, "{what}");
        }
    }
}
