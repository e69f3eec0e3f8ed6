//! Rules that many fields share.

use drakit_api::{FieldError, FieldPath, names};
use serde_json::Value;

pub(super) type Errors = Vec<FieldError>;

/// A text; empty when absent.
pub(super) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_default()
}

/// A list; empty when absent.
pub(super) fn list<'a>(object: &'a Value, field: &str) -> &'a [Value] {
    object[field].as_array().map_or(&[], Vec::as_slice)
}

/// A name that must be there and be a DNS label.
pub(super) fn required_label(object: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("name");
    match text(object, "name") {
        "" => errors.push(FieldError::required(&path, "")),
        name => named(name, names::validate_dns1123_label, &path, errors),
    }
}

/// A text by a rule about names.
pub(super) fn named(
    name: &str,
    rule: fn(&str) -> Vec<String>,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    errors.extend(
        rule(name)
            .into_iter()
            .map(|problem| FieldError::invalid(path, name, problem)),
    );
}

/// A text that may be absent, by a rule about names.
pub(super) fn optional_name(
    object: &Value,
    field: &str,
    rule: fn(&str) -> Vec<String>,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    let name = text(object, field);
    if !name.is_empty() {
        named(name, rule, &path.child(field), errors);
    }
}

/// One of a few texts; required when `required`.
pub(super) fn one_of(
    value: &str,
    supported: &[&str],
    required: bool,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    match value {
        "" if required => errors.push(FieldError::required(path, "")),
        "" => {}
        value if supported.contains(&value) => {}
        value => errors.push(FieldError::not_supported(path, value, supported)),
    }
}

/// A number that may be absent and may not be negative.
pub(super) fn not_negative(object: &Value, field: &str, path: &FieldPath<'_>, errors: &mut Errors) {
    if let Some(number) = object[field].as_i64().filter(|number| *number < 0) {
        errors.push(FieldError::invalid(
            &path.child(field),
            number,
            "must be greater than or equal to 0",
        ));
    }
}

/// A field that a change must leave as it is.
pub(super) fn immutable(
    new: &Value,
    old: &Value,
    field: &str,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    if new[field] != old[field] {
        let value = drakit_api::field::BadValue::json(&new[field]);
        errors.push(FieldError::invalid(
            &path.child(field),
            value,
            "field is immutable",
        ));
    }
}
