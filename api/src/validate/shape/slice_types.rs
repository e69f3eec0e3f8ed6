//! Types of slices and taints. Source: `k8s.io/api/resource/v1/types.go` v0.37.2; the internal
//! types of `kubernetes/pkg/apis/resource` v1.37.2 have the same fields in the same order.

use super::shared_types::NODE_SELECTOR;
use super::types::{BOOL, Field, INT, QUANTITY, Shape, TEXT};

/// `ResourceSliceSpec`
pub(in crate::validate) static RESOURCE_SLICE_SPEC: Shape = Shape::Struct(&[
    Field::always("driver", "Driver", &TEXT),
    Field::always("pool", "Pool", &RESOURCE_POOL),
    Field::new("nodeName", "NodeName", &TEXT).pointer(),
    Field::new("nodeSelector", "NodeSelector", &NODE_SELECTOR).pointer(),
    Field::new("allNodes", "AllNodes", &BOOL).pointer(),
    Field::new("devices", "Devices", &Shape::List(&DEVICE)),
    Field::new("perDeviceNodeSelection", "PerDeviceNodeSelection", &BOOL).pointer(),
    Field::new(
        "sharedCounters",
        "SharedCounters",
        &Shape::List(&COUNTER_SET),
    ),
    Field::new("partitionTypeAttribute", "PartitionTypeAttribute", &TEXT).pointer(),
    Field::new(
        "skipNodeOperations",
        "SkipNodeOperations",
        &Shape::List(&TEXT),
    ),
]);

/// `CounterSet`
pub(in crate::validate) static COUNTER_SET: Shape = Shape::Struct(&[
    Field::always("name", "Name", &TEXT),
    Field::new("counters", "Counters", &Shape::Map(&COUNTER)),
]);

/// `ResourcePool`
pub(in crate::validate) static RESOURCE_POOL: Shape = Shape::Struct(&[
    Field::always("name", "Name", &TEXT),
    Field::always("generation", "Generation", &INT),
    Field::always("resourceSliceCount", "ResourceSliceCount", &INT),
]);

/// `Device`
pub(in crate::validate) static DEVICE: Shape = Shape::Struct(&[
    Field::always("name", "Name", &TEXT),
    Field::new("attributes", "Attributes", &Shape::Map(&DEVICE_ATTRIBUTE)),
    Field::new("capacity", "Capacity", &Shape::Map(&DEVICE_CAPACITY)),
    Field::new(
        "consumesCounters",
        "ConsumesCounters",
        &Shape::List(&DEVICE_COUNTER_CONSUMPTION),
    ),
    Field::new("nodeName", "NodeName", &TEXT).pointer(),
    Field::new("nodeSelector", "NodeSelector", &NODE_SELECTOR).pointer(),
    Field::new("allNodes", "AllNodes", &BOOL).pointer(),
    Field::new("taints", "Taints", &Shape::List(&DEVICE_TAINT)),
    Field::new("bindsToNode", "BindsToNode", &BOOL).pointer(),
    Field::new(
        "bindingConditions",
        "BindingConditions",
        &Shape::List(&TEXT),
    ),
    Field::new(
        "bindingFailureConditions",
        "BindingFailureConditions",
        &Shape::List(&TEXT),
    ),
    Field::new(
        "allowMultipleAllocations",
        "AllowMultipleAllocations",
        &BOOL,
    )
    .pointer(),
    Field::new(
        "nodeAllocatableResources",
        "NodeAllocatableResources",
        &Shape::Map(&NODE_ALLOCATABLE_RESOURCE),
    ),
]);

/// `NodeAllocatableResource`
pub(in crate::validate) static NODE_ALLOCATABLE_RESOURCE: Shape = Shape::Struct(&[
    Field::new("mapping", "Mapping", &NODE_ALLOCATABLE_MAPPING).pointer(),
    Field::new("overhead", "Overhead", &NODE_ALLOCATABLE_OVERHEAD).pointer(),
]);

/// `NodeAllocatableMapping`
pub(in crate::validate) static NODE_ALLOCATABLE_MAPPING: Shape = Shape::Struct(&[
    Field::new("capacityKey", "CapacityKey", &TEXT).pointer(),
    Field::new("capacityMultiplier", "CapacityMultiplier", &QUANTITY).pointer(),
    Field::new("deviceMultiplier", "DeviceMultiplier", &QUANTITY).pointer(),
]);

/// `NodeAllocatableOverhead`
pub(in crate::validate) static NODE_ALLOCATABLE_OVERHEAD: Shape = Shape::Struct(&[
    Field::new("perPod", "PerPod", &QUANTITY).pointer(),
    Field::new("perContainer", "PerContainer", &QUANTITY).pointer(),
]);

/// `DeviceCounterConsumption`
pub(in crate::validate) static DEVICE_COUNTER_CONSUMPTION: Shape = Shape::Struct(&[
    Field::always("counterSet", "CounterSet", &TEXT),
    Field::new("counters", "Counters", &Shape::Map(&COUNTER)),
    Field::new(
        "compatibilityGroups",
        "CompatibilityGroups",
        &Shape::List(&TEXT),
    ),
]);

/// `DeviceCapacity`
pub(in crate::validate) static DEVICE_CAPACITY: Shape = Shape::Struct(&[
    Field::always("value", "Value", &QUANTITY),
    Field::new("requestPolicy", "RequestPolicy", &CAPACITY_REQUEST_POLICY).pointer(),
]);

/// `Counter`
pub(in crate::validate) static COUNTER: Shape =
    Shape::Struct(&[Field::always("value", "Value", &QUANTITY)]);

/// `CapacityRequestPolicy`
pub(in crate::validate) static CAPACITY_REQUEST_POLICY: Shape = Shape::Struct(&[
    Field::always("default", "Default", &QUANTITY).pointer(),
    Field::new("validValues", "ValidValues", &Shape::List(&QUANTITY)),
    Field::new("validRange", "ValidRange", &CAPACITY_REQUEST_POLICY_RANGE).pointer(),
]);

/// `CapacityRequestPolicyRange`
pub(in crate::validate) static CAPACITY_REQUEST_POLICY_RANGE: Shape = Shape::Struct(&[
    Field::new("min", "Min", &QUANTITY).pointer(),
    Field::new("max", "Max", &QUANTITY).pointer(),
    Field::new("step", "Step", &QUANTITY).pointer(),
]);

/// `DeviceAttribute`
pub(in crate::validate) static DEVICE_ATTRIBUTE: Shape = Shape::Struct(&[
    Field::new("int", "IntValue", &INT).pointer(),
    Field::new("bool", "BoolValue", &BOOL).pointer(),
    Field::new("string", "StringValue", &TEXT).pointer(),
    Field::new("version", "VersionValue", &TEXT).pointer(),
    Field::new("ints", "IntValues", &Shape::List(&INT)),
    Field::new("bools", "BoolValues", &Shape::List(&BOOL)),
    Field::new("strings", "StringValues", &Shape::List(&TEXT)),
    Field::new("versions", "VersionValues", &Shape::List(&TEXT)),
]);

/// `DeviceTaint`
pub(in crate::validate) static DEVICE_TAINT: Shape = Shape::Struct(&[
    Field::always("key", "Key", &TEXT),
    Field::new("value", "Value", &TEXT),
    Field::always("effect", "Effect", &TEXT),
    Field::new("timeAdded", "TimeAdded", &TEXT).pointer(),
]);
