//! Pod status as the kubelet writes it (`kubelet_pods.go`, `status/generate.go`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::image::{container_id, image_names};
use super::qos::qos_class;
use super::view::{Container, PodView};

/// How far a container is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ContainerStage {
    Waiting {
        reason: &'static str,
        message: Option<String>,
    },
    Running {
        since: String,
    },
    Done {
        since: String,
        until: String,
    },
}

/// How far a pod is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PodStage {
    /// When the kubelet first saw the pod.
    pub(crate) start_time: String,
    /// Whether the sandbox is there.
    pub(crate) sandbox: bool,
    pub(crate) pod_ip: Option<String>,
    pub(crate) host_ip: String,
    /// Containers of both kinds by name; absent ones are being created.
    pub(crate) containers: BTreeMap<String, ContainerStage>,
    /// The pod will not run again.
    pub(crate) terminal: bool,
}

/// Conditions that the kubelet owns, in the order in which it writes them. `PodScheduled` is the
/// scheduler's and keeps its place after them.
const CONDITIONS: [&str; 4] = [
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
];

impl PodStage {
    fn of<'a>(&'a self, container: &Container) -> Option<&'a ContainerStage> {
        self.containers.get(&container.name)
    }

    fn is_running(&self, container: &Container) -> bool {
        matches!(self.of(container), Some(ContainerStage::Running { .. }))
    }

    fn is_done(&self, container: &Container) -> bool {
        matches!(self.of(container), Some(ContainerStage::Done { .. }))
    }

    fn is_initialized(&self, container: &Container) -> bool {
        if container.is_sidecar() {
            self.is_running(container) || self.is_done(container)
        } else {
            self.is_done(container)
        }
    }

    /// `getPhase`, of the states that emulated containers can be in.
    pub(crate) fn phase(&self, pod: &PodView) -> &'static str {
        let all = |test: &dyn Fn(&Container) -> bool| pod.spec.containers.iter().all(test);
        if all(&|c| self.is_done(c)) {
            "Succeeded"
        } else if self.terminal {
            "Failed"
        } else if pod
            .spec
            .init_containers
            .iter()
            .all(|c| self.is_initialized(c))
            && all(&|c| self.is_running(c) || self.is_done(c))
        {
            "Running"
        } else {
            "Pending"
        }
    }

    /// The whole status, on top of what others wrote into `old`.
    pub(crate) fn status(&self, pod: &PodView, old: &Value, now: &str) -> Value {
        let mut status = old.as_object().cloned().unwrap_or_default();
        let phase = self.phase(pod);
        status.insert("phase".into(), json!(phase));
        status.insert("observedGeneration".into(), json!(pod.metadata.generation));
        status.insert("startTime".into(), json!(self.start_time));
        status.insert("hostIP".into(), json!(self.host_ip));
        status.insert("hostIPs".into(), json!([{"ip": self.host_ip}]));
        if let Some(ip) = &self.pod_ip {
            status.insert("podIP".into(), json!(ip));
            status.insert("podIPs".into(), json!([{"ip": ip}]));
        }
        if pod.status.qos_class.is_empty() {
            status.insert("qosClass".into(), json!(qos_class(pod)));
        }
        let conditions = self.conditions(pod, phase, old, now);
        status.insert("conditions".into(), Value::Array(conditions));
        if !pod.spec.init_containers.is_empty() {
            let statuses = pod.spec.init_containers.iter();
            let statuses = statuses.map(|c| self.container_status(pod, c, true));
            status.insert("initContainerStatuses".into(), statuses.collect());
        }
        let mut containers: Vec<_> = pod.spec.containers.iter().collect();
        containers.sort_by(|a, b| a.name.cmp(&b.name));
        let statuses = containers
            .into_iter()
            .map(|c| self.container_status(pod, c, false));
        status.insert("containerStatuses".into(), statuses.collect());
        Value::Object(status)
    }

    fn conditions(&self, pod: &PodView, phase: &str, old: &Value, now: &str) -> Vec<Value> {
        let waiting = |containers: &[Container], ready: &dyn Fn(&Container) -> bool| {
            let names = containers.iter().filter(|c| !ready(c));
            let names: Vec<_> = names.map(|c| c.name.as_str()).collect();
            (!names.is_empty()).then(|| names.join(" "))
        };
        let uninitialized = waiting(&pod.spec.init_containers, &|c| self.is_initialized(c));
        let unready = waiting(&pod.spec.containers, &|c| self.is_running(c));
        let completed = phase == "Succeeded";
        let initialized = match uninitialized {
            None if completed => Condition::yes(Some("PodCompleted")),
            None => Condition::yes(None),
            Some(names) => Condition::no(
                "ContainersNotInitialized",
                Some(format!("containers with incomplete status: [{names}]")),
            ),
        };
        let ready = match unready {
            _ if completed => Condition::no("PodCompleted", None),
            None => Condition::yes(None),
            Some(names) => Condition::no(
                "ContainersNotReady",
                Some(format!("containers with unready status: [{names}]")),
            ),
        };
        let sandbox = Condition {
            met: self.sandbox && !self.terminal,
            reason: None,
            message: None,
        };
        let old_conditions = old.get("conditions").and_then(Value::as_array);
        let old_conditions = old_conditions.map_or(&[][..], Vec::as_slice);
        let mine = [sandbox, initialized, ready.clone(), ready];
        let mut conditions: Vec<_> = CONDITIONS
            .iter()
            .zip(mine)
            .map(|(name, condition)| {
                condition.json(name, pod.metadata.generation, old_conditions, now)
            })
            .collect();
        let others = old_conditions
            .iter()
            .filter(|c| !CONDITIONS.iter().any(|name| c["type"] == **name));
        conditions.extend(others.cloned());
        conditions
    }

    fn container_status(&self, pod: &PodView, container: &Container, init: bool) -> Value {
        let initializing = !init && !pod.spec.init_containers.is_empty();
        let creating = ContainerStage::Waiting {
            reason: if initializing || (init && self.sandbox) {
                "PodInitializing"
            } else {
                "ContainerCreating"
            },
            message: None,
        };
        let stage = self.of(container).unwrap_or(&creating);
        let id = format!("containerd://{}", container_id(pod, container));
        let mut status = Map::new();
        status.insert("name".into(), json!(container.name));
        status.insert("lastState".into(), json!({}));
        status.insert("restartCount".into(), json!(0));
        let running = matches!(stage, ContainerStage::Running { .. });
        let finished_init = init && !container.is_sidecar() && self.is_done(container);
        status.insert("ready".into(), json!(running || finished_init));
        status.insert("started".into(), json!(running));
        if matches!(stage, ContainerStage::Waiting { .. }) {
            status.insert("image".into(), json!(container.image));
            status.insert("imageID".into(), json!(""));
        } else {
            let (image, image_id) = image_names(&container.image);
            status.insert("image".into(), json!(image));
            status.insert("imageID".into(), json!(image_id));
            status.insert("containerID".into(), json!(id));
            add_resources(&mut status, container);
        }
        status.insert("state".into(), stage.json(&id));
        Value::Object(status)
    }
}

impl ContainerStage {
    fn json(&self, id: &str) -> Value {
        match self {
            Self::Waiting { reason, message } => {
                let mut waiting = json!({"reason": reason});
                if let Some(message) = message {
                    waiting["message"] = json!(message);
                }
                json!({"waiting": waiting})
            }
            Self::Running { since } => json!({"running": {"startedAt": since}}),
            Self::Done { since, until } => json!({"terminated": {
                "exitCode": 0,
                "reason": "Completed",
                "startedAt": since,
                "finishedAt": until,
                "containerID": id,
            }}),
        }
    }
}

#[derive(Clone)]
struct Condition {
    met: bool,
    reason: Option<&'static str>,
    message: Option<String>,
}

impl Condition {
    fn yes(reason: Option<&'static str>) -> Self {
        Self {
            met: true,
            reason,
            message: None,
        }
    }

    fn no(reason: &'static str, message: Option<String>) -> Self {
        Self {
            met: false,
            reason: Some(reason),
            message,
        }
    }

    fn json(&self, name: &str, generation: i64, old: &[Value], now: &str) -> Value {
        let status = if self.met { "True" } else { "False" };
        let since = old
            .iter()
            .find(|c| c["type"] == name && c["status"] == status)
            .and_then(|c| c["lastTransitionTime"].as_str())
            .unwrap_or(now);
        let mut condition = json!({
            "type": name,
            "status": status,
            "observedGeneration": generation,
            "lastProbeTime": null,
            "lastTransitionTime": since,
        });
        if let Some(reason) = self.reason {
            condition["reason"] = json!(reason);
        }
        if let Some(message) = &self.message {
            condition["message"] = json!(message);
        }
        condition
    }
}

fn add_resources(status: &mut Map<String, Value>, container: &Container) {
    let given = &container.resources;
    let mut resources = Map::new();
    if !given.requests.is_empty() {
        status.insert("allocatedResources".into(), json!(given.requests));
        resources.insert("requests".into(), json!(given.requests));
    }
    if !given.limits.is_empty() {
        resources.insert("limits".into(), json!(given.limits));
    }
    if !resources.is_empty() {
        status.insert("resources".into(), Value::Object(resources));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(spec: &Value) -> PodView {
        serde_json::from_value(json!({
            "metadata": {"name": "p", "namespace": "ns", "uid": "u", "generation": 1},
            "spec": spec,
        }))
        .unwrap()
    }

    fn running(names: &[&str]) -> PodStage {
        let stage = |name: &&str| {
            let since = "2026-01-01T00:00:00Z".to_owned();
            ((*name).to_owned(), ContainerStage::Running { since })
        };
        PodStage {
            start_time: "2026-01-01T00:00:00Z".into(),
            sandbox: true,
            pod_ip: Some("10.244.0.2".into()),
            host_ip: "172.18.0.2".into(),
            containers: names.iter().map(stage).collect(),
            terminal: false,
        }
    }

    #[test]
    fn a_running_pod_keeps_what_others_wrote() {
        let pod = pod(&json!({"containers": [{"name": "c", "image": "busybox"}]}));
        let old = json!({
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2025-12-31T00:00:00Z"},
                {"type": "Ready", "status": "False", "lastTransitionTime": "2025-12-31T00:00:00Z"},
            ],
            "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "p-gpu"}],
        });
        let now = "2026-01-01T00:00:01Z";
        let status = running(&["c"]).status(&pod, &old, now);
        assert_eq!(status["phase"], "Running");
        assert_eq!(status["qosClass"], "BestEffort");
        assert_eq!(
            status["resourceClaimStatuses"],
            old["resourceClaimStatuses"]
        );
        let kinds: Vec<_> = status["conditions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| {
                format!(
                    "{}={}",
                    c["type"].as_str().unwrap(),
                    c["status"].as_str().unwrap()
                )
            })
            .collect();
        assert_eq!(
            kinds,
            [
                "PodReadyToStartContainers=True",
                "Initialized=True",
                "Ready=True",
                "ContainersReady=True",
                "PodScheduled=True",
            ]
        );
        assert_eq!(status["conditions"][2]["lastTransitionTime"], now);
        assert_eq!(
            status["containerStatuses"][0]["image"],
            "docker.io/library/busybox:latest"
        );
        // The same again changes nothing.
        assert_eq!(
            running(&["c"]).status(&pod, &status, "2026-01-01T00:00:09Z"),
            status
        );
    }

    #[test]
    fn a_container_that_was_not_created_keeps_the_pod_pending() {
        let pod = pod(&json!({"containers": [{"name": "a"}, {"name": "b"}]}));
        let mut stage = running(&["a"]);
        stage.containers.insert(
            "b".into(),
            ContainerStage::Waiting {
                reason: "CreateContainerError",
                message: Some("no".into()),
            },
        );
        let status = stage.status(&pod, &Value::Null, "2026-01-01T00:00:01Z");
        assert_eq!(status["phase"], "Pending");
        assert_eq!(
            status["conditions"][2]["message"],
            "containers with unready status: [b]"
        );
        let waiting = &status["containerStatuses"][1]["state"]["waiting"];
        assert_eq!(
            *waiting,
            json!({"reason": "CreateContainerError", "message": "no"})
        );
    }
}
