//! The program as people run it: real processes, real sockets, real HTTP.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod bad_input;
mod crash;
mod examples;
mod lifetime;
mod output;
mod support;
