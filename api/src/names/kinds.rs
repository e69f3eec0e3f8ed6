//! The kinds of names that Kubernetes has. Every function returns Kubernetes'
//! own explanations; a good name has none. Lengths are in bytes.
//!
//! Source: `k8s.io/apimachinery/pkg/api/validate/content`, v0.37.2.

use super::check;
use crate::field::{FieldError, FieldPath};
use crate::limits;

const LABEL_FORMAT: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const LABEL_RULE: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_FORMAT: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const C_IDENTIFIER_FORMAT: &str = "[A-Za-z_][A-Za-z0-9_]*";
const C_IDENTIFIER_RULE: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
const KEY_FORMAT: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const KEY_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_FORMAT: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const LABEL_VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

fn rule(rule: &str, format: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|name| format!("'{name}', ")).collect();
    let examples = examples.join(" or ");
    format!("{rule} (e.g. {examples}regex used for validation is '{format}')")
}

fn too_long(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

fn is_label(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.bytes().all(is_inner) && !name.starts_with('-') && !name.ends_with('-')
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(is_label)
}

fn is_key(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_end = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    name.bytes().all(is_inner) && is_end(name.bytes().next()) && is_end(name.bytes().last())
}

/// A DNS label: names of devices, requests, counters.
pub fn validate_dns1123_label(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if name.len() > limits::DNS1123_LABEL_MAX_LENGTH {
        problems.push(too_long(limits::DNS1123_LABEL_MAX_LENGTH));
    }
    if !is_label(name) {
        problems.push(if is_subdomain(name) {
            "must not contain dots".to_owned()
        } else {
            rule(LABEL_RULE, LABEL_FORMAT, &["my-name", "123-abc"])
        });
    }
    problems
}

/// A DNS subdomain: names of most objects.
pub fn validate_dns1123_subdomain(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if name.len() > limits::DNS1123_SUBDOMAIN_MAX_LENGTH {
        problems.push(too_long(limits::DNS1123_SUBDOMAIN_MAX_LENGTH));
    }
    if !is_subdomain(name) {
        problems.push(rule(SUBDOMAIN_RULE, SUBDOMAIN_FORMAT, &["example.com"]));
    }
    problems
}

/// A DNS label in an object of the API, where hand-written validation counts
/// "characters": `k8s.io/apimachinery/pkg/util/validation.IsDNS1123Label`.
pub fn validate_label_name(name: &str) -> Vec<String> {
    in_characters(validate_dns1123_label(name))
}

/// A DNS subdomain in an object of the API, as [`validate_label_name`].
pub fn validate_subdomain_name(name: &str) -> Vec<String> {
    in_characters(validate_dns1123_subdomain(name))
}

fn in_characters(mut problems: Vec<String>) -> Vec<String> {
    for problem in &mut problems {
        if let Some(length) = problem.strip_suffix(" bytes") {
            *problem = format!("{length} characters");
        }
    }
    problems
}

/// An identifier of C, of any length.
pub fn validate_c_identifier(name: &str) -> Vec<String> {
    let first = name.bytes().next();
    let good = first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if good {
        return Vec::new();
    }
    let examples = ["my_name", "MY_NAME", "MyName"];
    vec![rule(C_IDENTIFIER_RULE, C_IDENTIFIER_FORMAT, &examples)]
}

/// A name with an optional domain: keys of labels and annotations. Names of
/// device attributes have another rule, [`validate_device_attribute_name`].
pub fn validate_qualified_name(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let explain = || rule(KEY_RULE, KEY_FORMAT, &["MyName", "my.name", "123-abc"]);
    let name = match name.split('/').collect::<Vec<_>>().as_slice() {
        [name] => *name,
        ["", name] => {
            problems.push("prefix part must be non-empty".to_owned());
            *name
        }
        [prefix, name] => {
            let explained = validate_dns1123_subdomain(prefix).into_iter();
            problems.extend(explained.map(|problem| format!("prefix part {problem}")));
            *name
        }
        _ => {
            return vec![format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                explain()
            )];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > limits::LABEL_KEY_MAX_LENGTH {
        problems.push(format!(
            "name part {}",
            too_long(limits::LABEL_KEY_MAX_LENGTH)
        ));
    }
    if !is_key(name) {
        problems.push(format!("name part {}", explain()));
    }
    problems
}

/// The value of a label.
pub fn validate_label_value(value: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if value.len() > limits::LABEL_VALUE_MAX_LENGTH {
        problems.push(too_long(limits::LABEL_VALUE_MAX_LENGTH));
    }
    if !value.is_empty() && !is_key(value) {
        let examples = ["MyValue", "my_value", "12345"];
        problems.push(rule(LABEL_VALUE_RULE, LABEL_VALUE_FORMAT, &examples));
    }
    problems
}

/// The name of a node.
pub fn validate_node_name(name: &str) -> Vec<String> {
    validate_subdomain_name(name)
}

/// The name of a DRA driver, texts as [`check::driver_name`] without the path.
pub fn validate_driver_name(name: &str) -> Vec<String> {
    bodies(&check::driver_name(name, &FieldPath::new("")))
}

/// The name of a pool, texts as [`check::pool_name`] without the path.
pub fn validate_pool_name(name: &str) -> Vec<String> {
    bodies(&check::pool_name(name, &FieldPath::new("")))
}

/// The name of a device, texts as [`check::device_name`] without the path.
pub fn validate_device_name(name: &str) -> Vec<String> {
    bodies(&check::device_name(name, &FieldPath::new("")))
}

/// The name of an attribute or a capacity, texts as
/// [`check::qualified_name`] without the path.
pub fn validate_device_attribute_name(name: &str) -> Vec<String> {
    bodies(&check::qualified_name(name, &FieldPath::new("")))
}

fn bodies(errors: &[FieldError]) -> Vec<String> {
    errors.iter().map(FieldError::body).collect()
}
