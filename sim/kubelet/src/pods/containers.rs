//! Making the containers of a pod, as far as that can be seen from outside.

use std::sync::Arc;

use drakit_sim_store::{EventType, Object};

use super::environment::{Addresses, environment};
use super::logs;
use super::status::{ContainerStage, PodStage};
use super::view::{Container, PodView};
use crate::cdi::Injected;
use crate::node::Node;

/// `Reason` of a container that the runtime could not create.
const CREATE_ERROR: &str = "CreateContainerError";
/// `Reason` of a container whose configuration could not be made.
const CONFIG_ERROR: &str = "CreateContainerConfigError";

/// Why a container was not made.
struct NotCreated {
    reason: &'static str,
    message: String,
}

/// Whether events tell of new containers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Announce {
    Yes,
    /// The containers ran before this kubelet did.
    No,
}

/// Makes every container that is not there yet; true when all are. Init containers go first and end
/// at once, and one that fails holds up those after it.
pub(super) fn create_missing(
    node: &Node,
    pod: &PodView,
    object: &Arc<Object>,
    stage: &mut PodStage,
    announce: Announce,
) -> bool {
    let addresses = Addresses {
        pod: stage.pod_ip.clone().unwrap_or_default(),
        host: stage.host_ip.clone(),
    };
    let create = |stage: &mut PodStage, container: &Container| {
        create(node, pod, object, stage, container, &addresses, announce)
    };
    for container in &pod.spec.init_containers {
        if !create(stage, container) {
            return false;
        }
        if !container.is_sidecar() {
            end(stage, container, &node.now());
        }
    }
    let mut all = true;
    for container in &pod.spec.containers {
        all &= create(stage, container);
    }
    all
}

/// `involvedObject.fieldPath` of a container's events (`GetContainerRefFieldPath`).
fn event_part(pod: &PodView, container: &Container) -> String {
    let init = pod
        .spec
        .init_containers
        .iter()
        .any(|c| c.name == container.name);
    let list = if init { "initContainers" } else { "containers" };
    format!("spec.{list}{{{}}}", container.name)
}

fn create(
    node: &Node,
    pod: &PodView,
    object: &Arc<Object>,
    stage: &mut PodStage,
    container: &Container,
    addresses: &Addresses,
    announce: Announce,
) -> bool {
    let known = stage.containers.get(&container.name);
    if matches!(
        known,
        Some(ContainerStage::Running { .. } | ContainerStage::Done { .. })
    ) {
        return true;
    }
    let part = event_part(pod, container);
    let event = |kind, reason: &str, message: &str| {
        if announce == Announce::Yes {
            let events = &node.events;
            events.record_for_part(object, &part, kind, reason, message);
        }
    };
    event(
        EventType::Normal,
        "Pulled",
        &format!(
            "Container image {:?} already present on machine and can be accessed by the pod",
            container.image
        ),
    );
    let made = contents(node, pod, container, addresses);
    let (stage_now, created) = match made {
        Ok(injected) => {
            event(EventType::Normal, "Created", "Container created");
            event(EventType::Normal, "Started", "Container started");
            let output = logs::output(pod, &container.name, &injected);
            node.logs
                .write(&object.key(), &pod.metadata.uid, &container.name, output);
            (ContainerStage::Running { since: node.now() }, true)
        }
        Err(error) => {
            event(
                EventType::Warning,
                "Failed",
                &format!("Error: {}", error.message),
            );
            let waiting = ContainerStage::Waiting {
                reason: error.reason,
                message: Some(error.message),
            };
            (waiting, false)
        }
    };
    stage.containers.insert(container.name.clone(), stage_now);
    created
}

/// What a container finds: its own environment, and what CDI adds.
fn contents(
    node: &Node,
    pod: &PodView,
    container: &Container,
    addresses: &Addresses,
) -> Result<Injected, NotCreated> {
    let config_error = |message: String| NotCreated {
        reason: CONFIG_ERROR,
        message,
    };
    let mut env = environment(&node.store, pod, container, addresses)
        .map_err(|e| config_error(e.to_string()))?;
    let ids = node
        .claims
        .cdi_ids(pod, container)
        .map_err(|e| config_error(e.to_string()))?;
    // A handful of small files, most of them read before: not worth a trip to another thread.
    let mut injected = node.cdi.lock().resolve(&ids).map_err(|e| NotCreated {
        reason: CREATE_ERROR,
        message: format!("failed to create containerd container: CDI device injection failed: {e}"),
    })?;
    env.append(&mut injected.env);
    injected.env = env;
    Ok(injected)
}

/// Ends a container that runs.
pub(super) fn end(stage: &mut PodStage, container: &Container, now: &str) {
    if let Some(state) = stage.containers.get_mut(&container.name)
        && let ContainerStage::Running { since } = state
    {
        *state = ContainerStage::Done {
            since: std::mem::take(since),
            until: now.to_owned(),
        };
    }
}
