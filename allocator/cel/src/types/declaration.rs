//! The variable `device` and the names of types.

use super::Type;
use crate::Options;

/// Name of the type of the variable `device`.
const DEVICE: &str = "kubernetes.DRADevice";

/// A field of `device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceField {
    Driver,
    AllowMultipleAllocations,
    Attributes,
    Capacity,
}

impl DeviceField {
    /// The field with this name, whether it is declared or not.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "driver" => Self::Driver,
            "allowMultipleAllocations" => Self::AllowMultipleAllocations,
            "attributes" => Self::Attributes,
            "capacity" => Self::Capacity,
            _ => return None,
        })
    }
}

/// The type of a field of the object type `object`, when it has one.
pub(crate) fn device_field_type(object: &str, field: &str, options: &Options) -> Option<Type> {
    if object != DEVICE {
        return None;
    }
    let grouped = |value| Type::map(Type::String, Type::map(Type::String, value));
    Some(match DeviceField::named(field)? {
        DeviceField::Driver => Type::String,
        DeviceField::AllowMultipleAllocations if options.consumable_capacity => Type::Bool,
        DeviceField::AllowMultipleAllocations => return None,
        DeviceField::Attributes => grouped(attribute_type(options)),
        DeviceField::Capacity => grouped(Type::object("kubernetes.Quantity")),
    })
}

/// The type of an attribute: unknown in two ways, of which only the newer can be iterated.
pub(crate) fn attribute_type(options: &Options) -> Type {
    if options.list_type_attributes {
        Type::Dyn
    } else {
        Type::Any
    }
}

/// The type of a name that is not a local variable: `device`, or a type.
pub(crate) fn named_type(name: &str) -> Option<Type> {
    let name = name.strip_prefix('.').unwrap_or(name);
    if name == "device" {
        return Some(Type::object(DEVICE));
    }
    let param = |text: &str| Type::Param(text.into());
    let of = match name {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "null_type" => Type::Null,
        "google.protobuf.Duration" => Type::Duration,
        "google.protobuf.Timestamp" => Type::Timestamp,
        "list" => Type::list(param("A")),
        "map" => Type::map(param("A"), param("B")),
        "type" => return Some(Type::Type(Some(Type::Type(None).into()))),
        "optional_type" => Type::Opaque(name.into(), Some(param("T").into())),
        "net.IP" | "net.CIDR" => Type::Opaque(name.into(), None),
        "kubernetes.Quantity"
        | "kubernetes.Semver"
        | "kubernetes.URL"
        | DEVICE
        | "kubernetes.NamedFormat" => Type::object(name),
        _ => return None,
    };
    Some(Type::Type(Some(of.into())))
}
