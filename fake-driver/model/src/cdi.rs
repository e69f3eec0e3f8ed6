//! Container Device Interface files: one per claim, named after driver and claim uid.
//!
//! The format is CDI's `SPEC.md`; every device of a claim is a CDI device of its own, so a container that uses one
//! request of a claim gets that request's devices only. Names contain the claim's uid, because container runtimes
//! cache specs and a reused name could resolve to an older claim's edits (CDI-05).

use std::collections::BTreeSet;

use drakit_api::names::{DriverName, NodeName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::prepare::{PreparedClaim, PreparedDevice};

/// CDI class of all devices; the vendor is `k8s.<driver>`. Real DRA drivers name per-claim devices the same way.
const CLASS: &str = "claim";

/// A CDI spec file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CdiSpec {
    /// The lowest version that knows every used field: an older runtime refuses a newer one (CDI-02).
    pub cdi_version: String,
    /// `<vendor>/<class>`.
    pub kind: String,
    /// Devices, at least one.
    pub devices: Vec<CdiDevice>,
    /// Edits for every container that gets any of the devices.
    #[serde(default)]
    pub container_edits: ContainerEdits,
}

/// One device of a spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CdiDevice {
    /// Unique in the spec.
    pub name: String,
    /// What changes in a container that gets the device; never empty (CDI-03).
    pub container_edits: ContainerEdits,
}

/// What changes in a container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContainerEdits {
    /// `NAME=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Device nodes to create.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_nodes: Vec<CdiDeviceNode>,
    /// Mounts to add.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<CdiMount>,
}

/// A device node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CdiDeviceNode {
    /// Path in the container.
    pub path: String,
    /// `c` for a character device.
    #[serde(rename = "type")]
    pub device_type: String,
    /// Major number.
    pub major: i64,
    /// Minor number.
    pub minor: i64,
    /// Cgroup permissions: any of `r`, `w`, `m`.
    pub permissions: String,
}

/// A mount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CdiMount {
    /// Path on the node.
    pub host_path: String,
    /// Path in the container.
    pub container_path: String,
    /// Mount options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// The spec of a claim; `None` when it has no devices of this driver, since a spec without devices is invalid.
pub fn spec(driver: &DriverName, node: &NodeName, claim: &PreparedClaim) -> Option<CdiSpec> {
    let mut devices = Vec::with_capacity(claim.devices.len());
    let mut names = BTreeSet::new();
    for device in &claim.devices {
        for id in &device.cdi_device_ids {
            let name = id.rsplit_once('=').map_or(id.as_str(), |(_, name)| name);
            if names.insert(name) {
                devices.push(CdiDevice {
                    name: name.to_owned(),
                    container_edits: edits(device),
                });
            }
        }
    }
    if devices.is_empty() {
        return None;
    }
    let env = vec![
        format!("DRA_RESOURCE_DRIVER_NAME={driver}"),
        format!("KUBERNETES_NODE_NAME={node}"),
    ];
    Some(CdiSpec {
        cdi_version: minimum_version(&devices).to_owned(),
        kind: kind(driver),
        devices,
        container_edits: ContainerEdits {
            env,
            ..ContainerEdits::default()
        },
    })
}

impl CdiSpec {
    /// The file's content: JSON with a final newline, the same bytes for the same spec.
    ///
    /// # Errors
    /// None in practice: a spec holds only strings and numbers.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

fn edits(device: &PreparedDevice) -> ContainerEdits {
    ContainerEdits {
        env: device
            .env
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
        device_nodes: device
            .device_nodes
            .iter()
            .map(|node| CdiDeviceNode {
                path: node.path.clone(),
                device_type: "c".to_owned(),
                major: node.major,
                minor: node.minor,
                permissions: "rw".to_owned(),
            })
            .collect(),
        mounts: device
            .mounts
            .iter()
            .map(|mount| CdiMount {
                host_path: mount.host_path.clone(),
                container_path: mount.container_path.clone(),
                options: ["ro", "nosuid", "nodev", "bind"]
                    .map(str::to_owned)
                    .to_vec(),
            })
            .collect(),
    }
}

/// Lowest CDI version for these devices. The fields used here all exist since 0.3.0; a device name that starts with a
/// digit, as most uids do, needs 0.5.0.
fn minimum_version(devices: &[CdiDevice]) -> &'static str {
    let letter_first =
        |device: &CdiDevice| device.name.starts_with(|c: char| c.is_ascii_alphabetic());
    if devices.iter().all(letter_first) {
        "0.3.0"
    } else {
        "0.5.0"
    }
}

/// CDI kind of a driver's devices. The prefix makes a vendor of any driver name: a vendor starts with a letter.
pub fn kind(driver: &DriverName) -> String {
    format!("k8s.{driver}/{CLASS}")
}

/// Fully qualified device name, as kubelet hands it to the container runtime.
pub(crate) fn device_id(driver: &DriverName, name: &str) -> String {
    format!("{}={name}", kind(driver))
}

/// Whether a claim uid can be part of CDI names and file names.
pub fn is_usable_uid(uid: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=128).contains(&uid.len())
        && uid.chars().all(inner)
        && uid.starts_with(|c: char| c.is_ascii_alphanumeric())
        && uid.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// Name of a claim's spec file in the CDI folder: `k8s.<driver>-claim_<uid>.json`, CDI's own rule for transient specs.
///
/// A uid that could not be part of a path is replaced by a digest; no claim with such a uid is ever prepared.
pub fn file_name(driver: &DriverName, uid: &str) -> String {
    if is_usable_uid(uid) {
        format!("k8s.{driver}-{CLASS}_{uid}.json")
    } else {
        format!(
            "k8s.{driver}-{CLASS}_digest-{}.json",
            Uuid::new_v5(&Uuid::NAMESPACE_OID, uid.as_bytes())
        )
    }
}

/// The claim uid in the name of a spec file of this driver; `None` for any other file.
pub fn parse_file_name<'n>(driver: &DriverName, name: &'n str) -> Option<&'n str> {
    let prefix = format!("k8s.{driver}-{CLASS}_");
    let uid = name.strip_prefix(prefix.as_str())?.strip_suffix(".json")?;
    is_usable_uid(uid).then_some(uid)
}
