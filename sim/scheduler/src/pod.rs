//! What one pod asks for.

use drakit_api::Quantity;
use drakit_sim_store::Object;
use serde_json::Value;

/// CPU in thousandths, memory in bytes, and whatever else containers request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    pub(crate) milli_cpu: i64,
    pub(crate) memory: i64,
    /// Other resources by name (`ephemeral-storage`, extended resources).
    pub(crate) others: Vec<(String, i64)>,
}

/// The sum over containers, or the largest init container if that is more, plus overhead
/// (`PodRequests`, k8s.io/component-helpers/resource).
pub(crate) fn requests(pod: &Object) -> Requests {
    let mut total = Requests::default();
    for container in list(pod, "containers") {
        total.add(&of_container(container));
    }
    let mut largest = Requests::default();
    for container in list(pod, "initContainers") {
        let own = of_container(container);
        // A sidecar runs beside the containers.
        if container.get("restartPolicy").and_then(Value::as_str) == Some("Always") {
            total.add(&own);
        } else {
            largest.max(&own);
        }
    }
    total.max(&largest);
    total.add(&quantities(pod.at(&["spec", "overhead"])));
    total
}

fn list<'a>(pod: &'a Object, field: &str) -> impl Iterator<Item = &'a Value> {
    pod.at(&["spec", field]).as_array().into_iter().flatten()
}

fn of_container(container: &Value) -> Requests {
    quantities(
        container
            .pointer("/resources/requests")
            .unwrap_or(&Value::Null),
    )
}

/// Quantities as the scheduler counts them; the API server has refused the ones that do not parse.
pub(crate) fn quantities(map: &Value) -> Requests {
    let mut requests = Requests::default();
    for (name, value) in map.as_object().into_iter().flatten() {
        let Some(quantity) = value.as_str().and_then(|v| Quantity::parse(v).ok()) else {
            continue;
        };
        match name.as_str() {
            "cpu" => requests.milli_cpu = quantity.milli_value(),
            "memory" => requests.memory = quantity.value(),
            "pods" => {}
            other => requests.others.push((other.to_owned(), quantity.value())),
        }
    }
    requests
}

impl Requests {
    pub(crate) fn add(&mut self, other: &Self) {
        self.milli_cpu += other.milli_cpu;
        self.memory += other.memory;
        self.combine(other, |a, b| a + b);
    }

    pub(crate) fn subtract(&mut self, other: &Self) {
        self.milli_cpu -= other.milli_cpu;
        self.memory -= other.memory;
        self.combine(other, |a, b| a - b);
    }

    fn max(&mut self, other: &Self) {
        self.milli_cpu = self.milli_cpu.max(other.milli_cpu);
        self.memory = self.memory.max(other.memory);
        self.combine(other, i64::max);
    }

    fn combine(&mut self, other: &Self, with: impl Fn(i64, i64) -> i64) {
        for (name, amount) in &other.others {
            match self.others.iter_mut().find(|(n, _)| n == name) {
                Some((_, have)) => *have = with(*have, *amount),
                None => self.others.push((name.clone(), with(0, *amount))),
            }
        }
    }

    pub(crate) fn other(&self, name: &str) -> i64 {
        self.others
            .iter()
            .find(|(n, _)| n == name)
            .map_or(0, |(_, amount)| *amount)
    }
}

/// Scheduling rules that are not emulated; a pod that needs them is refused with their name instead
/// of being placed wrongly.
pub(crate) fn not_emulated(pod: &Object) -> Option<&'static str> {
    let has = |path: &[&str]| pod.at(path).as_array().is_some_and(|a| !a.is_empty());
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let claim_volume =
        |v: &Value| v.get("persistentVolumeClaim").is_some() || v.get("ephemeral").is_some();
    if has(&["spec", "affinity", "podAffinity", required]) {
        Some("spec.affinity.podAffinity")
    } else if has(&["spec", "affinity", "podAntiAffinity", required]) {
        Some("spec.affinity.podAntiAffinity")
    } else if list(pod, "topologySpreadConstraints")
        .any(|c| c["whenUnsatisfiable"] != "ScheduleAnyway")
    {
        Some("spec.topologySpreadConstraints")
    } else if list(pod, "volumes").any(claim_volume) {
        Some("spec.volumes[].persistentVolumeClaim")
    } else if !pod.at(&["spec", "schedulingGroup"]).is_null() {
        Some("spec.schedulingGroup")
    } else {
        None
    }
}

/// The entries of `spec.resourceClaims`.
pub(crate) fn claim_entries(pod: &Object) -> &[Value] {
    pod.at(&["spec", "resourceClaims"])
        .as_array()
        .map_or(&[], Vec::as_slice)
}

/// The name of the claim of an entry: `Ok(None)` if none is needed, an error if it is not made yet
/// (`resourceclaim.Name`).
pub(crate) fn claim_name<'a>(pod: &'a Object, entry: &'a Value) -> Result<Option<&'a str>, String> {
    if let Some(name) = entry.get("resourceClaimName").and_then(Value::as_str) {
        return Ok(Some(name));
    }
    let statuses = pod.at(&["status", "resourceClaimStatuses"]).as_array();
    match statuses
        .into_iter()
        .flatten()
        .find(|s| s["name"] == entry["name"])
    {
        Some(status) => Ok(status.get("resourceClaimName").and_then(Value::as_str)),
        None => Err(format!(
            "pod \"{}/{}\": ResourceClaim not created yet",
            pod.namespace(),
            pod.name()
        )),
    }
}
