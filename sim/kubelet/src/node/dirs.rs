//! The folders of a node.

use std::path::{Path, PathBuf};

/// Where drivers meet the kubelet of one node. On a real node these are
/// `/var/lib/kubelet/{plugins_registry,plugins}` and `/var/run/cdi`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeDirs {
    /// Registration sockets.
    pub registry: PathBuf,
    /// Service sockets and data of drivers.
    pub plugins: PathBuf,
    /// CDI files.
    pub cdi: PathBuf,
    /// The kubelet's own record of claims, `dra_manager_state`.
    pub checkpoint: PathBuf,
}

impl NodeDirs {
    /// The folders of `node` below the state folder of a simulation.
    pub fn of(state_dir: &Path, node: &str) -> Self {
        let root = state_dir.join("nodes").join(node);
        Self {
            registry: root.join("plugins_registry"),
            plugins: root.join("plugins"),
            cdi: root.join("cdi"),
            checkpoint: root.join("dra_manager_state"),
        }
    }

    /// Makes the folders.
    ///
    /// # Errors
    /// The folder that could not be made, and why.
    pub(crate) fn create(&self) -> Result<(), (PathBuf, std::io::Error)> {
        for folder in [&self.registry, &self.plugins, &self.cdi] {
            std::fs::create_dir_all(folder).map_err(|e| (folder.clone(), e))?;
        }
        Ok(())
    }
}
