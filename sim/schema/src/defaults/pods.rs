//! Defaults of pods and what they consist of (`pkg/apis/core/v1/defaults.go`).

use serde_json::{Map, Value, json};

use super::{Object, child, items, set, text};

/// Whether there is a rule for this struct of `core`.
pub(super) fn rules(name: &str, object: &mut Object) -> bool {
    match name {
        "v1.Pod" => pod(object),
        "v1.PodSpec" => pod_spec(object),
        "v1.PodStatus" => pod_status(object),
        "v1.Container" | "v1.EphemeralContainer" => container(object),
        "v1.Volume" => volume(object),
        "v1.Probe" => probe(object),
        "v1.HTTPGetAction" => {
            set(object, "path", "/");
            set(object, "scheme", "HTTP");
        }
        "v1.SecretVolumeSource"
        | "v1.ConfigMapVolumeSource"
        | "v1.DownwardAPIVolumeSource"
        | "v1.ProjectedVolumeSource" => set(object, "defaultMode", 0o644),
        "v1.HostPathVolumeSource" => {
            object.entry("type").or_insert_with(|| json!(""));
        }
        "v1.ServiceAccountTokenProjection" => set(object, "expirationSeconds", 3600),
        "v1.ObjectFieldSelector" => set(object, "apiVersion", "v1"),
        _ => return false,
    }
    true
}

fn pod(object: &mut Object) {
    let Some(spec) = child(object, "spec") else {
        return;
    };
    if spec
        .get("terminationGracePeriodSeconds")
        .and_then(Value::as_i64)
        .is_some_and(|seconds| seconds < 0)
    {
        spec.insert("terminationGracePeriodSeconds".to_owned(), json!(1));
    }
    set(spec, "enableServiceLinks", true);
    let host_network = spec.get("hostNetwork") == Some(&Value::Bool(true));
    for list in ["containers", "initContainers"] {
        for container in items(spec, list) {
            requests_from_limits(container);
            if host_network {
                host_ports(container);
            }
        }
    }
}

/// A limit without a request is a request too; only in pods, not in templates.
fn requests_from_limits(container: &mut Object) {
    let Some(resources) = container
        .get_mut("resources")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    let Some(Value::Object(limits)) = resources.get("limits").cloned() else {
        return;
    };
    if let Some(requests) = child(resources, "requests") {
        for (resource, amount) in limits {
            requests.entry(resource).or_insert(amount);
        }
    }
}

fn host_ports(container: &mut Object) {
    for port in items(container, "ports") {
        if let Some(number) = port.get("containerPort").cloned() {
            set(port, "hostPort", number);
        }
    }
}

fn pod_spec(object: &mut Object) {
    if text(object, "serviceAccountName").is_empty()
        && let Some(name) = object.get("serviceAccount").cloned()
    {
        object.insert("serviceAccountName".to_owned(), name);
    }
    if let Some(name) = object.get("serviceAccountName").cloned() {
        object.insert("serviceAccount".to_owned(), name);
    }
    set(object, "dnsPolicy", "ClusterFirst");
    set(object, "restartPolicy", "Always");
    set(object, "securityContext", Map::new());
    set(object, "terminationGracePeriodSeconds", 30);
    set(object, "schedulerName", "default-scheduler");
}

/// `podIP` and the first of `podIPs` are the same; `podIP` wins.
fn pod_status(object: &mut Object) {
    let first = object
        .get("podIPs")
        .and_then(|list| list[0]["ip"].as_str())
        .unwrap_or_default()
        .to_owned();
    let single = text(object, "podIP").to_owned();
    if single.is_empty() && !first.is_empty() {
        object.insert("podIP".to_owned(), json!(first));
    } else if !single.is_empty() && first != single {
        object.insert("podIPs".to_owned(), json!([{ "ip": single }]));
    }
}

fn container(object: &mut Object) {
    let policy = pull_policy(text(object, "image"));
    set(object, "imagePullPolicy", policy);
    set(object, "terminationMessagePath", "/dev/termination-log");
    set(object, "terminationMessagePolicy", "File");
}

/// `Always` for the tag `latest`, said or implied; a digest alone implies none.
fn pull_policy(image: &str) -> &'static str {
    let (name, digest) = image
        .split_once('@')
        .map_or((image, ""), |(name, digest)| (name, digest));
    let last = name.rsplit('/').next().unwrap_or_default();
    match last.split_once(':') {
        Some((_, "latest")) => "Always",
        None if digest.is_empty() && !image.is_empty() => "Always",
        _ => "IfNotPresent",
    }
}

fn volume(object: &mut Object) {
    if object.keys().all(|key| key == "name") {
        object.insert("emptyDir".to_owned(), json!({}));
    }
    if let Some(image) = object.get_mut("image").and_then(Value::as_object_mut) {
        let policy = pull_policy(text(image, "reference"));
        set(image, "pullPolicy", policy);
    }
}

fn probe(object: &mut Object) {
    set(object, "timeoutSeconds", 1);
    set(object, "periodSeconds", 10);
    set(object, "successThreshold", 1);
    set(object, "failureThreshold", 3);
}

#[cfg(test)]
mod tests {
    use super::pull_policy;

    #[test]
    fn only_the_latest_tag_is_always_pulled() {
        for (image, expected) in [
            ("", "IfNotPresent"),
            ("busybox", "Always"),
            ("localhost:5000/busybox", "Always"),
            ("busybox:latest", "Always"),
            ("busybox:1.36", "IfNotPresent"),
            ("localhost:5000/busybox:1.36", "IfNotPresent"),
            ("busybox@sha256:abc", "IfNotPresent"),
            ("busybox:latest@sha256:abc", "Always"),
        ] {
            assert_eq!(pull_policy(image), expected, "{image}");
        }
    }
}
