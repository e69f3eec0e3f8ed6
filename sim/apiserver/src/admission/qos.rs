//! The quality-of-service class of a pod (`pkg/apis/core/v1/helper/qos/qos.go`).

use serde_json::Value;

/// `BestEffort`, `Burstable` or `Guaranteed`.
pub(crate) fn class(spec: &Value) -> &'static str {
    if let Some(resources) = spec.get("resources") {
        return of_requirements(resources);
    }
    let containers = ["initContainers", "containers"]
        .into_iter()
        .filter_map(|field| spec.get(field).and_then(Value::as_array))
        .flatten();
    let mut pod = "";
    for container in containers {
        let one = container
            .get("resources")
            .map_or("BestEffort", of_requirements);
        if one == "Burstable" || (!pod.is_empty() && pod != one) {
            return "Burstable";
        }
        pod = one;
    }
    if pod.is_empty() { "BestEffort" } else { pod }
}

fn of_requirements(resources: &Value) -> &'static str {
    let amount = |list: &str, name: &str| {
        resources
            .get(list)
            .and_then(|l| l.get(name))
            .filter(|q| !is_zero(q))
    };
    let all = |list| ["cpu", "memory"].map(|name| amount(list, name));
    let (requests, limits) = (all("requests"), all("limits"));
    if requests.iter().chain(&limits).all(Option::is_none) {
        return "BestEffort";
    }
    // Requests that are left out are defaulted to the limits before this runs.
    if limits.iter().all(Option::is_some) && requests == limits {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

fn is_zero(quantity: &Value) -> bool {
    match quantity {
        Value::String(text) => text.trim_end_matches(char::is_alphabetic) == "0",
        Value::Number(number) => number.as_f64() == Some(0.0),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::class;
    use serde_json::json;

    #[test]
    fn requests_and_limits_decide_the_class() {
        let pod = |resources| json!({"containers": [{"name": "c", "resources": resources}]});
        let equal = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(class(&pod(json!({}))), "BestEffort");
        assert_eq!(class(&pod(json!({"requests": {"cpu": "1"}}))), "Burstable");
        assert_eq!(
            class(&pod(json!({"requests": equal, "limits": equal}))),
            "Guaranteed"
        );
        assert_eq!(class(&json!({"containers": [{"name": "c"}]})), "BestEffort");
    }
}
