//! Container logs, from the kubelets to the API server.

use drakit_sim_apiserver::{LogError, PodLogs};
use drakit_sim_kubelet::{Kubelets, LogError as KubeletLogError};

/// The kubelets as the API server's source of logs.
pub(crate) struct FromKubelets(pub(crate) Kubelets);

impl PodLogs for FromKubelets {
    fn log(&self, namespace: &str, pod: &str, container: &str) -> Result<String, LogError> {
        let container = (!container.is_empty()).then_some(container);
        match self.0.pod_logs(namespace, pod, container) {
            Ok(text) => Ok(text.to_string()),
            Err(error) => Err(match &error {
                KubeletLogError::NoPod(_) => LogError::NotFound(error.to_string()),
                KubeletLogError::Waiting { .. }
                | KubeletLogError::NoContainer { .. }
                | KubeletLogError::Ambiguous { .. } => LogError::NotStarted(error.to_string()),
            }),
        }
    }
}
