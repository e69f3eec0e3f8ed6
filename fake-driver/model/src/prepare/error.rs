//! Why a prepare was refused.

use std::fmt;

use super::config::ConfigError;

/// The allocation result that a refusal is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// `namespace/name` of the claim.
    pub claim: String,
    /// Request of the result, with `/subrequest` when it has one.
    pub request: String,
    /// Pool of the device.
    pub pool: String,
    /// Name of the device.
    pub device: String,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            claim,
            request,
            pool,
            device,
        } = self;
        write!(
            f,
            "claim {claim}, request {request:?}, device {pool}/{device}"
        )
    }
}

/// Why a claim cannot be prepared. Goes into the claim's entry of the answer; other claims are not affected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// The uid cannot be part of a CDI name.
    #[error(
        "claim {claim}: uid {uid:?} is not usable in a CDI name \
         (allowed: 1 to 128 letters, digits, `-`, `_`, `.`, alphanumeric at both ends)"
    )]
    Uid {
        /// `namespace/name`.
        claim: String,
        /// The uid.
        uid: String,
    },
    /// `status.allocation` is not set: kubelet asked too early or the claim was deallocated meanwhile.
    #[error("claim {claim} is not allocated (status.allocation is not set)")]
    NotAllocated {
        /// `namespace/name`.
        claim: String,
    },
    /// The allocation names a pool that this driver does not serve here.
    #[error("{subject}: the pool is not served by driver {driver} on this node (served: {served})")]
    UnknownPool {
        /// The result.
        subject: Box<Subject>,
        /// This driver.
        driver: String,
        /// Pools that it serves here.
        served: String,
    },
    /// The allocation names a device that is not in the pool.
    #[error("{subject}: driver {driver} has no such device (the pool has {count} devices)")]
    UnknownDevice {
        /// The result.
        subject: Box<Subject>,
        /// This driver.
        driver: String,
        /// Size of the pool.
        count: usize,
    },
    /// Another claim holds the device: the driver is the last line of defence against double booking (PREP-13).
    #[error("{subject}: held by claim {holder} (uid {holder_uid}), which must be unprepared first")]
    InUse {
        /// The result.
        subject: Box<Subject>,
        /// `namespace/name` of the claim that holds it.
        holder: String,
        /// Its uid.
        holder_uid: String,
    },
    /// The allocation gives one exclusive device to two requests.
    #[error(
        "{subject}: allocated to request {first:?} of the same claim too, but allows one allocation"
    )]
    AllocatedTwice {
        /// The second result.
        subject: Box<Subject>,
        /// Request of the first result.
        first: String,
    },
    /// The hardware behind the device is in use by other devices of the same counter set.
    #[error(
        "{subject}: needs {wanted} of counter {counter}, of which {left} is left (taken by {holders})"
    )]
    UsedUp {
        /// The result.
        subject: Box<Subject>,
        /// `counter set/counter`.
        counter: String,
        /// What the device consumes.
        wanted: String,
        /// What is left.
        left: String,
        /// Claims that hold the rest.
        holders: String,
    },
    /// Opaque parameters for this driver cannot be decoded.
    #[error("claim {claim}, {config}: {problems}")]
    Config {
        /// `namespace/name`.
        claim: String,
        /// Where the parameters come from: class or claim, position, requests.
        config: String,
        /// Every problem, with field and what is allowed.
        problems: ConfigError,
    },
    /// Opaque parameters of a kind that the device does not take.
    #[error("{subject}, {config}: kind {kind} does not fit the device (allowed: {allowed})")]
    ConfigKind {
        /// The result.
        subject: Box<Subject>,
        /// Where the parameters come from: class or claim, position, requests.
        config: String,
        /// Kind of the parameters.
        kind: &'static str,
        /// Kinds that the device takes.
        allowed: &'static str,
    },
}
