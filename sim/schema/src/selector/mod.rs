//! The `labelSelector` and `fieldSelector` query parameters:
//! * `tokens`, `label`: label selectors (apimachinery `pkg/labels`);
//! * `field`: field selectors (apimachinery `pkg/fields`);
//! * `fields`: which fields of which kind can be selected (`AddFieldLabelConversionFunc`).

mod field;
mod fields;
mod label;
mod tokens;

pub use field::FieldSelector;
pub use label::LabelSelector;

/// Why a selector was refused; the text is the message of a `BadRequest` Status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SelectorError(String);

impl SelectorError {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}
