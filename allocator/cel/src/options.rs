//! What an expression may use.

/// The feature gates that change the environment of an expression, and the limit on its cost.
///
/// The gates have the names that Kubernetes gives them (`k8s.io/dynamic-resource-allocation/cel`, `Features`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Options {
    /// `DRAConsumableCapacity`: declares `device.allowMultipleAllocations`.
    pub consumable_capacity: bool,
    /// `DRAListTypeAttributes`: attribute values are dynamic, may be lists, and have `includes`.
    pub list_type_attributes: bool,
    /// Run-time limit in CEL cost units; Kubernetes stops an evaluation that costs more.
    pub cost_limit: u64,
}

impl Options {
    /// `CELSelectorExpressionMaxCost` of `k8s.io/api/resource/v1`, for one evaluation.
    pub const MAX_COST: u64 = 1_000_000;
    /// `CELSelectorExpressionMaxLength` of `k8s.io/api/resource/v1`, in bytes.
    pub const MAX_LENGTH: usize = 10 * 1024;

    /// How Kubernetes compiles an expression that is already stored (scheduler, allocator): every
    /// feature that any supported version knows is declared, whatever the gates say now.
    pub const STORED: Self = Self {
        consumable_capacity: true,
        list_type_attributes: true,
        cost_limit: Self::MAX_COST,
    };
}

impl Default for Options {
    /// As for stored expressions, see [`Options::STORED`].
    fn default() -> Self {
        Self::STORED
    }
}
