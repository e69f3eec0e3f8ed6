//! What a container gets from CDI devices (CDI `pkg/cdi/container-edits.go`).

use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::sync::Arc;

use super::spec::{CdiDevice, CdiSpec, ContainerEdits, DeviceNode};

/// Why devices could not be injected; the CDI library's texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InjectError {
    /// No file defines these devices.
    #[error("unresolvable CDI devices {}", .0.join(", "))]
    Unresolvable(Vec<String>),
    /// The host does not have the device, and the file does not describe it fully.
    #[error("failed to stat CDI host device {path:?}: {reason}")]
    NoHostDevice {
        /// Host path.
        path: String,
        /// What Go says.
        reason: String,
    },
    /// The host has something else there.
    #[error("CDI device ({path:?}, {host_path:?}), host type mismatch ({wanted}, {found})")]
    TypeMismatch {
        /// Path in the container.
        path: String,
        /// Host path.
        host_path: String,
        /// Type in the file.
        wanted: String,
        /// Type on the host.
        found: String,
    },
}

/// A device node in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InjectedNode {
    /// `b`, `c`, `u` or `p`.
    pub kind: String,
    /// Major number.
    pub major: i64,
    /// Minor number.
    pub minor: i64,
    /// Of `rwm`.
    pub permissions: String,
}

/// A mount in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InjectedMount {
    /// Path on the host.
    pub host_path: String,
    /// Sorted mount options.
    pub options: Vec<String>,
}

/// What a container has from its CDI devices, as the OCI specification would say it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Injected {
    /// Environment.
    pub env: BTreeMap<String, String>,
    /// Device nodes by path.
    pub devices: BTreeMap<String, InjectedNode>,
    /// Mounts by path in the container.
    pub mounts: BTreeMap<String, InjectedMount>,
    /// Network interfaces: name in the container by name on the host.
    pub net_devices: BTreeMap<String, String>,
    /// Hooks, as `name path args`.
    pub hooks: Vec<String>,
    /// Supplementary groups.
    pub additional_gids: Vec<u32>,
}

impl Injected {
    /// One sorted line for each thing the container has.
    pub fn lines(&self) -> Vec<String> {
        let env = self.env.iter().map(|(k, v)| format!("env {k}={v}"));
        let devices = self.devices.iter().map(|(path, node)| {
            format!(
                "device {path} {} {}:{} {}",
                node.kind, node.major, node.minor, node.permissions
            )
        });
        let mounts = self.mounts.iter().map(|(path, mount)| {
            let line = format!(
                "mount {} -> {path} {}",
                mount.host_path,
                mount.options.join(",")
            );
            line.trim_end().to_owned()
        });
        let net = self
            .net_devices
            .iter()
            .map(|(host, name)| format!("netdevice {host} -> {name}"));
        let hooks = self.hooks.iter().map(|hook| format!("hook {hook}"));
        let gids = self.additional_gids.iter().map(|gid| format!("gid {gid}"));
        let mut lines: Vec<_> = env
            .chain(devices)
            .chain(mounts)
            .chain(net)
            .chain(hooks)
            .chain(gids)
            .collect();
        lines.sort_unstable();
        lines
    }
}

/// Collects the edits of devices, those of each file once, in the order of the devices.
#[derive(Debug, Default)]
pub(super) struct Injection<'a> {
    files: Vec<&'a Arc<CdiSpec>>,
    edits: Vec<&'a ContainerEdits>,
}

impl<'a> Injection<'a> {
    pub(super) fn add(&mut self, spec: &'a Arc<CdiSpec>, device: &'a CdiDevice) {
        if !self.files.iter().any(|known| Arc::ptr_eq(known, spec)) {
            self.files.push(spec);
            self.edits.push(&spec.container_edits);
        }
        self.edits.push(&device.container_edits);
    }

    pub(super) fn apply(self) -> Result<Injected, InjectError> {
        let mut injected = Injected::default();
        for edits in self.edits {
            apply(edits, &mut injected)?;
        }
        Ok(injected)
    }
}

/// Later edits replace earlier ones of the same variable, path or mount point.
fn apply(edits: &ContainerEdits, to: &mut Injected) -> Result<(), InjectError> {
    for variable in &edits.env {
        if let Some((name, value)) = variable.split_once('=') {
            to.env.insert(name.to_owned(), value.to_owned());
        }
    }
    for node in &edits.device_nodes {
        to.devices.insert(node.path.clone(), complete(node)?);
    }
    for mount in &edits.mounts {
        let mut options = mount.options.clone();
        options.sort_unstable();
        to.mounts.insert(
            mount.container_path.clone(),
            InjectedMount {
                host_path: mount.host_path.clone(),
                options,
            },
        );
    }
    for device in &edits.net_devices {
        to.net_devices
            .insert(device.host_interface_name.clone(), device.name.clone());
    }
    for hook in &edits.hooks {
        let mut words = vec![hook.hook_name.as_str(), hook.path.as_str()];
        words.extend(hook.args.iter().map(String::as_str));
        to.hooks.push(words.join(" "));
    }
    let gids = edits.additional_gids.iter().filter(|gid| **gid != 0);
    to.additional_gids.extend(gids);
    Ok(())
}

/// Fills in what the file leaves out from the host's device (`fillMissingInfo`).
fn complete(node: &DeviceNode) -> Result<InjectedNode, InjectError> {
    let mut complete = InjectedNode {
        kind: node.kind.clone(),
        major: node.major,
        minor: node.minor,
        permissions: if node.permissions.is_empty() {
            "rwm".into()
        } else {
            node.permissions.clone()
        },
    };
    if !node.kind.is_empty() && (node.major != 0 || node.kind == "p") {
        return Ok(complete);
    }
    let host_path = if node.host_path.is_empty() {
        &node.path
    } else {
        &node.host_path
    };
    let (kind, major, minor) =
        host_device(host_path).map_err(|reason| InjectError::NoHostDevice {
            path: host_path.clone(),
            reason,
        })?;
    if complete.kind.is_empty() {
        kind.clone_into(&mut complete.kind);
    }
    if complete.kind != kind {
        return Err(InjectError::TypeMismatch {
            path: node.path.clone(),
            host_path: host_path.clone(),
            wanted: complete.kind,
            found: kind.to_owned(),
        });
    }
    if kind != "p" && complete.major == 0 {
        (complete.major, complete.minor) = (major, minor);
    }
    Ok(complete)
}

fn host_device(path: &str) -> Result<(&'static str, i64, i64), String> {
    let metadata = std::fs::symlink_metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    })?;
    let kind = metadata.file_type();
    let kind = if kind.is_block_device() {
        "b"
    } else if kind.is_char_device() {
        "c"
    } else if kind.is_fifo() {
        "p"
    } else {
        return Err("not a device node".into());
    };
    let (major, minor) = numbers(metadata.rdev());
    Ok((kind, major, minor))
}

/// `unix.Major` and `unix.Minor` on Linux.
fn numbers(rdev: u64) -> (i64, i64) {
    let major = (rdev >> 8) & 0xfff | (rdev >> 32) & 0xffff_f000;
    let minor = rdev & 0xff | (rdev >> 12) & 0xffff_ff00;
    (
        i64::try_from(major).unwrap_or(0),
        i64::try_from(minor).unwrap_or(0),
    )
}
