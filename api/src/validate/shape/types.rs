//! What a Go type is made of.

/// A Go type.
pub(in crate::validate) enum Shape {
    Text,
    Int,
    Bool,
    /// `resource.Quantity`: equal by amount.
    Quantity,
    /// `runtime.RawExtension`: any JSON.
    Raw,
    List(&'static Shape),
    Map(&'static Shape),
    Struct(&'static [Field]),
}

/// A field of a Go struct.
pub(in crate::validate) struct Field {
    /// Name in JSON.
    pub(super) wire: &'static str,
    /// Name in the internal type, which has no JSON tags.
    pub(super) go: &'static str,
    pub(super) shape: &'static Shape,
    /// Unset differs from zero.
    pub(super) pointer: bool,
    /// Shown in JSON even if empty.
    pub(super) always: bool,
    /// The internal type has the JSON tag too.
    pub(super) tagged: bool,
}

impl Field {
    /// A field that JSON omits if it is empty.
    pub(super) const fn new(wire: &'static str, go: &'static str, shape: &'static Shape) -> Self {
        Self {
            wire,
            go,
            shape,
            pointer: false,
            always: false,
            tagged: false,
        }
    }

    /// A field that JSON always has.
    pub(super) const fn always(
        wire: &'static str,
        go: &'static str,
        shape: &'static Shape,
    ) -> Self {
        Self {
            always: true,
            ..Self::new(wire, go, shape)
        }
    }

    /// A field of a type that is the same inside and outside of the API server.
    pub(super) const fn tagged(wire: &'static str, shape: &'static Shape) -> Self {
        Self {
            tagged: true,
            ..Self::new(wire, wire, shape)
        }
    }

    /// As [`Self::tagged`], always in JSON.
    pub(super) const fn tagged_always(wire: &'static str, shape: &'static Shape) -> Self {
        Self {
            always: true,
            ..Self::tagged(wire, shape)
        }
    }

    /// The field is a pointer.
    pub(super) const fn pointer(self) -> Self {
        Self {
            pointer: true,
            ..self
        }
    }
}

pub(super) static TEXT: Shape = Shape::Text;
pub(super) static INT: Shape = Shape::Int;
pub(super) static BOOL: Shape = Shape::Bool;
pub(super) static QUANTITY: Shape = Shape::Quantity;
pub(super) static RAW: Shape = Shape::Raw;
