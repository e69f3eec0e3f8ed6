//! The parts of pods that the kubelet reads.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// `metadata`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Meta {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) uid: String,
    pub(crate) generation: i64,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) owner_references: Vec<Owner>,
    pub(crate) deletion_timestamp: Option<String>,
}

/// An owner reference.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Owner {
    pub(crate) kind: String,
    pub(crate) uid: String,
    pub(crate) controller: Option<bool>,
}

/// A pod.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PodView {
    pub(crate) metadata: Meta,
    pub(crate) spec: PodSpec,
    pub(crate) status: PodStatus,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodSpec {
    pub(crate) node_name: String,
    pub(crate) service_account_name: String,
    pub(crate) restart_policy: String,
    pub(crate) host_network: bool,
    pub(crate) containers: Vec<Container>,
    pub(crate) init_containers: Vec<Container>,
    pub(crate) resource_claims: Vec<PodClaim>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Container {
    pub(crate) name: String,
    pub(crate) image: String,
    /// `Always` makes an init container a sidecar.
    pub(crate) restart_policy: String,
    pub(crate) env: Vec<EnvVar>,
    pub(crate) env_from: Vec<EnvFrom>,
    pub(crate) resources: Resources,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Resources {
    pub(crate) limits: BTreeMap<String, Value>,
    pub(crate) requests: BTreeMap<String, Value>,
    pub(crate) claims: Vec<ContainerClaim>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ContainerClaim {
    pub(crate) name: String,
    pub(crate) request: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct EnvVar {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) value_from: Option<EnvSource>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct EnvSource {
    #[serde(rename = "fieldRef")]
    pub(crate) field: Option<FieldRef>,
    #[serde(rename = "configMapKeyRef")]
    pub(crate) config_map_key: Option<KeyRef>,
    #[serde(rename = "secretKeyRef")]
    pub(crate) secret_key: Option<KeyRef>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FieldRef {
    pub(crate) field_path: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct KeyRef {
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) optional: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct EnvFrom {
    pub(crate) prefix: String,
    pub(crate) config_map_ref: Option<KeyRef>,
    pub(crate) secret_ref: Option<KeyRef>,
}

/// A claim of the pod.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodClaim {
    pub(crate) name: String,
    pub(crate) resource_claim_name: Option<String>,
    pub(crate) resource_claim_template_name: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodStatus {
    pub(crate) phase: String,
    #[serde(rename = "podIP")]
    pub(crate) pod_ip: String,
    pub(crate) start_time: Option<String>,
    pub(crate) qos_class: String,
    pub(crate) resource_claim_statuses: Vec<ClaimStatus>,
    pub(crate) extended_resource_claim_status: Option<ExtendedClaim>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ClaimStatus {
    pub(crate) name: String,
    pub(crate) resource_claim_name: Option<String>,
}

/// The claim that the scheduler made for extended resources.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ExtendedClaim {
    pub(crate) resource_claim_name: String,
    pub(crate) request_mappings: Vec<RequestMapping>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestMapping {
    pub(crate) container_name: String,
    pub(crate) request_name: String,
}

/// A request of a claim that a container uses; an empty request stands for all.
#[derive(Debug, Clone)]
pub(crate) struct WantedDevices {
    pub(crate) claim: PodClaim,
    pub(crate) request: String,
}

impl PodView {
    /// `namespace/name`.
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.metadata.namespace, self.metadata.name)
    }

    pub(crate) fn is_deleting(&self) -> bool {
        self.metadata.deletion_timestamp.is_some()
    }

    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.status.phase.as_str(), "Succeeded" | "Failed")
    }

    /// Whether a Job owns the pod.
    pub(crate) fn is_of_job(&self) -> bool {
        self.metadata
            .owner_references
            .iter()
            .any(|owner| owner.controller == Some(true) && owner.kind == "Job")
    }

    /// Claims of the specification and the one for extended resources.
    pub(crate) fn claims(&self) -> Vec<PodClaim> {
        let extended = self.extended_claim();
        self.spec
            .resource_claims
            .iter()
            .cloned()
            .chain(extended)
            .collect()
    }

    fn extended_claim(&self) -> Option<PodClaim> {
        let status = self.status.extended_resource_claim_status.as_ref()?;
        Some(PodClaim {
            resource_claim_name: Some(status.resource_claim_name.clone()),
            ..PodClaim::default()
        })
    }

    /// What a container takes of the pod's claims (`GetResources`).
    pub(crate) fn container_claims(&self, container: &Container) -> Vec<WantedDevices> {
        let mut wanted = Vec::new();
        for claim in &self.spec.resource_claims {
            for used in &container.resources.claims {
                if used.name == claim.name {
                    wanted.push(WantedDevices {
                        claim: claim.clone(),
                        request: used.request.clone(),
                    });
                }
            }
        }
        let mappings = self.status.extended_resource_claim_status.iter();
        for mapping in mappings.flat_map(|status| &status.request_mappings) {
            if mapping.container_name == container.name
                && let Some(claim) = self.extended_claim()
            {
                wanted.push(WantedDevices {
                    claim,
                    request: mapping.request_name.clone(),
                });
            }
        }
        wanted
    }

    /// Init containers, then containers.
    pub(crate) fn all_containers(&self) -> impl Iterator<Item = &Container> {
        self.spec
            .init_containers
            .iter()
            .chain(&self.spec.containers)
    }
}

impl Container {
    /// An init container that runs as long as the pod.
    pub(crate) fn is_sidecar(&self) -> bool {
        self.restart_policy == "Always"
    }
}
