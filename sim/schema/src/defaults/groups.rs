//! Defaults of the remaining groups (`pkg/apis/<group>/v1/defaults.go`).

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{Object, child, set, text};
use crate::decode::scalar;

pub(super) fn rules(name: &str, object: &mut Object, now: Timestamp) {
    match name {
        "resource.v1.ExactDeviceRequest" | "resource.v1.DeviceSubRequest" => device_request(object),
        "resource.v1.DeviceTaint" => set(object, "timeAdded", scalar::format_seconds(now)),
        "rbac.v1.RoleBinding" | "rbac.v1.ClusterRoleBinding" => {
            if let Some(role) = child(object, "roleRef") {
                set(role, "apiGroup", RBAC);
            }
        }
        "rbac.v1.Subject" if matches!(text(object, "kind"), "User" | "Group") => {
            set(object, "apiGroup", RBAC);
        }
        "scheduling.v1.PriorityClass" => set(object, "preemptionPolicy", "PreemptLowerPriority"),
        "storage.v1.StorageClass" => {
            set(object, "reclaimPolicy", "Delete");
            set(object, "volumeBindingMode", "Immediate");
        }
        "storage.v1.CSIDriverSpec" => csi_driver(object),
        "networking.v1.NetworkPolicyPort" => set(object, "protocol", "TCP"),
        "networking.v1.NetworkPolicySpec" => network_policy(object),
        "networking.v1.IngressClassParametersReference" => set(object, "scope", "Cluster"),
        "discovery.v1.EndpointPort" => {
            object.entry("name").or_insert_with(|| json!(""));
            set(object, "protocol", "TCP");
        }
        "autoscaling.v1.HorizontalPodAutoscalerSpec"
        | "autoscaling.v2.HorizontalPodAutoscalerSpec" => {
            set(object, "minReplicas", 1);
        }
        _ => {
            if let Some(name) = name.strip_prefix("admissionregistration.v1.") {
                admission(name, object);
            }
        }
    }
}

const RBAC: &str = "rbac.authorization.k8s.io";

fn device_request(request: &mut Object) {
    set(request, "allocationMode", "ExactCount");
    if text(request, "allocationMode") == "ExactCount"
        && request
            .get("count")
            .and_then(Value::as_i64)
            .unwrap_or_default()
            == 0
    {
        request.insert("count".to_owned(), json!(1));
    }
}

fn csi_driver(spec: &mut Object) {
    set(spec, "attachRequired", true);
    set(spec, "podInfoOnMount", false);
    set(spec, "storageCapacity", false);
    set(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    set(spec, "volumeLifecycleModes", json!(["Persistent"]));
    set(spec, "requiresRepublish", false);
    set(spec, "seLinuxMount", false);
    set(spec, "preventPodSchedulingIfMissing", false);
}

fn network_policy(spec: &mut Object) {
    let egress = spec
        .get("egress")
        .and_then(Value::as_array)
        .is_some_and(|rules| !rules.is_empty());
    let types = if egress {
        json!(["Ingress", "Egress"])
    } else {
        json!(["Ingress"])
    };
    set(spec, "policyTypes", types);
}

fn admission(name: &str, object: &mut Object) {
    match name {
        "ValidatingWebhook" | "MutatingWebhook" => {
            set(object, "failurePolicy", "Fail");
            match_everything(object);
            set(object, "timeoutSeconds", 10);
            if name == "MutatingWebhook" {
                set(object, "reinvocationPolicy", "Never");
            }
        }
        "RuleWithOperations" | "NamedRuleWithOperations" => set(object, "scope", "*"),
        "ServiceReference" => set(object, "port", 443),
        "ValidatingAdmissionPolicySpec" | "MutatingAdmissionPolicySpec" => {
            set(object, "failurePolicy", "Fail");
        }
        "MatchResources" => match_everything(object),
        _ => {}
    }
}

fn match_everything(object: &mut Object) {
    set(object, "matchPolicy", "Equivalent");
    set(object, "namespaceSelector", Map::new());
    set(object, "objectSelector", Map::new());
}
