//! Why the kubelet edge could not start or had to stop, one line each.

use std::io;
use std::path::PathBuf;

use crate::layout::SOCKET_PATH_LIMIT;

/// Why one driver on one node could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The kubelet and the driver must mean the same file.
    #[error("{what} {path:?} is not absolute; give the path as the kubelet sees it")]
    NotAbsolute {
        /// Which folder.
        what: &'static str,
        /// As configured.
        path: PathBuf,
    },
    /// No socket can have this path.
    #[error(
        "socket path {path:?} has {bytes} bytes, the system's limit is {SOCKET_PATH_LIMIT}; use a shorter folder or driver name"
    )]
    PathTooLong {
        /// The socket's path.
        path: PathBuf,
        /// Its length.
        bytes: usize,
    },
    /// A folder is missing, not a folder, or not ours to write.
    #[error("{what} {path:?}: {source}; check the path and its permissions")]
    Folder {
        /// Which folder.
        what: &'static str,
        /// Its path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Somebody answers on the socket.
    #[error(
        "socket {path:?} is occupied: another instance of this driver is running; stop it first"
    )]
    Occupied {
        /// The socket's path.
        path: PathBuf,
    },
    /// The path is taken by something that is not ours to remove.
    #[error("{path:?} exists and is no socket; move it away")]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// The socket could not be made.
    #[error("listen on socket {path:?}: {source}")]
    Listen {
        /// The socket's path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// What was prepared before cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The CDI files of prepared claims could not be put in place.
    #[error("restore CDI files in {path:?}: {source}")]
    Cdi {
        /// The CDI folder.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The runtime went away while starting.
    #[error("start was interrupted")]
    Interrupted,
}

/// Why the record of a prepared claim cannot be used. Nothing is changed or
/// removed then: a claim that is forgotten would leave its devices to two pods.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It could not be read.
    #[error("read checkpoint {path:?}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// It was read and is not what was written.
    #[error(
        "checkpoint {path:?} is damaged: {reason}; drain the node's pods that use this driver, then remove the file"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It comes from a later version.
    #[error(
        "checkpoint {path:?} has version {version}, this driver reads up to {known}; use the newer driver again"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
        /// The latest version that this driver reads.
        known: u32,
    },
}

/// Why one driver on one node stopped by itself. Fatal (REG-16): a driver that
/// does not serve must not look alive.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The socket accepts no more connections.
    #[error("accept on socket {path:?}: {source}")]
    Accept {
        /// The socket's path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The gRPC server failed.
    #[error("serve on socket {path:?}: {reason}")]
    Server {
        /// The socket's path.
        path: PathBuf,
        /// The server's words.
        reason: String,
    },
}
