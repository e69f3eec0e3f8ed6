//! Field selectors, with the grammar and the words of apimachinery `pkg/fields`.

use serde_json::Value;

use super::{SelectorError, fields};
use crate::ResourceType;

/// A parsed field selector; the empty one matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Term {
    field: String,
    equal: bool,
    value: String,
}

impl FieldSelector {
    /// Parses the `fieldSelector` query parameter for a resource.
    ///
    /// # Errors
    /// In the words of Kubernetes, also for fields that this resource cannot be selected by.
    pub fn parse(resource: &ResourceType, text: &str) -> Result<Self, SelectorError> {
        let mut parts = split_terms(text);
        parts.sort_unstable();
        let mut terms = Vec::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let (field, equal, value) = split_term(part).ok_or_else(|| {
                SelectorError::new(format!(
                    "invalid selector: '{text}'; can't understand '{part}'"
                ))
            })?;
            let value = unescape(value).map_err(SelectorError::new)?;
            if field.is_empty() && value.is_empty() {
                continue;
            }
            fields::check(resource, field).map_err(SelectorError::new)?;
            terms.push(Term {
                field: field.to_owned(),
                equal,
                value,
            });
        }
        Ok(Self { terms })
    }

    /// Whether every object matches.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether an object of the selector's resource matches.
    pub fn matches(&self, object: &Value) -> bool {
        self.terms
            .iter()
            .all(|term| (fields::value(object, &term.field) == term.value) == term.equal)
    }

    /// The value that a field must have: the name in `metadata.name=x`, for a look-up instead of a scan.
    pub fn required(&self, field: &str) -> Option<&str> {
        let term = self
            .terms
            .iter()
            .find(|term| term.equal && term.field == field)?;
        Some(&term.value)
    }
}

/// Splits at commas that no backslash escapes.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, next) in text.char_indices() {
        match next {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

/// Field, whether equal or not, value.
fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    term.char_indices().find_map(|(at, _)| {
        let (field, rest) = term.split_at(at);
        let operators = [("!=", false), ("==", true), ("=", true)];
        operators
            .iter()
            .find_map(|(operator, equal)| Some((field, *equal, rest.strip_prefix(operator)?)))
    })
}

fn unescape(value: &str) -> Result<String, String> {
    let mut found = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(next) = rest.next() {
        match next {
            '\\' => match rest.next() {
                Some(escaped @ ('\\' | ',' | '=')) => found.push(escaped),
                Some(other) => {
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    ));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_owned());
                }
            },
            ',' | '=' => {
                // Go prints the number of the rune.
                return Err(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(next)
                ));
            }
            plain => found.push(plain),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::FieldSelector;
    use crate::Schemas;

    fn parse(group: &str, plural: &str, text: &str) -> Result<FieldSelector, String> {
        let schemas = Schemas::load().map_err(|error| error.to_string())?;
        let resource = schemas
            .resource(group, "v1", plural)
            .ok_or("no such resource")?;
        FieldSelector::parse(resource, text).map_err(|error| error.to_string())
    }

    #[test]
    fn pods_are_selected_by_node_phase_and_flags() {
        let pod = json!({
            "metadata": { "name": "p", "namespace": "d" },
            "spec": { "nodeName": "n" },
            "status": { "phase": "Running", "podIPs": [{ "ip": "10.0.0.1" }] },
        });
        for (selector, expected) in [
            ("", true),
            ("spec.nodeName=n", true),
            ("spec.nodeName!=n", false),
            ("status.phase==Running,metadata.namespace=d", true),
            ("spec.hostNetwork=false", true),
            ("status.podIP=10.0.0.1", true),
            ("spec.schedulerName=", true),
        ] {
            let parsed = parse("", "pods", selector);
            assert_eq!(
                parsed.map(|parsed| parsed.matches(&pod)),
                Ok(expected),
                "{selector}"
            );
        }
        assert_eq!(
            parse("", "pods", "metadata.name=p")
                .map(|parsed| parsed.required("metadata.name") == Some("p")),
            Ok(true)
        );
    }

    #[test]
    fn refused_selectors_have_the_words_of_kubernetes() {
        for (group, plural, selector, expected) in [
            (
                "",
                "pods",
                "spec.foo=1",
                "field label not supported: spec.foo",
            ),
            (
                "",
                "configmaps",
                "data.a=1",
                "\"data.a\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            ),
            (
                "resource.k8s.io",
                "resourceslices",
                "spec.pool=x",
                "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool",
            ),
            (
                "",
                "pods",
                "metadata.name",
                "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
            ),
            (
                "",
                "pods",
                "metadata.name=a=b",
                "invalid field selector: unescaped character in value: 61",
            ),
            (
                "",
                "pods",
                r"metadata.name=a\b",
                r"invalid field selector: invalid escape sequence: \b",
            ),
        ] {
            assert_eq!(
                parse(group, plural, selector),
                Err(expected.to_owned()),
                "{selector}"
            );
        }
    }
}
