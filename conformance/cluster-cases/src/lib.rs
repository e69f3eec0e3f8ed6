//! What a cluster owes a claim, end to end. Each case runs on the simulation and on any kubeconfig.
//!
//! ```text
//! examples   the worked examples of examples/, as cases
//! pods       waiting for pods, and what they got
//! claims     waiting for claims
//! ```

pub mod claims;
pub mod examples;
pub mod pods;
