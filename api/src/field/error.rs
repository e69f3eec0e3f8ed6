//! What is wrong with a field.

use std::fmt;

use serde::Serialize;

use super::{FieldPath, go_quote};

/// Go's `field.ErrorType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// A reference leads nowhere.
    NotFound,
    /// A value is missing.
    Required,
    /// A value must be unique and is not.
    Duplicate,
    /// A value breaks a rule.
    Invalid,
    /// A value is none of an enumeration.
    NotSupported,
    /// A value must not be set here, or not by this user.
    Forbidden,
    /// A text has too many bytes.
    TooLong,
    /// A text has too few characters.
    TooShort,
    /// A list or map has too many entries.
    TooMany,
    /// A list or map has too few entries.
    TooFew,
    /// The validation itself failed.
    InternalError,
    /// A value has the wrong type.
    TypeInvalid,
}

impl ErrorKind {
    /// The machine-readable name, as in `status.details.causes[].reason`.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooShort => "FieldValueTooShort",
            Self::TooMany => "FieldValueTooMany",
            Self::TooFew => "FieldValueTooFew",
            Self::InternalError => "InternalError",
            Self::TypeInvalid => "FieldValueTypeInvalid",
        }
    }

    const fn shows_value(self) -> bool {
        match self {
            Self::Required
            | Self::Forbidden
            | Self::TooLong
            | Self::TooShort
            | Self::InternalError => false,
            Self::NotFound
            | Self::Duplicate
            | Self::Invalid
            | Self::NotSupported
            | Self::TooMany
            | Self::TooFew
            | Self::TypeInvalid => true,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooShort => "Too short",
            Self::TooMany => "Too many",
            Self::TooFew => "Too few",
            Self::InternalError => "Internal error",
        })
    }
}

/// The value that an error shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadValue {
    /// Not shown.
    Omitted,
    /// A text, shown quoted.
    Text(String),
    /// Anything else, shown as it is here: a number, `true`, JSON.
    Plain(String),
}

impl BadValue {
    /// Any value, shown as Go's JSON, or not at all if it cannot be serialised.
    ///
    /// Fields of a k8s-openapi type come in alphabetical order, in Go in the
    /// order of the declaration.
    pub fn json(value: &impl Serialize) -> Self {
        let Ok(json) = serde_json::to_string(value) else {
            return Self::Omitted;
        };
        // Go escapes these, wherever they stand; they can only stand in strings.
        Self::Plain(
            json.replace('<', "\\u003c")
                .replace('>', "\\u003e")
                .replace('&', "\\u0026"),
        )
    }
}

impl From<&str> for BadValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for BadValue {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<i64> for BadValue {
    fn from(number: i64) -> Self {
        Self::Plain(number.to_string())
    }
}

impl From<i32> for BadValue {
    fn from(number: i32) -> Self {
        Self::Plain(number.to_string())
    }
}

impl From<usize> for BadValue {
    fn from(number: usize) -> Self {
        Self::Plain(number.to_string())
    }
}

impl From<bool> for BadValue {
    fn from(value: bool) -> Self {
        Self::Plain(value.to_string())
    }
}

/// One problem in one field; displays as Go's `field.Error`:
/// `spec.devices.requests[0].name: Required value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// What kind of problem.
    pub kind: ErrorKind,
    /// Path of the field, as [`FieldPath`] displays.
    pub field: String,
    /// The offending value.
    pub value: BadValue,
    /// What the rule is; may be empty.
    pub detail: String,
}

impl FieldError {
    fn new(
        kind: ErrorKind,
        path: &FieldPath<'_>,
        value: BadValue,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            field: path.to_string(),
            value,
            detail: detail.into(),
        }
    }

    /// A value is missing.
    pub fn required(path: &FieldPath<'_>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Required, path, BadValue::Omitted, detail)
    }

    /// A value breaks a rule.
    pub fn invalid(
        path: &FieldPath<'_>,
        value: impl Into<BadValue>,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Invalid, path, value.into(), detail)
    }

    /// A value has the wrong type.
    pub fn type_invalid(
        path: &FieldPath<'_>,
        value: impl Into<BadValue>,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::TypeInvalid, path, value.into(), detail)
    }

    /// A value is none of `supported`, which are shown in the given order.
    pub fn not_supported(
        path: &FieldPath<'_>,
        value: impl Into<BadValue>,
        supported: &[&str],
    ) -> Self {
        let quoted: Vec<String> = supported.iter().map(|value| go_quote(value)).collect();
        let detail = if quoted.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", quoted.join(", "))
        };
        Self::new(ErrorKind::NotSupported, path, value.into(), detail)
    }

    /// A value must not be set here, or not by this user.
    pub fn forbidden(path: &FieldPath<'_>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, path, BadValue::Omitted, detail)
    }

    /// A reference leads nowhere.
    pub fn not_found(path: &FieldPath<'_>, value: impl Into<BadValue>) -> Self {
        Self::new(ErrorKind::NotFound, path, value.into(), "")
    }

    /// A value must be unique and is not.
    pub fn duplicate(path: &FieldPath<'_>, value: impl Into<BadValue>) -> Self {
        Self::new(ErrorKind::Duplicate, path, value.into(), "")
    }

    /// A text is longer than `max` bytes.
    pub fn too_long(path: &FieldPath<'_>, max: usize) -> Self {
        let detail = format!("may not be more than {max} {}", plural(max, "byte"));
        Self::new(ErrorKind::TooLong, path, BadValue::Omitted, detail)
    }

    /// A text is longer than `max` characters.
    pub fn too_long_characters(path: &FieldPath<'_>, max: usize) -> Self {
        let detail = format!("may not be more than {max} {}", plural(max, "character"));
        Self::new(ErrorKind::TooLong, path, BadValue::Omitted, detail)
    }

    /// A text is shorter than `min` characters.
    pub fn too_short(path: &FieldPath<'_>, min: usize) -> Self {
        let detail = format!("must be at least {min} {}", plural(min, "character"));
        Self::new(ErrorKind::TooShort, path, BadValue::Omitted, detail)
    }

    /// A list or map has `actual` entries (`None`: not said) and may have `max`.
    pub fn too_many(path: &FieldPath<'_>, actual: Option<usize>, max: usize) -> Self {
        let detail = format!("must have at most {max} {}", plural(max, "item"));
        let value = actual.map_or(BadValue::Omitted, BadValue::from);
        Self::new(ErrorKind::TooMany, path, value, detail)
    }

    /// A list or map has `actual` entries and must have `min`.
    pub fn too_few(path: &FieldPath<'_>, actual: usize, min: usize) -> Self {
        let detail = format!("must have at least {min} {}", plural(min, "item"));
        Self::new(ErrorKind::TooFew, path, actual.into(), detail)
    }

    /// The validation itself failed.
    pub fn internal(path: &FieldPath<'_>, error: &impl fmt::Display) -> Self {
        Self::new(
            ErrorKind::InternalError,
            path,
            BadValue::Omitted,
            error.to_string(),
        )
    }

    /// Go's `ErrorBody`: the text without the path, as in
    /// `status.details.causes[].message`.
    pub fn body(&self) -> String {
        let mut body = self.kind.to_string();
        let value = match &self.value {
            _ if !self.kind.shows_value() => None,
            BadValue::Omitted => None,
            BadValue::Text(text) => Some(go_quote(text)),
            BadValue::Plain(text) => Some(text.clone()),
        };
        let detail = Some(&self.detail).filter(|detail| !detail.is_empty());
        for part in value.iter().chain(detail) {
            body.push_str(": ");
            body.push_str(part);
        }
        body
    }
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 {
        word.to_owned()
    } else {
        format!("{word}s")
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field, self.body())
    }
}

impl std::error::Error for FieldError {}
