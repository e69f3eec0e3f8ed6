//! What a result carries beyond the names of devices.

use k8s_openapi::api::resource::v1::AllocationResult;

/// What consumers of a result must handle beyond plain, whole devices on the node.
/// Each flag corresponds to a field of the result that some device has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent properties of a result"
)]
pub struct Extras {
    /// `adminAccess`: the device may be in use by others.
    pub admin_access: bool,
    /// `shareID`: the claim has a share of a device.
    pub shares: bool,
    /// `consumedCapacity`: the share takes part of the device's capacity.
    pub consumed_capacity: bool,
    /// `bindingConditions`: the pod must not be bound before they are true.
    pub binding_conditions: bool,
    /// `skipNodeOperations`: the node does not prepare or unprepare the device.
    pub skip_node_operations: bool,
    /// `tolerations`: the claim outlives some taints.
    pub tolerations: bool,
    /// `nodeSelector`: the claim cannot be used everywhere.
    pub node_selector: bool,
}

impl Extras {
    /// The extras of a result.
    pub fn of(result: &AllocationResult) -> Self {
        let devices = result.devices.as_ref();
        let results = devices.and_then(|devices| devices.results.as_deref());
        let mut extras = Self {
            node_selector: result.node_selector.is_some(),
            ..Self::default()
        };
        for device in results.unwrap_or_default() {
            extras.admin_access |= device.admin_access == Some(true);
            extras.shares |= device.share_id.is_some();
            extras.consumed_capacity |= device.consumed_capacity.is_some();
            extras.binding_conditions |= device.binding_conditions.is_some();
            extras.skip_node_operations |= device.skip_node_operations.is_some();
            extras.tolerations |= device.tolerations.is_some();
        }
        extras
    }
}
