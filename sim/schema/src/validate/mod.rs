//! What Kubernetes refuses in objects outside resource.k8s.io (`pkg/apis/*/validation`), as far
//! as a person or controller in this simulation meets it. `drakit_api::validate` has
//! resource.k8s.io.
//! * `entry`: by kind, for new objects and for changes;
//! * `metadata`: of every object;
//! * `pods`, `containers`, `claims`, `resources`, `tolerations`: pods and pod templates;
//! * `workloads`: deployments, replica sets, daemon sets, jobs;
//! * `cluster`: namespaces, nodes, config maps;
//! * `rules`: rules that many fields share.
//!
//! Not checked, among others: affinity, probes, security contexts, services, webhooks.

mod claims;
mod cluster;
mod containers;
mod entry;
mod metadata;
mod pods;
mod resources;
mod rules;
mod tolerations;
mod workloads;
