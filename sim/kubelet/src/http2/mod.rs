//! A small gRPC client that sends any `:authority`.
//!
//! ```text
//! connection  socket, SETTINGS, windows, PING
//! call        one unary call without I/O
//! hpack       header blocks
//! frame       frames
//! ```
//!
//! The kubelet dials a registration socket by its path and so sends the percent-encoded path as
//! authority. hyper refuses to send that, and hyper servers refuse to accept it; a kubelet that
//! sent anything else would pass drivers that a real one rejects.

mod call;
mod connection;
mod frame;
mod hpack;

pub use connection::RawConnection;
