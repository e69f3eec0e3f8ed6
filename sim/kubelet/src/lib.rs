//! Emulated kubelet: plugin registration, prepare and unprepare, CDI resolution, pod status and logs.
//!
//! ```text
//! kubelets      the kubelets of all nodes: start here
//! node          one node: folders, Node object, lease
//! pods          the life of pods, their status and logs
//! claims        prepare and unprepare, checkpoint
//! driver        registered drivers, their connections, wiping of slices
//! registration  discovery of sockets, the handshake
//! cdi           CDI files, read as containerd reads them
//! http2         a gRPC client that sends the kubelet's authority
//! timing        every wait, by name
//! ```
//!
//! Drivers meet it over real sockets and files. [`registration`], [`driver`], [`cdi`] and [`http2`]
//! stand alone, so that a test kit can drive a foreign driver with them step by step.

pub mod cdi;
mod claims;
mod cluster;
pub mod driver;
mod error;
pub mod http2;
mod kubelets;
mod node;
mod pods;
pub mod registration;
mod rpc_error;
mod timing;

pub use claims::{CheckpointError, PrepareError, UnprepareError};
pub use error::{AddNodeError, NoNode, RestartError, StartError};
pub use kubelets::{KubeletConfig, Kubelets};
pub use node::{NodeConfig, NodeDirs};
pub use pods::LogError;
pub use rpc_error::RpcError;
pub use timing::Timing;
