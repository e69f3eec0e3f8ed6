//! The server as its clients see it: single requests, lists, watches, whole clients.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

mod clients;
mod deletes;
mod lists;
mod patches;
mod requests;
mod rules;
mod subresources;
mod support;
mod watches;
