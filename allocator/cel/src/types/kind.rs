//! What a type is and how it is written in messages.

use std::fmt;
use std::sync::Arc;

/// A CEL type. Cheap to clone.
#[expect(
    clippy::enum_variant_names,
    reason = "CEL calls the type of types type"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    /// Of an expression with a problem that is already reported.
    Error,
    Dyn,
    Any,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    /// The type of a type.
    Type(Option<Arc<Type>>),
    List(Arc<Type>),
    Map(Arc<(Type, Type)>),
    /// A type that is only known by name; `optional_type` has a parameter.
    Opaque(Arc<str>, Option<Arc<Type>>),
    /// An object type.
    Object(Arc<str>),
    /// A type parameter of a declaration.
    Param(Arc<str>),
    /// A type that is still to be found out.
    Var(u32),
}

/// Name of the type of optional values.
const OPTIONAL: &str = "optional_type";

impl Type {
    pub(crate) fn list(element: Type) -> Self {
        Self::List(Arc::new(element))
    }

    pub(crate) fn map(key: Type, value: Type) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    pub(crate) fn optional(value: Type) -> Self {
        Self::Opaque(OPTIONAL.into(), Some(Arc::new(value)))
    }

    pub(crate) fn object(name: &str) -> Self {
        Self::Object(name.into())
    }

    pub(crate) fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    pub(crate) fn is_dyn_or_error(&self) -> bool {
        self.is_dyn() || *self == Self::Error
    }

    /// The type within an optional type.
    pub(crate) fn unwrap_optional(&self) -> Option<&Type> {
        match self {
            Self::Opaque(name, Some(value)) if &**name == OPTIONAL => Some(value),
            _ => None,
        }
    }

    /// Reads a type as messages write it. `None` when it is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some((name, rest)) = text.split_once('(') {
            let inner = rest.strip_suffix(')')?;
            return match name {
                "list" => Some(Self::list(Self::parse(inner)?)),
                "map" => {
                    let (key, value) = inner.split_once(", ")?;
                    Some(Self::map(Self::parse(key)?, Self::parse(value)?))
                }
                "type" => Some(Self::Type(Some(Arc::new(Self::parse(inner)?)))),
                _ => Some(Self::Opaque(
                    name.into(),
                    Some(Arc::new(Self::parse(inner)?)),
                )),
            };
        }
        Some(match text {
            "dyn" => Self::Dyn,
            "any" => Self::Any,
            "null" => Self::Null,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "double" => Self::Double,
            "string" => Self::String,
            "bytes" => Self::Bytes,
            "duration" => Self::Duration,
            "timestamp" => Self::Timestamp,
            "net.IP" | "net.CIDR" => Self::Opaque(text.into(), None),
            _ if text.len() == 1 => Self::Param(text.into()),
            _ => Self::Object(text.into()),
        })
    }

    /// The name as the result type of an expression is reported, where well-known types have
    /// their long names (`Type.String` in cel-go `common/types/types.go`).
    pub(crate) fn result_name(&self) -> String {
        match self {
            Self::Any => "google.protobuf.Any".to_owned(),
            Self::Duration => "google.protobuf.Duration".to_owned(),
            Self::Timestamp => "google.protobuf.Timestamp".to_owned(),
            Self::Null => "null_type".to_owned(),
            Self::List(element) => format!("list({})", element.result_name()),
            Self::Map(pair) => {
                format!("map({}, {})", pair.0.result_name(), pair.1.result_name())
            }
            Self::Type(Some(inner)) => format!("type({})", inner.result_name()),
            Self::Opaque(name, Some(inner)) => format!("{name}({})", inner.result_name()),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error => f.write_str("!error!"),
            Self::Dyn => f.write_str("dyn"),
            Self::Any => f.write_str("any"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Duration => f.write_str("duration"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Type(None) => f.write_str("type"),
            Self::Type(Some(inner)) => write!(f, "type({inner})"),
            Self::List(element) => write!(f, "list({element})"),
            Self::Map(pair) => write!(f, "map({}, {})", pair.0, pair.1),
            Self::Opaque(name, None) | Self::Object(name) | Self::Param(name) => f.write_str(name),
            Self::Opaque(name, Some(inner)) => write!(f, "{name}({inner})"),
            Self::Var(number) => write!(f, "_var{number}"),
        }
    }
}
