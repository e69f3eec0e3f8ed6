//! Attribute values, parsed once.

use drakit_api::Semver;

/// The value of a device attribute (`DeviceAttribute` of `k8s.io/api/resource/v1`) with versions parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeValue {
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `string`
    String(String),
    /// `version`
    Version(Semver),
    /// `bools`
    Bools(Vec<bool>),
    /// `ints`
    Ints(Vec<i64>),
    /// `strings`
    Strings(Vec<String>),
    /// `versions`
    Versions(Vec<Semver>),
}
