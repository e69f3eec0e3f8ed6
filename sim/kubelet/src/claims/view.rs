//! The parts of claims that the kubelet reads.

use serde::Deserialize;

use crate::pods::view::{Meta, PodView};

/// A ResourceClaim.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ClaimView {
    pub(crate) metadata: Meta,
    pub(crate) status: ClaimStatus,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ClaimStatus {
    pub(crate) allocation: Option<Allocation>,
    pub(crate) reserved_for: Vec<Consumer>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Allocation {
    pub(crate) devices: AllocatedDevices,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AllocatedDevices {
    pub(crate) results: Vec<AllocationResult>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AllocationResult {
    pub(crate) driver: String,
    pub(crate) skip_node_operations: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Consumer {
    pub(crate) uid: String,
}

impl ClaimView {
    pub(super) fn is_for(&self, pod: &PodView) -> bool {
        self.metadata.namespace == pod.metadata.namespace
            && self
                .metadata
                .owner_references
                .iter()
                .any(|owner| owner.controller == Some(true) && owner.uid == pod.metadata.uid)
    }

    pub(super) fn is_reserved_for(&self, pod: &PodView) -> bool {
        self.status
            .reserved_for
            .iter()
            .any(|consumer| consumer.uid == pod.metadata.uid)
    }
}
