//! Engine of the kit: a case is data; targets; outcomes. Knows no DRA.
//!
//! ```text
//! cluster   where a case runs: the simulation or any kubeconfig
//! manifest  YAML documents to objects
//! stage     what a case does to a cluster, and what it must clean up
//! wait      polling with a named deadline and the last thing seen
//! case      one case: id, requirement, body
//! outcome   what became of it
//! runner    cases in order, one report line each
//! ```

pub mod case;
pub mod cluster;
pub mod manifest;
pub mod outcome;
pub mod runner;
pub mod stage;
pub mod wait;

pub use case::{Case, CaseError, Findings};
pub use cluster::{Cluster, KubeconfigCluster};
pub use outcome::{Outcome, Verdict};
pub use stage::Stage;
