//! Small API objects, with only what a test varies.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::resource::v1::{DeviceClass, ResourceClaim, ResourceSlice};
use serde_json::{Value, from_value, json};

/// A node with this name.
pub(crate) fn node(name: &str) -> serde_json::Result<Node> {
    from_value(json!({"metadata": {"name": name}}))
}

/// The class `any`, which selects every device.
pub(crate) fn any_class() -> serde_json::Result<Vec<DeviceClass>> {
    Ok(vec![from_value(
        json!({"metadata": {"name": "any"}, "spec": {}}),
    )?])
}

/// The only slice of the node's pool, with these devices.
pub(crate) fn slice(node: &str, devices: &[&str]) -> serde_json::Result<Arc<ResourceSlice>> {
    let devices: Vec<Value> = devices.iter().map(|name| json!({"name": name})).collect();
    from_value(json!({
        "metadata": {"name": format!("{node}-slice")},
        "spec": {
            "driver": "gpu.test",
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }))
    .map(Arc::new)
}

/// A claim for so many devices of any kind.
pub(crate) fn claim(name: &str, count: i64) -> serde_json::Result<ResourceClaim> {
    from_value(json!({
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": {"requests": [
            {"name": "r", "exactly": {"deviceClassName": "any", "count": count}},
        ]}},
    }))
}
