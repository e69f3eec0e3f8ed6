//! What `kubectl logs` shows: what each container would see.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_sim_store::Key;
use drakit_sim_store::Store;
use drakit_sim_store::resource::PODS;
use parking_lot::Mutex;

use super::view::PodView;
use crate::cdi::Injected;

/// Why a pod has no logs to show; the kubelet's and the API server's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// There is no such pod.
    #[error("pods {0:?} not found")]
    NoPod(String),
    /// The pod has several containers, and none was named.
    #[error("a container name must be specified for pod {pod}, choose one of: [{}]", containers.join(" "))]
    Ambiguous {
        /// Pod name.
        pod: String,
        /// Its containers.
        containers: Vec<String>,
    },
    /// The pod has no such container.
    #[error("container {container} is not valid for pod {pod}")]
    NoContainer {
        /// Container name.
        container: String,
        /// Pod name.
        pod: String,
    },
    /// The container does not run yet.
    #[error("container {container:?} in pod {pod:?} is waiting to start: {reason}")]
    Waiting {
        /// Container name.
        container: String,
        /// Pod name.
        pod: String,
        /// Reason of the waiting state.
        reason: String,
    },
}

type Containers = BTreeMap<String, Arc<str>>;

/// Logs of the pods of all nodes.
#[derive(Debug, Default)]
pub(crate) struct LogBook(Mutex<BTreeMap<Key, (String, Containers)>>);

impl LogBook {
    /// Notes a container's output. Output of another pod of that name is dropped.
    pub(crate) fn write(&self, key: &Key, uid: &str, container: &str, text: String) {
        let mut book = self.0.lock();
        let entry = book.entry(key.clone()).or_default();
        if entry.0 != uid {
            *entry = (uid.to_owned(), Containers::new());
        }
        entry.1.insert(container.to_owned(), text.into());
    }

    /// Drops a pod's logs, unless they are of a newer pod.
    pub(crate) fn remove(&self, key: &Key, uid: &str) {
        let mut book = self.0.lock();
        if book.get(key).is_some_and(|(owner, _)| owner == uid) {
            book.remove(key);
        }
    }

    /// The output of one container; of the only one when none is named.
    pub(crate) fn read(
        &self,
        store: &Store,
        key: &Key,
        container: Option<&str>,
    ) -> Result<Arc<str>, LogError> {
        let object = store
            .get(&PODS, key)
            .map_err(|_| LogError::NoPod(key.name.clone()))?;
        let pod: PodView = object
            .parse()
            .map_err(|_| LogError::NoPod(key.name.clone()))?;
        let container = named_or_only(&pod, container)?;
        let known = self.0.lock().get(key).and_then(|(uid, containers)| {
            (*uid == pod.metadata.uid)
                .then(|| containers.get(container).cloned())
                .flatten()
        });
        known.ok_or_else(|| LogError::Waiting {
            container: container.to_owned(),
            pod: key.name.clone(),
            reason: waiting_reason(&object, container),
        })
    }
}

fn named_or_only<'a>(pod: &'a PodView, named: Option<&'a str>) -> Result<&'a str, LogError> {
    let pod_name = || pod.metadata.name.clone();
    match (named, pod.spec.containers.as_slice()) {
        (Some(name), _) if pod.all_containers().any(|c| c.name == name) => Ok(name),
        (Some(name), _) => Err(LogError::NoContainer {
            container: name.to_owned(),
            pod: pod_name(),
        }),
        (None, [only]) => Ok(&only.name),
        (None, several) => Err(LogError::Ambiguous {
            pod: pod_name(),
            containers: several.iter().map(|c| c.name.clone()).collect(),
        }),
    }
}

fn waiting_reason(pod: &drakit_sim_store::Object, container: &str) -> String {
    ["initContainerStatuses", "containerStatuses"]
        .iter()
        .filter_map(|list| pod.at(&["status", list]).as_array())
        .flatten()
        .find(|status| status["name"] == container)
        .and_then(|status| status["state"]["waiting"]["reason"].as_str())
        .unwrap_or("ContainerCreating")
        .to_owned()
}

/// What a container prints: its environment, device nodes and mounts.
pub(super) fn output(pod: &PodView, container: &str, injected: &Injected) -> String {
    let mut text = format!(
        "# emulated container {container} of pod {} on node {}: nothing was executed, this is what it would find\n",
        pod.full_name(),
        pod.spec.node_name,
    );
    for line in injected.lines() {
        text.push_str(&line);
        text.push('\n');
    }
    text
}
