//! How large the parts of a device can be (`sizeEstimator` in Kubernetes' `compile.go`).

use super::range::Range;

/// A step from one declared type to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A variable, or a field.
    Name(String),
    Items,
    Values,
    Keys,
    Indices,
}

/// A path from a variable; empty when an expression is no path.
pub(super) type Path = Vec<Step>;

/// The declared types below `device`, with the limits of `k8s.io/api/resource/v1`.
#[derive(Debug, Clone, Copy)]
enum Declared {
    Device,
    Driver,
    MultiAllocatable,
    Attributes,
    AttributeGroup,
    Attribute,
    Capacities,
    CapacityGroup,
    Quantity,
    Domain,
    Id,
}

impl Declared {
    fn max(self) -> u64 {
        match self {
            // Neither has a declared size.
            Self::Device | Self::Quantity => 0,
            Self::MultiAllocatable => 1,
            Self::Driver | Self::Domain => 63,
            Self::Id
            | Self::Attributes
            | Self::AttributeGroup
            | Self::Capacities
            | Self::CapacityGroup => 32,
            // A string has up to 64 characters, a list up to 48 values.
            Self::Attribute => 64,
        }
    }

    fn element(self) -> Option<Self> {
        Some(match self {
            Self::Attributes => Self::AttributeGroup,
            Self::AttributeGroup => Self::Attribute,
            Self::Capacities => Self::CapacityGroup,
            Self::CapacityGroup => Self::Quantity,
            _ => return None,
        })
    }

    fn key(self) -> Option<Self> {
        Some(match self {
            Self::Attributes | Self::Capacities => Self::Domain,
            Self::AttributeGroup | Self::CapacityGroup => Self::Id,
            _ => return None,
        })
    }

    fn field(self, name: Option<&str>) -> Option<Self> {
        match (self, name) {
            (Self::Device, Some("driver")) => Some(Self::Driver),
            (Self::Device, Some("allowMultipleAllocations")) => Some(Self::MultiAllocatable),
            (Self::Device, Some("attributes")) => Some(Self::Attributes),
            (Self::Device, Some("capacity")) => Some(Self::Capacities),
            // All attributes have the same limit, whatever their name.
            (Self::AttributeGroup, _) => Some(Self::Attribute),
            _ => None,
        }
    }
}

/// The size of what a path leads to.
pub(super) fn declared_size(path: &[Step]) -> Option<Range> {
    let (first, rest) = path.split_first()?;
    if *first != Step::Name("device".to_owned()) {
        return None;
    }
    let mut at = Declared::Device;
    for step in rest {
        at = match step {
            Step::Items | Step::Values => at.element()?,
            Step::Keys => at.key()?,
            Step::Indices => at.field(None)?,
            Step::Name(name) => at.field(Some(name))?,
        };
    }
    Some(Range {
        min: 0,
        max: at.max(),
    })
}
