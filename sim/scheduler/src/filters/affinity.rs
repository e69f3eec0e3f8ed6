//! NodeAffinity: `nodeSelector` and required node affinity.

use drakit_sim_store::Object;
use serde_json::Value;

use crate::world::NodeInfo;

pub(super) fn fits(pod: &Object, node: &NodeInfo) -> bool {
    let labels = node.object.at(&["metadata", "labels"]);
    let selector = pod.at(&["spec", "nodeSelector"]).as_object();
    if !selector
        .into_iter()
        .flatten()
        .all(|(name, value)| labels.get(name) == Some(value))
    {
        return false;
    }
    let required = pod.at(&[
        "spec",
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
    ]);
    required.is_null() || selector_matches(required, node.object.name(), labels)
}

/// A `v1.NodeSelector`: terms are alternatives; a term without requirements matches nothing.
pub(crate) fn selector_matches(selector: &Value, name: &str, labels: &Value) -> bool {
    let terms = selector.get("nodeSelectorTerms").and_then(Value::as_array);
    terms.into_iter().flatten().any(|term| {
        let part = |field: &str| {
            term.get(field)
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice)
        };
        let (expressions, fields) = (part("matchExpressions"), part("matchFields"));
        if expressions.is_empty() && fields.is_empty() {
            return false;
        }
        let label = |e: &Value| {
            e["key"]
                .as_str()
                .and_then(|k| labels.get(k))
                .and_then(Value::as_str)
        };
        expressions.iter().all(|e| holds(e, label(e)))
            && fields
                .iter()
                .all(|f| f["key"] == "metadata.name" && holds(f, Some(name)))
    })
}

fn holds(requirement: &Value, value: Option<&str>) -> bool {
    let values = || {
        requirement
            .get("values")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let listed = || values().any(|v| v.as_str() == value);
    let number = |text: Option<&str>| text.and_then(|t| t.parse::<i64>().ok());
    let bound = || number(values().next().and_then(Value::as_str));
    match requirement["operator"].as_str().unwrap_or("") {
        "In" => value.is_some() && listed(),
        "NotIn" => value.is_none() || !listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => number(value).zip(bound()).is_some_and(|(v, b)| v > b),
        "Lt" => number(value).zip(bound()).is_some_and(|(v, b)| v < b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn terms_are_alternatives_and_requirements_add_up() {
        let labels = json!({"zone": "a", "gpus": "8"});
        let term = |e: Value| json!({"nodeSelectorTerms": [{"matchExpressions": e}]});
        let table = [
            (
                term(json!([{"key": "zone", "operator": "In", "values": ["a", "b"]}])),
                true,
            ),
            (
                term(json!([{"key": "zone", "operator": "NotIn", "values": ["a"]}])),
                false,
            ),
            (
                term(
                    json!([{"key": "gpus", "operator": "Gt", "values": ["4"]}, {"key": "zone", "operator": "Exists"}]),
                ),
                true,
            ),
            (
                term(json!([{"key": "gpus", "operator": "Lt", "values": ["4"]}])),
                false,
            ),
            (term(json!([])), false),
            (
                json!({"nodeSelectorTerms": [{}, {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}),
                true,
            ),
        ];
        for (selector, expected) in table {
            assert_eq!(
                selector_matches(&selector, "n", &labels),
                expected,
                "{selector}"
            );
        }
    }
}
