//! Discovery and registration of drivers.
//!
//! ```text
//! folder     which registration sockets exist
//! socket     the life of one of them: register, retry, deregister
//! handshake  one registration
//! ```

mod folder;
mod handshake;
mod socket;

pub use folder::Registrar;
pub use handshake::{HandshakeError, Registered, register};
