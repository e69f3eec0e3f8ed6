//! Values during an evaluation. They borrow from the device and from the program where they can.

mod compare;
mod list;
mod map;
mod text;

use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

pub(crate) use compare::{compare, equal};
pub(crate) use list::List;
pub(crate) use map::Map;
pub(crate) use text::Text;

use crate::device::AttributeValue;
use crate::library::{Cidr, NamedFormat, Timestamp, Url};
use drakit_api::{Quantity, Semver};

/// A CEL value.
#[derive(Debug, Clone)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Text<'a>),
    Bytes(Arc<[u8]>),
    List(List<'a>),
    Map(Map<'a>),
    Optional(Option<Arc<Value<'a>>>),
    Quantity(Held<'a, Quantity>),
    Semver(Held<'a, Semver>),
    Ip(IpAddr),
    Cidr(Cidr),
    Url(Arc<Url>),
    Format(&'static NamedFormat),
    /// Nanoseconds.
    Duration(i64),
    Timestamp(Timestamp),
    /// The name of a type.
    Type(Arc<str>),
}

/// Something borrowed or shared.
#[derive(Debug)]
pub(crate) enum Held<'a, T> {
    Borrowed(&'a T),
    Shared(Arc<T>),
    /// The result of a computation. cel-go has a pointer here, which its equality does not accept
    /// as the second operand.
    Computed(Arc<T>),
}

impl<T> Clone for Held<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Borrowed(value) => Self::Borrowed(value),
            Self::Shared(value) => Self::Shared(Arc::clone(value)),
            Self::Computed(value) => Self::Computed(Arc::clone(value)),
        }
    }
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(value) => value,
            Self::Shared(value) | Self::Computed(value) => value,
        }
    }
}

impl<'a> Value<'a> {
    pub(crate) fn text(text: &'a str) -> Self {
        Self::String(Text::Borrowed(text))
    }

    pub(crate) fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(Text::Shared(text.into()))
    }

    pub(crate) fn list(values: Vec<Value<'a>>) -> Self {
        Self::List(List::Values(Arc::new(values)))
    }

    pub(crate) fn some(value: Value<'a>) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    pub(crate) fn quantity(quantity: Quantity) -> Self {
        Self::Quantity(Held::Shared(Arc::new(quantity)))
    }

    pub(crate) fn semver(version: Semver) -> Self {
        Self::Semver(Held::Shared(Arc::new(version)))
    }

    pub(crate) fn attribute(value: &'a AttributeValue) -> Self {
        match value {
            AttributeValue::Bool(value) => Self::Bool(*value),
            AttributeValue::Int(value) => Self::Int(*value),
            AttributeValue::String(value) => Self::text(value),
            AttributeValue::Version(value) => Self::Semver(Held::Borrowed(value)),
            AttributeValue::Bools(values) => Self::List(List::Bools(values)),
            AttributeValue::Ints(values) => Self::List(List::Ints(values)),
            AttributeValue::Strings(values) => Self::List(List::Strings(values)),
            AttributeValue::Versions(values) => Self::List(List::Versions(values)),
        }
    }

    /// The value without sharing: whatever is shared is borrowed from `self` instead.
    pub(crate) fn borrowed(&'a self) -> Value<'a> {
        match self {
            Self::String(text) => Self::String(Text::Borrowed(text)),
            Self::Quantity(Held::Shared(quantity)) => Self::Quantity(Held::Borrowed(quantity)),
            Self::Semver(version) => Self::Semver(Held::Borrowed(version)),
            Self::List(List::Values(values)) => Self::List(List::Slice(values)),
            other => other.clone(),
        }
    }

    /// The name of the type at run time.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
        }
    }

    /// What `size()` gives, for the types that have it.
    pub(crate) fn size(&self) -> Option<u64> {
        let count = match self {
            Self::String(text) => text.char_count(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(list) => list.len(),
            Self::Map(map) => map.len(),
            _ => return None,
        };
        Some(count as u64)
    }
}
