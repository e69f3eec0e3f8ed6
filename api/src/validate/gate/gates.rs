//! The features.

/// Features that decide which fields of `resource.k8s.io` objects are kept and how
/// they are checked; defaults of 1.37.
///
/// Source: `pkg/features/kube_features.go`, v1.37.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, as in Kubernetes"
)]
pub struct Gates {
    /// `DRAAdminAccess`
    pub admin_access: bool,
    /// `DRAConsumableCapacity`
    pub consumable_capacity: bool,
    /// `DRADerivedAttributes`
    pub derived_attributes: bool,
    /// `DRADeviceBindingConditions`
    pub device_binding_conditions: bool,
    /// `DRADeviceCompatibilityGroups`
    pub device_compatibility_groups: bool,
    /// `DRADeviceTaints`
    pub device_taints: bool,
    /// `DRAExtendedResource`
    pub extended_resource: bool,
    /// `DRAFractionalCapacityRange`
    pub fractional_capacity_range: bool,
    /// `DRAListTypeAttributes`
    pub list_type_attributes: bool,
    /// `DRANodeAllocatableResources`
    pub node_allocatable_resources: bool,
    /// `DRAOptionalNodeOperations`
    pub optional_node_operations: bool,
    /// `DRAPartitionableDevices`
    pub partitionable_devices: bool,
    /// `DRAPartitionableDevicesType`
    pub partitionable_devices_type: bool,
    /// `DRAPrioritizedList`
    pub prioritized_list: bool,
    /// `DRAResourceClaimDeviceStatus`
    pub resource_claim_device_status: bool,
}

impl Default for Gates {
    fn default() -> Self {
        Self {
            admin_access: true,
            consumable_capacity: true,
            derived_attributes: false,
            device_binding_conditions: true,
            device_compatibility_groups: false,
            device_taints: true,
            extended_resource: true,
            // On by default only where compatibility with 1.36 is given up.
            fractional_capacity_range: false,
            list_type_attributes: false,
            node_allocatable_resources: false,
            optional_node_operations: false,
            partitionable_devices: true,
            partitionable_devices_type: false,
            prioritized_list: true,
            resource_claim_device_status: true,
        }
    }
}
