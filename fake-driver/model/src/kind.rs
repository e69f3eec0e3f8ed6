//! What sort of device a driver has: it decides env names, CDI class and which opaque config fits.

use serde::{Deserialize, Serialize};

/// Sort of the devices of one driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// GPUs and their partitions; takes `GpuConfig`.
    Gpu,
    /// Network interfaces of a node; takes `NicConfig`.
    Nic,
    /// Network-attached RDMA devices; takes `NicConfig`.
    Rdma,
    /// Anything else; takes no config.
    Device,
}

impl DeviceKind {
    /// Every kind, as a fleet file spells it.
    pub const NAMES: [&'static str; 4] = ["gpu", "nic", "rdma", "device"];

    /// The kind with this spelling.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "gpu" => Some(Self::Gpu),
            "nic" => Some(Self::Nic),
            "rdma" => Some(Self::Rdma),
            "device" => Some(Self::Device),
            _ => None,
        }
    }

    /// What a driver of this name most likely has: `gpu.example.com` has GPUs.
    pub fn guess(driver: &str) -> Self {
        let has = |word: &str| driver.split(['.', '-']).any(|part| part.starts_with(word));
        match () {
            () if has("gpu") || has("mig") => Self::Gpu,
            () if has("rdma") => Self::Rdma,
            () if has("nic") || has("net") || has("sriov") => Self::Nic,
            () => Self::Device,
        }
    }

    /// Start of the env names that a container sees: `GPU_DEVICE_0`. Other fake drivers use the same names.
    pub fn env_prefix(self) -> &'static str {
        match self {
            Self::Gpu => "GPU_DEVICE",
            Self::Nic => "NIC_DEVICE",
            Self::Rdma => "RDMA_DEVICE",
            Self::Device => "DEVICE",
        }
    }
}
