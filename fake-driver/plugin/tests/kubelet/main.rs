//! One driver on one node over its real sockets, as a kubelet sees it.

#![expect(
    clippy::unwrap_used,
    reason = "clippy allows it in test functions, not in what they call"
)]

mod calls;
mod disk;
mod lifecycle;
mod world;
