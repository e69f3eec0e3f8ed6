//! The outcome of a prepare, as it is stored in the checkpoint.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A claim's own devices, ready for containers.
///
/// Holds all that its CDI file needs, so that the file can be written again from the checkpoint alone. Unknown fields
/// are ignored and later fields have defaults: a checkpoint survives upgrade and downgrade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedClaim {
    /// `metadata.uid` of the claim; the key of all state.
    pub uid: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// One entry per own allocation result, in their order. Empty when all results belong to other drivers.
    #[serde(default)]
    pub devices: Vec<PreparedDevice>,
}

/// One device of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedDevice {
    /// Names of the claim's requests that this device answers, without `/subrequest` (PREP-10).
    pub request_names: Vec<String>,
    /// Pool of the device, as in the allocation result.
    pub pool: String,
    /// Name of the device, as in the allocation result.
    pub device: String,
    /// Share of a device that several claims hold, as in the allocation result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_id: Option<String>,
    /// Whether other claims may hold the device too.
    pub hold: Hold,
    /// What kubelet hands to the container runtime: `<vendor>/<class>=<name>`.
    pub cdi_device_ids: Vec<String>,
    /// Environment of containers that use the device.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Device nodes of containers that use the device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_nodes: Vec<DeviceNode>,
    /// Mounts of containers that use the device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mount>,
}

/// How firmly a claim holds a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Hold {
    /// Nobody else may have it.
    Exclusive,
    /// The device allows several allocations at once.
    Shared,
    /// Administrative access beside whoever uses the device.
    Admin,
}

impl Hold {
    /// Whether two claims may have the same device in these ways.
    pub fn goes_with(self, other: Hold) -> bool {
        self == Hold::Admin
            || other == Hold::Admin
            || (self == Hold::Shared && other == Hold::Shared)
    }
}

/// A character device that a container gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceNode {
    /// Path in the container.
    pub path: String,
    /// Major number.
    pub major: i64,
    /// Minor number.
    pub minor: i64,
}

/// A read-only bind mount that a container gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mount {
    /// Path on the node.
    pub host_path: String,
    /// Path in the container.
    pub container_path: String,
}
