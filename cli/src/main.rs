//! Test kit for Kubernetes Dynamic Resource Allocation.

fn main() {}
