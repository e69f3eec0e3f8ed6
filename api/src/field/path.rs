//! Where in an object an error is.

use std::fmt;

/// A path such as `spec.devices[0].attributes[example.com/model]`.
///
/// Each part borrows the one before it, so that walking a valid object
/// allocates nothing:
///
/// ```
/// use drakit_api::field::FieldPath;
///
/// let spec = FieldPath::new("spec");
/// let devices = spec.child("devices");
/// assert_eq!(devices.index(0).child("name").to_string(), "spec.devices[0].name");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FieldPath<'a> {
    parent: Option<&'a FieldPath<'a>>,
    element: Element<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Element<'a> {
    Name(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> FieldPath<'a> {
    /// A path of one field, or of several that are joined by dots already.
    pub const fn new(name: &'a str) -> Self {
        Self {
            parent: None,
            element: Element::Name(name),
        }
    }

    /// The field `name` in this.
    pub const fn child<'b>(&'b self, name: &'b str) -> FieldPath<'b> {
        self.with(Element::Name(name))
    }

    /// An item of this list.
    pub const fn index(&self, index: usize) -> FieldPath<'_> {
        self.with(Element::Index(index))
    }

    /// An entry of this map.
    pub const fn key<'b>(&'b self, key: &'b str) -> FieldPath<'b> {
        self.with(Element::Key(key))
    }

    const fn with<'b>(&'b self, element: Element<'b>) -> FieldPath<'b> {
        FieldPath {
            parent: Some(self),
            element,
        }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(formatter)?;
        }
        match (self.element, self.parent) {
            (Element::Name(name), None) => formatter.write_str(name),
            (Element::Name(name), Some(_)) => write!(formatter, ".{name}"),
            (Element::Index(index), _) => write!(formatter, "[{index}]"),
            (Element::Key(key), _) => write!(formatter, "[{key}]"),
        }
    }
}
