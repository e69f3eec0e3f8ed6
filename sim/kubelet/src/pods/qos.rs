//! Quality-of-service class of a pod.

use super::view::PodView;

/// `qos.ComputePodQOS`, by cpu and memory.
pub(super) fn qos_class(pod: &PodView) -> &'static str {
    const COUNTED: [&str; 2] = ["cpu", "memory"];
    let mut any = false;
    let mut guaranteed = true;
    for container in pod.all_containers() {
        let (requests, limits) = (&container.resources.requests, &container.resources.limits);
        for name in COUNTED {
            let (request, limit) = (requests.get(name), limits.get(name));
            any |= request.is_some() || limit.is_some();
            // A missing request is defaulted to the limit by the API server.
            guaranteed &= limit.is_some() && (request.is_none() || request == limit);
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pod(spec: &Value) -> PodView {
        serde_json::from_value(json!({"spec": spec})).unwrap()
    }

    #[test]
    fn qos_classes_are_computed_from_cpu_and_memory() {
        let class = |resources: Value| {
            qos_class(&pod(
                &json!({"containers": [{"name": "c", "resources": resources}]}),
            ))
        };
        let full = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(class(json!({})), "BestEffort");
        assert_eq!(class(json!({"requests": {"cpu": "1"}})), "Burstable");
        assert_eq!(
            class(json!({"limits": full, "requests": full})),
            "Guaranteed"
        );
    }
}
