//! What can go wrong when kubelets start.

use std::path::PathBuf;

use drakit_sim_store::StoreError;

use crate::claims::CheckpointError;

/// Why the kubelets could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The state folder cannot be made.
    #[error("create state folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The machine gives no inotify instance.
    #[error(
        "watch for registration sockets: {0}\n(raise fs.inotify.max_user_instances or stop what uses them)"
    )]
    Watch(#[from] notify::Error),
}

/// Why a node could not be added.
#[derive(Debug, thiserror::Error)]
pub enum AddNodeError {
    /// The name is no name of a Node.
    #[error("add node {0:?}: the name must be a lower-case DNS subdomain")]
    Name(String),
    /// The node is there already.
    #[error("add node {0}: it exists already")]
    Exists(String),
    /// A folder cannot be made.
    #[error("add node {node}: create folder {}: {source}", path.display())]
    Folder {
        /// The node.
        node: String,
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The registration folder cannot be watched.
    #[error(
        "add node {node}: watch {}: {source}\n(raise fs.inotify.max_user_watches)", path.display()
    )]
    Watch {
        /// The node.
        node: String,
        /// The folder.
        path: PathBuf,
        /// Why.
        source: notify::Error,
    },
    /// The node's checkpoint is damaged.
    #[error("add node {node}: {source}")]
    Checkpoint {
        /// The node.
        node: String,
        /// What is wrong.
        source: CheckpointError,
    },
    /// The Node could not be written.
    #[error("add node {node}: {source}")]
    Store {
        /// The node.
        node: String,
        /// What the store says.
        source: StoreError,
    },
    /// The kubelets are stopping.
    #[error("add nodes: the kubelets have stopped")]
    Stopped,
}

/// There is no such node here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("node {0} is not in this simulation")]
pub struct NoNode(pub String);

/// Why a node's kubelet could not be restarted.
#[derive(Debug, thiserror::Error)]
pub enum RestartError {
    /// There is no such node.
    #[error(transparent)]
    NoNode(#[from] NoNode),
    /// The checkpoint is damaged.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}
