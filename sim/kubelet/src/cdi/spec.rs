//! CDI specification files (CDI `specs-go/config.go`, version 1.1.0).

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// Go takes `null` for any zero value.
fn or_null<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// One file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CdiSpec {
    /// Version of the format.
    #[serde(default, deserialize_with = "or_null")]
    pub cdi_version: String,
    /// `vendor/class`.
    #[serde(default, deserialize_with = "or_null")]
    pub kind: String,
    /// Meta information.
    #[serde(default, deserialize_with = "or_null")]
    pub annotations: BTreeMap<String, String>,
    /// Devices by their name within the kind.
    #[serde(default, deserialize_with = "or_null")]
    pub devices: Vec<CdiDevice>,
    /// Edits for each container that gets any device of the file.
    #[serde(default, deserialize_with = "or_null")]
    pub container_edits: ContainerEdits,
}

/// One device of a file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CdiDevice {
    /// Name within the kind.
    #[serde(default, deserialize_with = "or_null")]
    pub name: String,
    /// Meta information.
    #[serde(default, deserialize_with = "or_null")]
    pub annotations: BTreeMap<String, String>,
    /// Edits for each container that gets the device.
    #[serde(default, deserialize_with = "or_null")]
    pub container_edits: ContainerEdits,
}

/// What a container gets.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ContainerEdits {
    /// `NAME=value`.
    #[serde(default, deserialize_with = "or_null")]
    pub env: Vec<String>,
    /// Device nodes.
    #[serde(default, deserialize_with = "or_null")]
    pub device_nodes: Vec<DeviceNode>,
    /// Network interfaces that move into the container.
    #[serde(default, deserialize_with = "or_null")]
    pub net_devices: Vec<NetDevice>,
    /// OCI hooks.
    #[serde(default, deserialize_with = "or_null")]
    pub hooks: Vec<Hook>,
    /// Mounts.
    #[serde(default, deserialize_with = "or_null")]
    pub mounts: Vec<Mount>,
    /// Cache and memory bandwidth allocation.
    pub intel_rdt: Option<IntelRdt>,
    /// Supplementary groups.
    #[serde(default, deserialize_with = "or_null")]
    pub additional_gids: Vec<u32>,
}

/// A device node.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct DeviceNode {
    /// Path in the container.
    #[serde(default, deserialize_with = "or_null")]
    pub path: String,
    /// Path on the host, when another.
    #[serde(default, deserialize_with = "or_null")]
    pub host_path: String,
    /// `b`, `c`, `u`, `p`, or empty: as on the host.
    #[serde(default, rename = "type", deserialize_with = "or_null")]
    pub kind: String,
    /// Major number; 0: as on the host.
    #[serde(default, deserialize_with = "or_null")]
    pub major: i64,
    /// Minor number.
    #[serde(default, deserialize_with = "or_null")]
    pub minor: i64,
    /// Mode of the file.
    pub file_mode: Option<u32>,
    /// Of `rwm`; empty: all.
    #[serde(default, deserialize_with = "or_null")]
    pub permissions: String,
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
}

/// A mount.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Mount {
    /// Path on the host.
    #[serde(default, deserialize_with = "or_null")]
    pub host_path: String,
    /// Path in the container.
    #[serde(default, deserialize_with = "or_null")]
    pub container_path: String,
    /// Mount options.
    #[serde(default, deserialize_with = "or_null")]
    pub options: Vec<String>,
    /// File system type.
    #[serde(default, rename = "type", deserialize_with = "or_null")]
    pub kind: String,
}

/// An OCI hook.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Hook {
    /// When it runs.
    #[serde(default, deserialize_with = "or_null")]
    pub hook_name: String,
    /// What runs.
    #[serde(default, deserialize_with = "or_null")]
    pub path: String,
    /// Its arguments.
    #[serde(default, deserialize_with = "or_null")]
    pub args: Vec<String>,
    /// Its environment.
    #[serde(default, deserialize_with = "or_null")]
    pub env: Vec<String>,
    /// Seconds it may take.
    pub timeout: Option<i64>,
}

/// Resource director technology.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct IntelRdt {
    /// Class of service.
    #[serde(default, rename = "closID", deserialize_with = "or_null")]
    pub clos_id: String,
    /// L3 cache schema.
    #[serde(default, deserialize_with = "or_null")]
    pub l3_cache_schema: String,
    /// Memory bandwidth schema.
    #[serde(default, deserialize_with = "or_null")]
    pub mem_bw_schema: String,
    /// Schemata.
    pub schemata: Option<Vec<String>>,
    /// Monitoring group.
    #[serde(default, deserialize_with = "or_null")]
    pub enable_monitoring: bool,
}

/// A network interface.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NetDevice {
    /// Name on the host.
    #[serde(default, deserialize_with = "or_null")]
    pub host_interface_name: String,
    /// Name in the container.
    #[serde(default, deserialize_with = "or_null")]
    pub name: String,
}

impl CdiSpec {
    /// Reads a file's text. JSON and YAML are both accepted whatever the name ends in, and unknown or
    /// repeated fields fail the file.
    ///
    /// # Errors
    /// The parser's text.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim_start().starts_with('{')
            && let Ok(spec) = serde_json::from_str(text)
        {
            return Ok(spec);
        }
        serde_saphyr::from_str(text).map_err(|e| format!("failed to unmarshal CDI Spec: {e}"))
    }

    /// `vendor` and `class`; both empty parts are errors that validation finds.
    pub(super) fn vendor_and_class(&self) -> (&str, &str) {
        match self.kind.split_once('/') {
            Some((vendor, class)) if !vendor.is_empty() && !class.is_empty() => (vendor, class),
            _ => ("", &self.kind),
        }
    }

    /// All edits of the file.
    pub(super) fn all_edits(&self) -> impl Iterator<Item = &ContainerEdits> {
        std::iter::once(&self.container_edits)
            .chain(self.devices.iter().map(|device| &device.container_edits))
    }
}

impl ContainerEdits {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
