//! Types of claims and classes. Source: `k8s.io/api/resource/v1/types.go` v0.37.2; the internal
//! types of `kubernetes/pkg/apis/resource` v1.37.2 have the same fields in the same order.

use super::shared_types::{CONDITION, NODE_SELECTOR};
use super::types::{BOOL, Field, INT, QUANTITY, RAW, Shape, TEXT};

/// `ResourceClaimSpec`
pub(in crate::validate) static RESOURCE_CLAIM_SPEC: Shape =
    Shape::Struct(&[Field::always("devices", "Devices", &DEVICE_CLAIM)]);

/// `DeviceClaim`
pub(in crate::validate) static DEVICE_CLAIM: Shape = Shape::Struct(&[
    Field::always("requests", "Requests", &Shape::List(&DEVICE_REQUEST)),
    Field::new(
        "constraints",
        "Constraints",
        &Shape::List(&DEVICE_CONSTRAINT),
    ),
    Field::new(
        "config",
        "Config",
        &Shape::List(&DEVICE_CLAIM_CONFIGURATION),
    ),
]);

/// `DeviceRequest`
pub(in crate::validate) static DEVICE_REQUEST: Shape = Shape::Struct(&[
    Field::always("name", "Name", &TEXT),
    Field::new("exactly", "Exactly", &EXACT_DEVICE_REQUEST).pointer(),
    Field::new(
        "firstAvailable",
        "FirstAvailable",
        &Shape::List(&DEVICE_SUB_REQUEST),
    ),
]);

/// `ExactDeviceRequest`
pub(in crate::validate) static EXACT_DEVICE_REQUEST: Shape = Shape::Struct(&[
    Field::always("deviceClassName", "DeviceClassName", &TEXT),
    Field::new("selectors", "Selectors", &Shape::List(&DEVICE_SELECTOR)),
    Field::new("allocationMode", "AllocationMode", &TEXT),
    Field::new("count", "Count", &INT),
    Field::new("adminAccess", "AdminAccess", &BOOL).pointer(),
    Field::new(
        "tolerations",
        "Tolerations",
        &Shape::List(&DEVICE_TOLERATION),
    ),
    Field::new("capacity", "Capacity", &CAPACITY_REQUIREMENTS).pointer(),
    Field::new(
        "derivedAttributes",
        "DerivedAttributes",
        &Shape::List(&DEVICE_DERIVED_ATTRIBUTE),
    ),
]);

/// `DeviceSubRequest`
pub(in crate::validate) static DEVICE_SUB_REQUEST: Shape = Shape::Struct(&[
    Field::always("name", "Name", &TEXT),
    Field::always("deviceClassName", "DeviceClassName", &TEXT),
    Field::new("selectors", "Selectors", &Shape::List(&DEVICE_SELECTOR)),
    Field::new("allocationMode", "AllocationMode", &TEXT),
    Field::new("count", "Count", &INT),
    Field::new(
        "tolerations",
        "Tolerations",
        &Shape::List(&DEVICE_TOLERATION),
    ),
    Field::new("capacity", "Capacity", &CAPACITY_REQUIREMENTS).pointer(),
    Field::new(
        "derivedAttributes",
        "DerivedAttributes",
        &Shape::List(&DEVICE_DERIVED_ATTRIBUTE),
    ),
]);

/// `CapacityRequirements`
pub(in crate::validate) static CAPACITY_REQUIREMENTS: Shape =
    Shape::Struct(&[Field::new("requests", "Requests", &Shape::Map(&QUANTITY))]);

/// `DeviceSelector`
pub(in crate::validate) static DEVICE_SELECTOR: Shape =
    Shape::Struct(&[Field::new("cel", "CEL", &CEL_DEVICE_SELECTOR).pointer()]);

/// `CELDeviceSelector`
pub(in crate::validate) static CEL_DEVICE_SELECTOR: Shape =
    Shape::Struct(&[Field::always("expression", "Expression", &TEXT)]);

/// `DeviceDerivedAttribute`
pub(in crate::validate) static DEVICE_DERIVED_ATTRIBUTE: Shape = Shape::Struct(&[
    Field::always("name", "Name", &TEXT),
    Field::always("expression", "Expression", &TEXT),
]);

/// `DeviceConstraint`
pub(in crate::validate) static DEVICE_CONSTRAINT: Shape = Shape::Struct(&[
    Field::new("requests", "Requests", &Shape::List(&TEXT)),
    Field::new("matchAttribute", "MatchAttribute", &TEXT).pointer(),
    Field::new("distinctAttribute", "DistinctAttribute", &TEXT).pointer(),
]);

/// `DeviceClaimConfiguration`
pub(in crate::validate) static DEVICE_CLAIM_CONFIGURATION: Shape = Shape::Struct(&[
    Field::new("requests", "Requests", &Shape::List(&TEXT)),
    Field::new("opaque", "Opaque", &OPAQUE_DEVICE_CONFIGURATION).pointer(),
]);

/// `OpaqueDeviceConfiguration`
pub(in crate::validate) static OPAQUE_DEVICE_CONFIGURATION: Shape = Shape::Struct(&[
    Field::always("driver", "Driver", &TEXT),
    Field::always("parameters", "Parameters", &RAW),
]);

/// `DeviceToleration`
pub(in crate::validate) static DEVICE_TOLERATION: Shape = Shape::Struct(&[
    Field::new("key", "Key", &TEXT),
    Field::new("operator", "Operator", &TEXT),
    Field::new("value", "Value", &TEXT),
    Field::new("effect", "Effect", &TEXT),
    Field::new("tolerationSeconds", "TolerationSeconds", &INT).pointer(),
]);

/// `ResourceClaimStatus`
pub(in crate::validate) static RESOURCE_CLAIM_STATUS: Shape = Shape::Struct(&[
    Field::new("allocation", "Allocation", &ALLOCATION_RESULT).pointer(),
    Field::new(
        "reservedFor",
        "ReservedFor",
        &Shape::List(&RESOURCE_CLAIM_CONSUMER_REFERENCE),
    ),
    Field::new("devices", "Devices", &Shape::List(&ALLOCATED_DEVICE_STATUS)),
]);

/// `ResourceClaimConsumerReference`
pub(in crate::validate) static RESOURCE_CLAIM_CONSUMER_REFERENCE: Shape = Shape::Struct(&[
    Field::new("apiGroup", "APIGroup", &TEXT),
    Field::always("resource", "Resource", &TEXT),
    Field::always("name", "Name", &TEXT),
    Field::always("uid", "UID", &TEXT),
]);

/// `AllocationResult`
pub(in crate::validate) static ALLOCATION_RESULT: Shape = Shape::Struct(&[
    Field::new("devices", "Devices", &DEVICE_ALLOCATION_RESULT),
    Field::new("nodeSelector", "NodeSelector", &NODE_SELECTOR).pointer(),
    Field::new("allocationTimestamp", "AllocationTimestamp", &TEXT).pointer(),
]);

/// `DeviceAllocationResult`
pub(in crate::validate) static DEVICE_ALLOCATION_RESULT: Shape = Shape::Struct(&[
    Field::new(
        "results",
        "Results",
        &Shape::List(&DEVICE_REQUEST_ALLOCATION_RESULT),
    ),
    Field::new(
        "config",
        "Config",
        &Shape::List(&DEVICE_ALLOCATION_CONFIGURATION),
    ),
]);

/// `DeviceRequestAllocationResult`
pub(in crate::validate) static DEVICE_REQUEST_ALLOCATION_RESULT: Shape = Shape::Struct(&[
    Field::always("request", "Request", &TEXT),
    Field::always("driver", "Driver", &TEXT),
    Field::always("pool", "Pool", &TEXT),
    Field::always("device", "Device", &TEXT),
    Field::new("adminAccess", "AdminAccess", &BOOL).pointer(),
    Field::new(
        "tolerations",
        "Tolerations",
        &Shape::List(&DEVICE_TOLERATION),
    ),
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
    Field::new("shareID", "ShareID", &TEXT).pointer(),
    Field::new(
        "consumedCapacity",
        "ConsumedCapacity",
        &Shape::Map(&QUANTITY),
    ),
    Field::new(
        "skipNodeOperations",
        "SkipNodeOperations",
        &Shape::List(&TEXT),
    ),
]);

/// `DeviceAllocationConfiguration`
pub(in crate::validate) static DEVICE_ALLOCATION_CONFIGURATION: Shape = Shape::Struct(&[
    Field::always("source", "Source", &TEXT),
    Field::new("requests", "Requests", &Shape::List(&TEXT)),
    Field::new("opaque", "Opaque", &OPAQUE_DEVICE_CONFIGURATION).pointer(),
]);

/// `DeviceClassSpec`
pub(in crate::validate) static DEVICE_CLASS_SPEC: Shape = Shape::Struct(&[
    Field::new("selectors", "Selectors", &Shape::List(&DEVICE_SELECTOR)),
    Field::new(
        "config",
        "Config",
        &Shape::List(&DEVICE_CLASS_CONFIGURATION),
    ),
    Field::new("extendedResourceName", "ExtendedResourceName", &TEXT).pointer(),
]);

/// `DeviceClassConfiguration`
pub(in crate::validate) static DEVICE_CLASS_CONFIGURATION: Shape =
    Shape::Struct(&[Field::new("opaque", "Opaque", &OPAQUE_DEVICE_CONFIGURATION).pointer()]);

/// `ResourceClaimTemplateSpec`
pub(in crate::validate) static RESOURCE_CLAIM_TEMPLATE_SPEC: Shape = Shape::Struct(&[
    Field::tagged("labels", &Shape::Map(&TEXT)),
    Field::tagged("annotations", &Shape::Map(&TEXT)),
    Field::always("spec", "Spec", &RESOURCE_CLAIM_SPEC),
]);

/// `AllocatedDeviceStatus`
pub(in crate::validate) static ALLOCATED_DEVICE_STATUS: Shape = Shape::Struct(&[
    Field::always("driver", "Driver", &TEXT),
    Field::always("pool", "Pool", &TEXT),
    Field::always("device", "Device", &TEXT),
    Field::new("shareID", "ShareID", &TEXT).pointer(),
    Field::always("conditions", "Conditions", &Shape::List(&CONDITION)),
    Field::new("data", "Data", &RAW).pointer(),
    Field::new("networkData", "NetworkData", &NETWORK_DEVICE_DATA).pointer(),
]);

/// `NetworkDeviceData`
pub(in crate::validate) static NETWORK_DEVICE_DATA: Shape = Shape::Struct(&[
    Field::new("interfaceName", "InterfaceName", &TEXT),
    Field::new("ips", "IPs", &Shape::List(&TEXT)),
    Field::new("hardwareAddress", "HardwareAddress", &TEXT),
]);
