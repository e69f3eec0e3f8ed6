//! Built-in profiles: the hardware that people ask for, as data.
//!
//! A profile is a piece of a fleet file (`labels`, `drivers`, `deviceClasses`), so everything in it could be written
//! by hand, and [`ProfileInfo::source`] shows it. Small profiles are YAML files here; a server with NVIDIA GPUs is a
//! board (`boards`) with a GPU model (`models`), put together by `nvidia`.
//!
//! Figures come from dumps of real machines and from the sources of the real drivers; what was inferred is marked.

mod boards;
mod models;
mod nvidia;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::fleet::{Problem, Profile, read_profile};
use boards::Board;
use models::Model;

/// Where a profile can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Devices of a node: under `nodes`, and (one driver of it) under `pools`.
    Node,
    /// A network-attached pool: under `pools` only.
    Network,
}

/// A built-in profile.
#[derive(Clone, Copy, Debug)]
pub struct ProfileInfo {
    /// Name, as it is written in a fleet file.
    pub name: &'static str,
    /// One line for a person.
    pub description: &'static str,
    /// Where it can be used.
    pub scope: Scope,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Text(&'static str),
    Nvidia {
        board: &'static Board,
        model: &'static Model,
        mig: bool,
    },
}

impl ProfileInfo {
    /// The profile as YAML, as it could stand in a fleet file.
    pub fn source(&self) -> Cow<'static, str> {
        match self.source {
            Source::Text(text) => Cow::Borrowed(text),
            Source::Nvidia { board, model, mig } => Cow::Owned(nvidia::profile(board, model, mig)),
        }
    }

    pub(crate) fn read(&self) -> Result<Profile, Vec<Problem>> {
        read_profile(&self.source(), self.scope)
    }

    const fn text(
        name: &'static str,
        description: &'static str,
        scope: Scope,
        text: &'static str,
    ) -> Self {
        Self {
            name,
            description,
            scope,
            source: Source::Text(text),
        }
    }

    const fn server(
        name: &'static str,
        description: &'static str,
        board: &'static Board,
        model: &'static Model,
        mig: bool,
    ) -> Self {
        Self {
            name,
            description,
            scope: Scope::Node,
            source: Source::Nvidia { board, model, mig },
        }
    }
}

/// Every built-in profile, in the order in which a person would look for one.
pub static PROFILES: &[ProfileInfo] = &[
    ProfileInfo::text(
        "demo-gpu",
        "2 GPUs of 80 GiB (gpu.example.com), as the example driver publishes them",
        Scope::Node,
        include_str!("demo-gpu.yaml"),
    ),
    ProfileInfo::text(
        "nic",
        "4 plain network interfaces on 2 NUMA nodes (nic.example.com)",
        Scope::Node,
        include_str!("nic.yaml"),
    ),
    ProfileInfo::text(
        "network-rdma",
        "network-attached pool of 4 RDMA devices that claims can share (rdma.example.com)",
        Scope::Network,
        include_str!("network-rdma.yaml"),
    ),
    ProfileInfo::server(
        "dgx-a100-80",
        "NVIDIA DGX A100: 8 A100 80 GB, 8 ConnectX-6 NICs; two GPUs and two NICs per PCIe root",
        &boards::DGX_A100,
        &models::A100_80,
        false,
    ),
    ProfileInfo::server(
        "dgx-a100-80-mig",
        "NVIDIA DGX A100 with dynamic MIG: each GPU whole or in up to 7 partitions",
        &boards::DGX_A100,
        &models::A100_80,
        true,
    ),
    ProfileInfo::server(
        "dgx-h100",
        "NVIDIA DGX H100: 8 H100 80 GB, 8 ConnectX-7 NICs; one GPU and one NIC per PCIe root",
        &boards::DGX_H100,
        &models::H100,
        false,
    ),
    ProfileInfo::server(
        "dgx-h100-mig",
        "NVIDIA DGX H100 with dynamic MIG: each GPU whole or in up to 7 partitions",
        &boards::DGX_H100,
        &models::H100,
        true,
    ),
    ProfileInfo::server(
        "dgx-h200",
        "NVIDIA DGX H200: 8 H200 141 GB, 8 ConnectX-7 NICs; one GPU and one NIC per PCIe root",
        &boards::DGX_H100,
        &models::H200,
        false,
    ),
    ProfileInfo::server(
        "dgx-h200-mig",
        "NVIDIA DGX H200 with dynamic MIG: each GPU whole or in up to 7 partitions",
        &boards::DGX_H100,
        &models::H200,
        true,
    ),
    ProfileInfo::server(
        "dgx-b200",
        "NVIDIA DGX B200: 8 B200 180 GB, 8 ConnectX-7 NICs; one GPU and one NIC per PCIe root",
        &boards::DGX_B200,
        &models::B200,
        false,
    ),
    ProfileInfo::server(
        "dgx-b200-mig",
        "NVIDIA DGX B200 with dynamic MIG: each GPU whole or in up to 7 partitions",
        &boards::DGX_B200,
        &models::B200,
        true,
    ),
    ProfileInfo::server(
        "aws-p4d",
        "AWS p4d.24xlarge: 8 A100 40 GB, 4 EFA; two GPUs and one EFA per PCIe root",
        &boards::AWS_P4D,
        &models::A100_40,
        false,
    ),
    ProfileInfo::server(
        "aws-p5",
        "AWS p5.48xlarge: 8 H100, 32 EFA; one GPU and four EFA per PCIe root",
        &boards::AWS_P5,
        &models::H100,
        false,
    ),
    ProfileInfo::server(
        "gcp-a3-ultra",
        "GCP a3-ultragpu-8g: 8 H200, 8 ConnectX-7 NICs; two GPUs and two NICs per PCIe root",
        &boards::GCP_A3_ULTRA,
        &models::H200,
        false,
    ),
    ProfileInfo::server(
        "azure-nd-h100-v5",
        "Azure ND96isr_H100_v5: 8 H100, 8 InfiniBand functions without PCIe root, aligned by NUMA node only",
        &boards::AZURE_ND_H100,
        &models::H100,
        false,
    ),
];

/// The profile with this name.
pub fn find(name: &str) -> Option<&'static ProfileInfo> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// Names of all profiles, or of those with one scope.
pub fn names(scope: Option<Scope>) -> Vec<&'static str> {
    let wanted = |profile: &&ProfileInfo| scope.is_none_or(|scope| profile.scope == scope);
    PROFILES
        .iter()
        .filter(wanted)
        .map(|profile| profile.name)
        .collect()
}
