//! What a node is to be.

use std::collections::BTreeMap;

use serde_json::Value;

/// A node to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeConfig {
    /// Name of the Node and of its folder.
    pub name: String,
    /// Labels besides those that every kubelet sets.
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    pub annotations: BTreeMap<String, String>,
    /// Taints, as in `spec.taints`.
    pub taints: Vec<Value>,
    /// Capacity and allocatable, as quantities.
    pub capacity: BTreeMap<String, String>,
}

impl NodeConfig {
    /// A node with 64 CPUs, 512Gi of memory and room for 110 pods.
    pub fn new(name: impl Into<String>) -> Self {
        let capacity = [
            ("cpu", "64"),
            ("memory", "512Gi"),
            ("ephemeral-storage", "1Ti"),
            ("pods", "110"),
        ];
        Self {
            name: name.into(),
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            taints: Vec::new(),
            capacity: capacity.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
        }
    }

    /// With labels.
    #[must_use]
    pub fn with_labels(mut self, labels: BTreeMap<String, String>) -> Self {
        self.labels = labels;
        self
    }
}
