//! Comparing attributes.

use std::collections::BTreeSet;

use k8s_openapi::api::resource::v1::DeviceAttribute;

/// The one scalar value of an attribute.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scalar<'a> {
    String(&'a str),
    Int(i64),
    Bool(bool),
    /// Versions are equal if they are written alike: semver 2.0 has one form.
    Version(&'a str),
}

impl<'a> Scalar<'a> {
    /// `None` if the attribute holds a list or a value of a future kind.
    pub(super) fn of(attribute: &'a DeviceAttribute) -> Option<Self> {
        if let Some(value) = &attribute.string {
            Some(Self::String(value))
        } else if let Some(value) = attribute.int {
            Some(Self::Int(value))
        } else if let Some(value) = attribute.bool {
            Some(Self::Bool(value))
        } else {
            attribute.version.as_deref().map(Self::Version)
        }
    }

    /// Whether the attribute holds this value, perhaps beside others.
    pub(super) fn is_in(&self, attribute: &DeviceAttribute) -> bool {
        match self {
            Self::String(value) => attribute.string.as_deref() == Some(value),
            Self::Int(value) => attribute.int == Some(*value),
            Self::Bool(value) => attribute.bool == Some(*value),
            Self::Version(value) => attribute.version.as_deref() == Some(value),
        }
    }
}

/// All values of an attribute; a scalar is a set of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueSet {
    Ints(BTreeSet<i64>),
    Bools(BTreeSet<bool>),
    Strings(BTreeSet<String>),
    Versions(BTreeSet<String>),
}

impl ValueSet {
    /// `None` if the attribute holds no value of a known kind. Lists come first.
    pub(super) fn of(attribute: &DeviceAttribute) -> Option<Self> {
        fn list<T: Clone + Ord>(values: Option<&Vec<T>>) -> Option<BTreeSet<T>> {
            let values = values.filter(|values| !values.is_empty())?;
            Some(values.iter().cloned().collect())
        }
        fn one<T: Clone + Ord>(value: Option<&T>) -> Option<BTreeSet<T>> {
            value.map(|value| BTreeSet::from([value.clone()]))
        }
        list(attribute.ints.as_ref())
            .map(Self::Ints)
            .or_else(|| list(attribute.bools.as_ref()).map(Self::Bools))
            .or_else(|| list(attribute.strings.as_ref()).map(Self::Strings))
            .or_else(|| list(attribute.versions.as_ref()).map(Self::Versions))
            .or_else(|| one(attribute.int.as_ref()).map(Self::Ints))
            .or_else(|| one(attribute.bool.as_ref()).map(Self::Bools))
            .or_else(|| one(attribute.string.as_ref()).map(Self::Strings))
            .or_else(|| one(attribute.version.as_ref()).map(Self::Versions))
    }

    /// The values in both; `None` if there are none or the kinds differ.
    pub(super) fn common(&self, other: &Self) -> Option<Self> {
        fn common<T: Clone + Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> Option<BTreeSet<T>> {
            let both: BTreeSet<T> = a.intersection(b).cloned().collect();
            (!both.is_empty()).then_some(both)
        }
        match (self, other) {
            (Self::Ints(a), Self::Ints(b)) => common(a, b).map(Self::Ints),
            (Self::Bools(a), Self::Bools(b)) => common(a, b).map(Self::Bools),
            (Self::Strings(a), Self::Strings(b)) => common(a, b).map(Self::Strings),
            (Self::Versions(a), Self::Versions(b)) => common(a, b).map(Self::Versions),
            _ => None,
        }
    }
}
