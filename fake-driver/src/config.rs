//! What a driver process serves.

use std::collections::BTreeSet;
use std::path::PathBuf;

use drakit_driver_model::plan::Plan;
use drakit_driver_plugin::Folders;

use crate::error::DriverError;

/// Configuration of [`crate::Driver`].
pub struct DriverConfig {
    /// The fleet spelled out.
    pub plan: Plan,
    /// Whose kubelets are served.
    pub nodes: ServedNodes,
    /// Publish the fleet's network pools. One process of a cluster does; every
    /// process prepares their devices on its nodes.
    pub network_pools: bool,
    /// Where the sockets and files of a node are.
    pub folders: FolderTemplates,
    /// Reaches the API server. Its own read time-out must be longer than a
    /// quiet watch; kube's default is.
    pub client: kube::Client,
    /// Create DeviceClasses of the fleet that do not exist.
    pub create_classes: bool,
}

/// Which nodes of the plan are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServedNodes {
    /// Every one, as the simulation needs it.
    All,
    /// These.
    Named(BTreeSet<String>),
}

/// Folders of a node; `{node}` stands for the node's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderTemplates {
    /// See [`Folders::registrar`].
    pub registrar: String,
    /// See [`Folders::plugins`].
    pub plugins: String,
    /// See [`Folders::cdi`].
    pub cdi: String,
    /// See [`Folders::create`].
    pub create: bool,
}

impl Default for FolderTemplates {
    /// A real node: the kubelet's defaults and the runtimes' dynamic CDI folder.
    fn default() -> Self {
        Self {
            registrar: "/var/lib/kubelet/plugins_registry".into(),
            plugins: "/var/lib/kubelet/plugins".into(),
            cdi: "/var/run/cdi".into(),
            create: false,
        }
    }
}

/// What is replaced in a [`FolderTemplates`].
const NODE: &str = "{node}";

impl FolderTemplates {
    /// The folders of one node.
    pub(crate) fn of(&self, node: &str) -> Folders {
        let fill = |template: &str| PathBuf::from(template.replace(NODE, node));
        Folders {
            registrar: fill(&self.registrar),
            plugins: fill(&self.plugins),
            cdi: fill(&self.cdi),
            create: self.create,
        }
    }

    /// Several nodes must not share a folder: each removes what is not its own.
    pub(crate) fn check(&self, nodes: usize) -> Result<(), DriverError> {
        for (what, template) in [
            ("plugin registration folder", &self.registrar),
            ("plugin folder", &self.plugins),
            ("CDI folder", &self.cdi),
        ] {
            if nodes > 1 && !template.contains(NODE) {
                return Err(DriverError::SharedFolder {
                    what,
                    template: template.clone(),
                    nodes,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_filled_with_the_name_of_the_node() {
        let templates = FolderTemplates {
            registrar: "/s/{node}/r".into(),
            plugins: "/s/{node}/p".into(),
            cdi: "/s/{node}/c".into(),
            create: true,
        };
        assert_eq!(templates.of("n1").plugins, PathBuf::from("/s/n1/p"));
        assert!(templates.check(1000).is_ok());
    }

    #[test]
    fn several_nodes_cannot_share_a_folder() {
        let error = FolderTemplates::default().check(2).unwrap_err();
        assert!(error.to_string().contains("{node}"), "{error}");
        assert!(FolderTemplates::default().check(1).is_ok());
    }
}
