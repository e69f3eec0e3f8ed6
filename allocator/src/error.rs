//! Why an allocation could not be decided.
//!
//! Every text is the one of `structured.Allocator` (v0.37.2), so that what a
//! scheduler shows is what a person knows from a real cluster.

use drakit_cel::{CompileError, EvalError};

use crate::device_id::{DeviceId, PoolId};

/// What a scheduler says about a node on which the claims do not fit
/// (`pkg/scheduler/framework/plugins/dynamicresources`).
pub const CANNOT_ALLOCATE: &str = "cannot allocate all claims";

/// Why [`allocate`](crate::allocate()) gave no answer.
///
/// Except for [`is_node_local`](Self::is_node_local) errors, the input is wrong
/// and trying other nodes is pointless.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AllocateError {
    /// A request of a claim cannot be handled.
    #[error("claim {claim}, request {request}: {problem}")]
    Request {
        /// `namespace/name` of the claim.
        claim: String,
        /// Name of the request, or of the subrequest without its parent.
        request: String,
        /// What is wrong with it.
        problem: Box<RequestProblem>,
    },
    /// A subrequest asks for capacity while the feature is off.
    #[error(
        "claim {claim}, subrequest {subrequest}: has capacity requests, but the DRAConsumableCapacity feature is disabled"
    )]
    SubrequestCapacity {
        /// `namespace/name` of the claim.
        claim: String,
        /// Name of the subrequest.
        subrequest: String,
    },
    /// A selector of a request is of no known kind.
    #[error(
        "claim {claim}, request {request}, selector #{index}: CEL expression empty (unsupported selector type?)"
    )]
    UnknownSelector {
        /// `namespace/name` of the claim.
        claim: String,
        /// Name of the request.
        request: String,
        /// Position in `selectors`, from 0.
        index: usize,
    },
    /// A constraint of a claim is of no known kind.
    #[error("claim {claim}, constraint #{index}: empty constraint (unsupported constraint type?)")]
    UnknownConstraint {
        /// `namespace/name` of the claim.
        claim: String,
        /// Position in `constraints`, from 0.
        index: usize,
    },
    /// A selector does not compile.
    #[error("{owner}: selector #{index}: CEL compile error: {error}")]
    Compile {
        /// The class or claim that holds the selector.
        owner: SelectorOwner,
        /// Position in `selectors`, from 0.
        index: usize,
        /// The compiler's words.
        error: CompileError,
    },
    /// A selector failed on a device.
    #[error(
        "{owner}: selector #{index} on device {device}: CEL runtime error: {}",
        .error.with_hint()
    )]
    Evaluate {
        /// The class or claim that holds the selector.
        owner: SelectorOwner,
        /// Position in `selectors`, from 0.
        index: usize,
        /// The device under evaluation.
        device: Box<DeviceId>,
        /// The evaluator's words.
        error: EvalError,
    },
    /// The expression of a derived attribute does not compile.
    #[error("compile derived attribute {attribute} failed: {error}")]
    CompileDerived {
        /// The name of the derived attribute.
        attribute: String,
        /// The compiler's words.
        error: CompileError,
    },
    /// The expression of a derived attribute failed on a device.
    #[error("evaluate derived attribute {attribute} on device {device} failed: {error}")]
    EvaluateDerived {
        /// The name of the derived attribute.
        attribute: String,
        /// The device under evaluation.
        device: Box<DeviceId>,
        /// The evaluator's words.
        error: EvalError,
    },
    /// The node selector of a slice, or of a device in it, is invalid.
    #[error("gather pool information: failed to perform node selection for {place}: {error}")]
    NodeSelection {
        /// `slice NAME` or `device … in slice NAME`.
        place: String,
        /// What is wrong with the selector.
        error: String,
    },
    /// The node selector of a device that is tried is invalid.
    #[error("{error}")]
    DeviceNodeSelection {
        /// What is wrong with the selector.
        error: String,
    },
    /// A slice with several node selector terms was chosen.
    #[error(
        "create NodeSelector for claim {claim}: unsupported ResourceSlice.NodeSelector with {terms} terms"
    )]
    ResultNodeSelector {
        /// Name of the claim, without its namespace.
        claim: String,
        /// How many terms the selector has.
        terms: usize,
    },
    /// No device was found, and some pool on this node is invalid.
    #[error("invalid resource pools were encountered")]
    InvalidPools,
    /// All alternatives exceed the number of devices that a claim can hold.
    #[error("allocation max size exceeded")]
    TooManyDevices,
    /// The caller's check asked to stop.
    #[error("filter operation aborted: {0}")]
    Interrupted(Interrupt),
}

/// Why the caller wants to stop, see [`Input::interrupt`](crate::Input).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Interrupt {
    /// A time limit passed.
    #[error("context deadline exceeded")]
    DeadlineExceeded,
    /// Nobody wants the answer any more.
    #[error("context canceled")]
    Canceled,
}

/// What is wrong with one request.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RequestProblem {
    /// `firstAvailable` while the feature is off.
    #[error("has subrequests, but the DRAPrioritizedList feature is disabled")]
    SubrequestsDisabled,
    /// `capacity` while the feature is off.
    #[error("has capacity requests, but the DRAConsumableCapacity feature is disabled")]
    CapacityDisabled,
    /// `derivedAttributes` while the feature is off.
    #[error("cannot handle request with derived attributes, the feature is disabled")]
    DerivedAttributesDisabled,
    /// `adminAccess` while the feature is off.
    #[error("admin access is requested, but the feature is disabled")]
    AdminAccessDisabled,
    /// No device class, perhaps a request of a future kind.
    #[error("missing device class name (unsupported request type?)")]
    NoClassName,
    /// The device class does not exist.
    #[error(
        "could not retrieve device class {class}: deviceclass.resource.k8s.io \"{class}\" not found"
    )]
    NoClass {
        /// Name of the class.
        class: String,
    },
    /// A negative count; the API server never stores such a claim.
    #[error("count {count} is not positive")]
    BadCount {
        /// The count as given.
        count: i64,
    },
    /// Neither `ExactCount` nor `All`.
    #[error("unsupported count mode {mode}")]
    UnknownMode {
        /// The mode as given.
        mode: String,
    },
    /// More devices than a claim can hold.
    #[error(
        "adding {adding} devices exceeds the claim limit of {limit}, with {before} already accounted for"
    )]
    TooManyDevices {
        /// Devices of this request.
        adding: usize,
        /// The limit of a claim.
        limit: usize,
        /// Devices of the requests before it.
        before: usize,
    },
    /// `All` with a pool of which slices are missing.
    #[error("asks for all devices, but resource pool {pool} is currently being updated")]
    PoolIncomplete {
        /// The pool.
        pool: PoolId,
    },
    /// `All` with a pool that contradicts itself.
    #[error("asks for all devices, but resource pool {pool} is currently invalid")]
    PoolInvalid {
        /// The pool.
        pool: PoolId,
    },
    /// A constraint excludes one of `All` devices.
    #[error("cannot add device {device} because a claim constraint would not be satisfied")]
    ConstraintViolated {
        /// The device.
        device: DeviceId,
    },
    /// The capacity of a device cannot be compared with the request.
    #[error("checking capacity for device {device}: {error}")]
    Capacity {
        /// The device: its full name, or the short one while `All` is counted.
        device: String,
        /// What cannot be represented.
        error: CapacityError,
    },
    /// A requested quantity does not parse; the API server never stores such a claim.
    #[error("capacity request {name} has the invalid quantity {value:?}")]
    BadQuantity {
        /// Name of the capacity.
        name: String,
        /// The quantity as given.
        value: String,
    },
}

/// Why a capacity request cannot be decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("capacity {name:?}: {problem}")]
pub struct CapacityError {
    /// Name of the capacity.
    pub name: String,
    /// What is wrong.
    pub problem: CapacityProblem,
}

/// What is wrong with one capacity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CapacityProblem {
    /// The request is not a whole number of thousandths.
    #[error("{NOT_REPRESENTABLE}: request {request} is not a representable milli value")]
    NotMilli {
        /// The requested quantity.
        request: String,
    },
    /// Rounding up leaves the range of thousandths.
    #[error(
        "{NOT_REPRESENTABLE}: rounding request {request} up to the next step passes the milli-value range"
    )]
    PassesMilli {
        /// The requested quantity.
        request: String,
    },
    /// The request is larger than a 64-bit integer.
    #[error("{NOT_REPRESENTABLE}: request {request} exceeds MaxInt64")]
    ExceedsInteger {
        /// The requested quantity.
        request: String,
    },
    /// Rounding up leaves the range of 64-bit integers.
    #[error("{NOT_REPRESENTABLE}: rounding request {request} up to the next step passes MaxInt64")]
    PassesInteger {
        /// The requested quantity.
        request: String,
    },
    /// The capacity that would be consumed is negative.
    #[error("capacity value is negative")]
    Negative,
}

const NOT_REPRESENTABLE: &str =
    "capacity request cannot be represented in the device's range arithmetic";

/// The object that holds a selector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorOwner {
    /// A device class.
    #[error("class {0}")]
    Class(String),
    /// A claim, as `namespace/name`.
    #[error("claim {0}")]
    Claim(String),
}

impl AllocateError {
    /// Whether only this node is affected, so that others are worth a try.
    pub fn is_node_local(&self) -> bool {
        matches!(self, Self::InvalidPools)
    }
}
