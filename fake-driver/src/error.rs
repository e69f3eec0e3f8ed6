//! Why a driver process cannot start or go on.

use drakit_driver_plugin::{ServeError, StartError};

/// One line for a person; see the variants for what to do.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// A node was named that the fleet does not have.
    #[error("the fleet has no node {node:?} (it has {known})")]
    UnknownNode {
        /// As named.
        node: String,
        /// The first names of the fleet.
        known: String,
    },
    /// Nothing to serve.
    #[error(
        "there is nothing to serve: no driver runs on the chosen nodes and no network pool is published here"
    )]
    Nothing,
    /// Several nodes, one folder.
    #[error("{what} {template:?} would be shared by {nodes} nodes; write {{node}} into the path")]
    SharedFolder {
        /// Which folder.
        what: &'static str,
        /// As configured.
        template: String,
        /// How many nodes are served.
        nodes: usize,
    },
    /// The system allows too few open files.
    #[error(
        "{needed} open files are needed for {plugins} plugins, the limit is {limit}; raise it (ulimit -n)"
    )]
    OpenFiles {
        /// Estimated need.
        needed: u64,
        /// Number of sockets pairs.
        plugins: usize,
        /// What the system allows.
        limit: u64,
    },
    /// One driver on one node cannot start.
    #[error("start driver {driver} on node {node}: {source}")]
    Start {
        /// `spec.driver`.
        driver: String,
        /// The node's name.
        node: String,
        /// Why.
        source: StartError,
    },
    /// One driver on one node cannot serve any more.
    #[error("driver {driver} on node {node} stopped: {source}")]
    Serve {
        /// `spec.driver`.
        driver: String,
        /// The node's name.
        node: String,
        /// Why.
        source: ServeError,
    },
    /// A task of this program panicked.
    #[error("a task of the driver ended unexpectedly: {0}")]
    Task(String),
    /// A new fleet does not fit the running process.
    #[error(
        "the new fleet changes which drivers run on which nodes ({change}); restart the driver"
    )]
    NeedsRestart {
        /// The first difference.
        change: String,
    },
}
