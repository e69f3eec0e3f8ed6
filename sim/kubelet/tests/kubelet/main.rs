//! The emulated kubelet over real sockets, with a small driver on the other side.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed set-up or an expired wait fails the test"
)]

mod claims;
mod driver;
mod pods;
mod raw_authority;
mod registration;
mod restart;
mod slices;
mod world;
