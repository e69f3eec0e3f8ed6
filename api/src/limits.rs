//! Limits of `resource.k8s.io` objects.
//!
//! Lengths are in bytes, sizes in entries. Source: `k8s.io/api/resource/v1/types.go`
//! v0.37.2, and `k8s.io/apimachinery` for names.

/// A DNS label.
pub const DNS1123_LABEL_MAX_LENGTH: usize = 63;
/// A DNS subdomain.
pub const DNS1123_SUBDOMAIN_MAX_LENGTH: usize = 253;
/// The name part of a label's key.
pub const LABEL_KEY_MAX_LENGTH: usize = 63;
/// The value of a label.
pub const LABEL_VALUE_MAX_LENGTH: usize = 63;

/// The name of a driver.
pub const DRIVER_NAME_MAX_LENGTH: usize = 63;
/// The name of a pool.
pub const POOL_NAME_MAX_LENGTH: usize = DNS1123_SUBDOMAIN_MAX_LENGTH;
/// The domain in the name of an attribute or capacity.
pub const DEVICE_MAX_DOMAIN_LENGTH: usize = 63;
/// The identifier in the name of an attribute or capacity.
pub const DEVICE_MAX_ID_LENGTH: usize = 32;
/// The full name of an attribute or capacity.
pub const DEVICE_MAX_QUALIFIED_NAME_LENGTH: usize =
    DEVICE_MAX_DOMAIN_LENGTH + 1 + DEVICE_MAX_ID_LENGTH;

/// Devices in a slice.
pub const RESOURCE_SLICE_MAX_DEVICES: usize = 128;
/// Devices in a slice of which one has taints, consumes counters or has list
/// attributes.
pub const RESOURCE_SLICE_MAX_DEVICES_WITH_ADVANCED_FEATURES: usize = 64;
/// `ResourceSliceMaxSharedCapacity`, which the validation of 1.37 does not use.
pub const RESOURCE_SLICE_MAX_SHARED_CAPACITY: usize = 128;
/// Counter sets in a slice.
pub const RESOURCE_SLICE_MAX_COUNTER_SETS: usize = 8;
/// Counters in a counter set.
pub const RESOURCE_SLICE_MAX_COUNTERS_PER_COUNTER_SET: usize = 32;
/// Counter sets that a device consumes from.
pub const RESOURCE_SLICE_MAX_DEVICE_COUNTER_CONSUMPTIONS_PER_DEVICE: usize = 2;
/// Counters that a device consumes from one set.
pub const RESOURCE_SLICE_MAX_COUNTERS_PER_DEVICE_COUNTER_CONSUMPTION: usize = 32;
/// Compatibility groups of a counter consumption.
pub const DEVICE_COMPATIBILITY_GROUPS_MAX_SIZE: usize = 2;
/// Attributes and capacities of a device, together.
pub const RESOURCE_SLICE_MAX_ATTRIBUTES_AND_CAPACITIES_PER_DEVICE: usize = 32;
/// Values of all attributes of a device, where each entry of a list counts.
pub const RESOURCE_SLICE_MAX_ATTRIBUTE_VALUES_PER_DEVICE: usize = 48;
/// Options of a capacity's request policy.
pub const CAPACITY_REQUEST_POLICY_DISCRETE_MAX_OPTIONS: usize = 10;
/// The text of a string or version attribute.
pub const DEVICE_ATTRIBUTE_MAX_VALUE_LENGTH: usize = 64;
/// Taints of a device.
pub const DEVICE_TAINTS_MAX_LENGTH: usize = 16;
/// Binding conditions of a device.
pub const BINDING_CONDITIONS_MAX_SIZE: usize = 4;
/// Binding failure conditions of a device.
pub const BINDING_FAILURE_CONDITIONS_MAX_SIZE: usize = 4;

/// Devices allocated to a claim.
pub const ALLOCATION_RESULTS_MAX_SIZE: usize = 32;
/// Requests in a claim.
pub const DEVICE_REQUESTS_MAX_SIZE: usize = ALLOCATION_RESULTS_MAX_SIZE;
/// Constraints in a claim.
pub const DEVICE_CONSTRAINTS_MAX_SIZE: usize = 32;
/// Configurations in a claim or class.
pub const DEVICE_CONFIG_MAX_SIZE: usize = 32;
/// Selectors in a request or class.
pub const DEVICE_SELECTORS_MAX_SIZE: usize = 32;
/// Alternatives in a request.
pub const FIRST_AVAILABLE_DEVICE_REQUEST_MAX_SIZE: usize = 8;
/// Tolerations in a request.
pub const DEVICE_TOLERATIONS_MAX_LENGTH: usize = 16;
/// Derived attributes in a request.
pub const DEVICE_DERIVED_ATTRIBUTES_MAX_SIZE: usize = 32;
/// Consumers of a claim.
pub const RESOURCE_CLAIM_RESERVED_FOR_MAX_SIZE: usize = 256;
/// Opaque parameters, as JSON.
pub const OPAQUE_PARAMETERS_MAX_LENGTH: usize = 10 * 1024;

/// The text of a CEL selector.
pub const CEL_SELECTOR_EXPRESSION_MAX_LENGTH: usize = 10 * 1024;
/// The cost of a CEL selector, estimated and actual, in units of cost.
pub const CEL_SELECTOR_EXPRESSION_MAX_COST: u64 = 1_000_000;
/// The cost of all derived attributes of a claim, in units of cost.
pub const DEVICE_CLAIM_DERIVED_ATTRIBUTE_CEL_MAX_COST: u64 = 1_000_000;

/// Conditions of an allocated device.
pub const ALLOCATED_DEVICE_STATUS_MAX_CONDITIONS: usize = 8;
/// Driver data of an allocated device, as JSON.
pub const ALLOCATED_DEVICE_STATUS_DATA_MAX_LENGTH: usize = 10 * 1024;
/// Addresses of a network device.
pub const NETWORK_DEVICE_DATA_MAX_IPS: usize = 16;
/// The interface name of a network device.
pub const NETWORK_DEVICE_DATA_INTERFACE_NAME_MAX_LENGTH: usize = 256;
/// The hardware address of a network device.
pub const NETWORK_DEVICE_DATA_HARDWARE_ADDRESS_MAX_LENGTH: usize = 128;
/// Conditions of a device taint rule.
pub const DEVICE_TAINT_RULE_STATUS_MAX_CONDITIONS: usize = 8;
