//! Texts with a rule. Source: `apimachinery/pkg/api/validate/strfmt.go`.

use crate::field::{FieldError, FieldPath};
use crate::limits;
use crate::names;
use crate::names::check;
use crate::validate::findings::{Findings, Level};

const CASELESS_RULE: &str = "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// A rule for a text.
pub(super) type Format = fn(&str, &FieldPath<'_>, Level, &mut Findings);

/// A DNS label.
pub(super) fn short_name(text: &str, path: &FieldPath<'_>, level: Level, out: &mut Findings) {
    let problems = names::validate_dns1123_label(text);
    invalid(text, problems, "format=k8s-short-name", path, level, out);
}

/// A DNS subdomain.
pub(super) fn long_name(text: &str, path: &FieldPath<'_>, level: Level, out: &mut Findings) {
    let problems = names::validate_dns1123_subdomain(text);
    invalid(text, problems, "format=k8s-long-name", path, level, out);
}

/// The name of a driver: a DNS subdomain in any case, of limited length.
pub(super) fn driver_name(text: &str, path: &FieldPath<'_>, level: Level, out: &mut Findings) {
    let mut problems = names::validate_dns1123_subdomain(&text.to_ascii_lowercase());
    for problem in &mut problems {
        if !problem.starts_with("must be no more than") {
            CASELESS_RULE.clone_into(problem);
        }
    }
    invalid(
        text,
        problems,
        "format=k8s-long-name-caseless",
        path,
        level,
        out,
    );
    let max = limits::DRIVER_NAME_MAX_LENGTH;
    if text.chars().count() > max {
        out.declared(
            level,
            "maxLength",
            FieldError::too_long_characters(path, max),
        );
    }
}

/// The key of a label.
pub(super) fn label_key(text: &str, path: &FieldPath<'_>, level: Level, out: &mut Findings) {
    let problems = names::validate_qualified_name(text);
    invalid(text, problems, "format=k8s-label-key", path, level, out);
}

/// A UUID in lower case.
pub(super) fn uuid(text: &str, path: &FieldPath<'_>, level: Level, out: &mut Findings) {
    let is_good = |(index, byte): (usize, u8)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
    };
    if text.len() != 36 || !text.bytes().enumerate().all(is_good) {
        let rule = vec!["must be a lowercase UUID in 8-4-4-4-12 format".to_owned()];
        invalid(text, rule, "format=k8s-uuid", path, level, out);
    }
}

/// The name of a pool.
pub(super) fn pool_name(text: &str, path: &FieldPath<'_>, level: Level, out: &mut Findings) {
    const ORIGIN: &str = "format=k8s-resource-pool-name";
    if text.len() > limits::POOL_NAME_MAX_LENGTH {
        let error = FieldError::too_long(path, limits::POOL_NAME_MAX_LENGTH);
        out.declared(level, ORIGIN, error);
    }
    for (index, part) in text.split('/').enumerate() {
        if part.is_empty() {
            let problem = vec![format!("segment {index}: must not be empty")];
            invalid(text, problem, ORIGIN, path, level, out);
            continue;
        }
        let problems = names::validate_dns1123_subdomain(part).into_iter();
        let problems = problems
            .map(|problem| format!("segment {index}: {problem}"))
            .collect();
        invalid(part, problems, ORIGIN, path, level, out);
    }
}

/// The name of an attribute with its domain.
pub(super) fn fully_qualified_name(
    text: &str,
    path: &FieldPath<'_>,
    level: Level,
    out: &mut Findings,
) {
    const ORIGIN: &str = "format=k8s-resource-fully-qualified-name";
    let mut add = |error| out.declared(level, ORIGIN, error);
    match text.split('/').collect::<Vec<_>>().as_slice() {
        [name] => check::c_identifier(name, path)
            .into_iter()
            .for_each(&mut add),
        [domain, name] => {
            if domain.is_empty() {
                add(FieldError::invalid(path, "", "prefix must not be empty"));
            } else {
                if domain.len() > limits::DEVICE_MAX_DOMAIN_LENGTH {
                    add(FieldError::too_long(path, limits::DEVICE_MAX_DOMAIN_LENGTH));
                }
                for problem in names::validate_dns1123_subdomain(domain) {
                    add(FieldError::invalid(
                        path,
                        *domain,
                        format!("prefix: {problem}"),
                    ));
                }
            }
            if name.is_empty() {
                add(FieldError::invalid(path, "", "name must not be empty"));
            } else {
                check::c_identifier(name, path)
                    .into_iter()
                    .for_each(&mut add);
            }
        }
        _ => {}
    }
    if !text.contains('/') {
        let rule = "a fully qualified name must be a domain and a name separated by a slash";
        add(FieldError::invalid(path, text, rule));
    }
}

/// A resource of a driver's own in pods.
pub(super) fn extended_resource_name(
    text: &str,
    path: &FieldPath<'_>,
    level: Level,
    out: &mut Findings,
) {
    let problems = extended_resource_problems(text);
    invalid(
        text,
        problems,
        "format=k8s-extended-resource-name",
        path,
        level,
        out,
    );
}

/// Whether a name is one of an extended resource.
pub(in crate::validate) fn is_extended_resource_name(text: &str) -> bool {
    extended_resource_problems(text).is_empty()
}

fn extended_resource_problems(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if !text.contains('/') {
        problems.push(
            "a name must be a domain-prefixed path, such as 'example.com/my-prop'".to_owned(),
        );
    } else if text.contains("kubernetes.io/") {
        problems.push(r#"must not have "kubernetes.io/" domain"#.to_owned());
    }
    if text.starts_with("requests.") {
        problems.push(r#"must not have "requests." prefix"#.to_owned());
    }
    problems.extend(names::validate_qualified_name(&format!("requests.{text}")));
    problems
}

fn invalid(
    text: &str,
    problems: Vec<String>,
    origin: &'static str,
    path: &FieldPath<'_>,
    level: Level,
    out: &mut Findings,
) {
    for problem in problems {
        out.declared(level, origin, FieldError::invalid(path, text, problem));
    }
}
