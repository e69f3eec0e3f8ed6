//! Attributes of a device.

use serde_json::Value;

use super::findings::Findings;
use super::items;
use super::shape;
use super::view;
use crate::Semver;
use crate::field::{BadValue, FieldError, FieldPath};
use crate::limits;
use crate::names::check;

const SCALARS: [&str; 4] = ["int", "bool", "string", "version"];
const LISTS: [&str; 4] = ["bools", "ints", "strings", "versions"];
const ONE_VALUE: &str = "exactly one value must be specified";

/// `attributes` of a device.
pub(super) fn attributes(device: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("attributes");
    let shown = limits::DEVICE_MAX_QUALIFIED_NAME_LENGTH;
    items::each_entry(
        device,
        "attributes",
        shown,
        &path,
        out,
        |key, value, at_key, out| {
            out.all(check::qualified_name(key, &path));
            attribute(value, at_key, out);
        },
    );
}

/// Whether an attribute of the device is a list.
pub(super) fn has_list_attributes(device: &Value) -> bool {
    let is_list = |attribute: &Value| {
        LISTS
            .iter()
            .any(|name| view::present(attribute, name).is_some())
    };
    view::part(device, "attributes")
        .as_object()
        .is_some_and(|map| map.values().any(is_list))
}

/// How many values the attributes have, where a list counts by its length.
pub(super) fn value_count(device: &Value) -> usize {
    let count = |attribute: &Value| {
        let values: usize = LISTS
            .iter()
            .map(|name| view::list(attribute, name).len())
            .sum();
        values.max(1)
    };
    view::part(device, "attributes")
        .as_object()
        .map_or(0, |map| map.values().map(count).sum())
}

fn attribute(attribute: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    if let Some(text) = view::optional_text(attribute, "string") {
        out.all(text_length(text, &path.child("string")));
    }
    if let Some(text) = view::optional_text(attribute, "version") {
        out.all(version(text, &path.child("version")));
    }
    for name in LISTS {
        let Some(list) = view::present(attribute, name) else {
            continue;
        };
        let path = path.child(name);
        if list.as_array().is_some_and(Vec::is_empty) {
            let shown = BadValue::Plain("[]".to_owned());
            out.add(FieldError::invalid(
                &path,
                shown,
                "must not be empty if specified",
            ));
        }
        for (index, text) in view::texts(attribute, name).enumerate() {
            match name {
                "strings" => out.all_covered("maxBytes", text_length(text, &path.index(index))),
                "versions" => out.all(version(text, &path.index(index))),
                _ => {}
            }
        }
    }
    let is_set = |name: &&&str| view::present(attribute, name).is_some();
    match SCALARS.iter().chain(&LISTS).filter(is_set).count() {
        0 => out.covered("union", FieldError::invalid(path, "", ONE_VALUE)),
        1 => {}
        _ => {
            let shown = shape::internal_json(&shape::DEVICE_ATTRIBUTE, attribute);
            out.covered("union", FieldError::invalid(path, shown, ONE_VALUE));
        }
    }
}

fn text_length(text: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    let max = limits::DEVICE_ATTRIBUTE_MAX_VALUE_LENGTH;
    if text.len() > max {
        vec![FieldError::too_long(path, max)]
    } else {
        Vec::new()
    }
}

fn version(text: &str, path: &FieldPath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if !is_semver(text) {
        let rule = "must be a string compatible with semver.org spec 2.0.0";
        errors.push(FieldError::invalid(path, text, rule));
    }
    errors.extend(text_length(text, path));
    errors
}

/// The pattern of Kubernetes, which has no limit for numbers.
fn is_semver(text: &str) -> bool {
    if Semver::parse(text).is_ok() {
        return true;
    }
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    let is_word = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_prerelease = |part: &str| {
        is_word(part) && (is_number(part) || !part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let (rest, build) = text
        .split_once('+')
        .map_or((text, None), |(rest, build)| (rest, Some(build)));
    let (core, prerelease) = rest
        .split_once('-')
        .map_or((rest, None), |(core, tail)| (core, Some(tail)));
    let parts: Vec<&str> = core.split('.').collect();
    parts.len() == 3
        && parts.into_iter().all(is_number)
        && prerelease.is_none_or(|tail| tail.split('.').all(is_prerelease))
        && build.is_none_or(|build| build.split('.').all(is_word))
}
