//! Cells of pods: the one printer with a logic of its own (`printPod`).

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{age, human_duration, list, number, or_else, text};

pub(super) fn pod(object: &Value, now: Timestamp) -> Vec<Value> {
    let summary = Summary::of(object);
    let pod_ip = list(object, "/status/podIPs")
        .first()
        .map_or("", |ip| text(ip, "/ip"));
    vec![
        json!(text(object, "/metadata/name")),
        json!(format!("{}/{}", summary.ready, summary.total)),
        json!(summary.reason),
        json!(summary.restarts(now)),
        json!(age(object, now)),
        json!(or_else(pod_ip, "<none>")),
        json!(or_else(text(object, "/spec/nodeName"), "<none>")),
        json!(or_else(text(object, "/status/nominatedNodeName"), "<none>")),
        json!(readiness_gates(object)),
    ]
}

fn readiness_gates(object: &Value) -> String {
    let gates = list(object, "/spec/readinessGates");
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let passed = gates
        .iter()
        .filter(|gate| condition_is_true(object, text(gate, "/conditionType")))
        .count();
    format!("{passed}/{}", gates.len())
}

fn condition_is_true(object: &Value, kind: &str) -> bool {
    let mut conditions = list(object, "/status/conditions").iter();
    conditions
        .find(|condition| condition["type"] == kind)
        .is_some_and(|condition| condition["status"] == "True")
}

/// Restarts of some containers and when the last was.
#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<Timestamp>,
}

impl Restarts {
    fn add(&mut self, status: &Value) {
        self.count += number(status, "/restartCount");
        let finished = text(status, "/lastState/terminated/finishedAt")
            .parse()
            .ok();
        self.last = self.last.max(finished);
    }
}

struct Summary {
    ready: usize,
    total: usize,
    reason: String,
    restarts: Restarts,
}

impl Summary {
    fn of(object: &Value) -> Self {
        let phase = text(object, "/status/phase");
        let mut reason = or_else(text(object, "/status/reason"), phase).to_owned();
        let gated = |condition: &Value| {
            condition["type"] == "PodScheduled" && condition["reason"] == "SchedulingGated"
        };
        if list(object, "/status/conditions").iter().any(gated) {
            "SchedulingGated".clone_into(&mut reason);
        }
        let init = InitContainers::of(object);
        let mut summary = Summary {
            ready: init.ready,
            total: list(object, "/spec/containers").len() + init.restartable,
            reason: init.reason.clone().unwrap_or(reason),
            restarts: init.restarts,
        };
        if init.reason.is_none() || condition_is_true(object, "Initialized") {
            summary.restarts = init.restartable_restarts;
            summary.add_containers(object);
        }
        if !text(object, "/metadata/deletionTimestamp").is_empty() {
            if object["status"]["reason"] == "NodeLost" {
                "Unknown".clone_into(&mut summary.reason);
            } else if !matches!(phase, "Succeeded" | "Failed") {
                "Terminating".clone_into(&mut summary.reason);
            }
        }
        summary
    }

    fn add_containers(&mut self, object: &Value) {
        let (mut running, mut failure) = (false, String::new());
        for status in list(object, "/status/containerStatuses").iter().rev() {
            self.restarts.add(status);
            let waiting = text(status, "/state/waiting/reason");
            let terminated = &status["state"]["terminated"];
            if !waiting.is_empty() {
                waiting.clone_into(&mut self.reason);
            } else if terminated.is_object() {
                self.reason = end_reason(terminated);
                if number(terminated, "/exitCode") != 0 {
                    self.reason.clone_into(&mut failure);
                }
            } else if status["ready"] == true && status["state"]["running"].is_object() {
                running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            if running && condition_is_true(object, "Ready") {
                "Running".clone_into(&mut self.reason);
            } else if !failure.is_empty() {
                self.reason = failure;
            } else if running {
                "NotReady".clone_into(&mut self.reason);
            }
        }
    }

    fn restarts(&self, now: Timestamp) -> String {
        match (self.restarts.count, self.restarts.last) {
            (0, _) | (_, None) => self.restarts.count.to_string(),
            (count, Some(last)) => {
                format!(
                    "{count} ({} ago)",
                    human_duration(now.as_second() - last.as_second())
                )
            }
        }
    }
}

/// Why a container ended.
fn end_reason(terminated: &Value) -> String {
    match (text(terminated, "/reason"), number(terminated, "/signal")) {
        ("", 0) => format!("ExitCode:{}", number(terminated, "/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

#[derive(Default)]
struct InitContainers {
    /// Sidecars: they count as containers.
    restartable: usize,
    ready: usize,
    restarts: Restarts,
    restartable_restarts: Restarts,
    /// What initialization waits for; `None` when it is over.
    reason: Option<String>,
}

impl InitContainers {
    fn of(object: &Value) -> Self {
        let specs = list(object, "/spec/initContainers");
        let restartable = |name: &Value| {
            specs
                .iter()
                .any(|spec| spec["name"] == *name && spec["restartPolicy"] == "Always")
        };
        let mut found = Self {
            restartable: specs
                .iter()
                .filter(|spec| spec["restartPolicy"] == "Always")
                .count(),
            ..Self::default()
        };
        for (index, status) in list(object, "/status/initContainerStatuses")
            .iter()
            .enumerate()
        {
            let sidecar = restartable(&status["name"]);
            found.restarts.add(status);
            if sidecar {
                found.restartable_restarts.add(status);
            }
            let terminated = &status["state"]["terminated"];
            let waiting = text(status, "/state/waiting/reason");
            if terminated.is_object() && number(terminated, "/exitCode") == 0 {
                continue;
            }
            if sidecar && status["started"] == true {
                found.ready += usize::from(status["ready"] == true);
                continue;
            }
            found.reason = Some(if terminated.is_object() {
                format!("Init:{}", end_reason(terminated))
            } else if !matches!(waiting, "" | "PodInitializing") {
                format!("Init:{waiting}")
            } else {
                format!("Init:{index}/{}", specs.len())
            });
            break;
        }
        found
    }
}
