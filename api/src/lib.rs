//! Facts that all sides share: resource.k8s.io types, Quantity, Semver, names, limits, object validation. Pure.

/// The Kubernetes types that every crate uses: one version per build (1.37).
pub use k8s_openapi as k8s;
