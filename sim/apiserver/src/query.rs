//! Options in the query of a URL (`metav1.ListOptions`, `CreateOptions`, …).

use std::collections::BTreeMap;

use drakit_api::{FieldError, FieldPath};
use drakit_sim_schema::FieldValidation;

use crate::failure::Failure;
use crate::text::percent_decode;

/// The query of one request.
#[derive(Debug, Default)]
pub(crate) struct Query {
    values: BTreeMap<String, Vec<String>>,
}

impl Query {
    /// Reads `a=b&c`.
    pub(crate) fn parse(text: &str) -> Self {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for pair in text.split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode(value, true).into_owned();
            values
                .entry(percent_decode(key, true).into_owned())
                .or_default()
                .push(value);
        }
        Self { values }
    }

    /// The first value of a key, unless empty.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.values
            .get(key)?
            .first()
            .map(String::as_str)
            .filter(|v| !v.is_empty())
    }

    /// A boolean as Kubernetes reads it: present and not `false` or `0`.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        let value = self.values.get(key)?.first()?;
        Some(!matches!(
            value.to_ascii_lowercase().as_str(),
            "false" | "0"
        ))
    }

    /// A number.
    pub(crate) fn number(&self, key: &str) -> Result<Option<i64>, Failure> {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|_| {
            Failure::bad_request(format!(
                "strconv.ParseInt: parsing {text:?}: invalid syntax"
            ))
        })
    }

    /// `dryRun=All`.
    pub(crate) fn dry_run(&self, options_kind: &str) -> Result<bool, Failure> {
        let values = self
            .values
            .get("dryRun")
            .map(Vec::as_slice)
            .unwrap_or_default();
        if let Some(bad) = values.iter().find(|v| *v != "All") {
            let error = FieldError::not_supported(&FieldPath::new("dryRun"), bad, &["All"]);
            return Err(invalid_option(options_kind, &error));
        }
        Ok(!values.is_empty())
    }

    /// `fieldValidation`.
    pub(crate) fn field_validation(&self, options_kind: &str) -> Result<FieldValidation, Failure> {
        let text = self.text("fieldValidation").unwrap_or_default();
        FieldValidation::parse(text).ok_or_else(|| {
            let supported = ["", "Ignore", "Strict", "Warn"];
            let path = FieldPath::new("fieldValidation");
            invalid_option(
                options_kind,
                &FieldError::not_supported(&path, text, &supported),
            )
        })
    }

    /// `resourceVersion` as a number; `None` when absent.
    pub(crate) fn version(&self) -> Result<Option<u64>, Failure> {
        let Some(text) = self.text("resourceVersion") else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|_| {
            Failure::bad_request(format!(
                "Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
            ))
        })
    }
}

/// 422 about an option of a request.
pub(crate) fn invalid_option(kind: &str, error: &FieldError) -> Failure {
    Failure::invalid(
        &format!("{kind}.meta.k8s.io"),
        "",
        std::slice::from_ref(error),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_flags_read_as_kubernetes_reads_them() {
        let query =
            Query::parse("labelSelector=a%3Db%2Cc&watch=1&force=false&limit=5&allowWatchBookmarks");
        assert_eq!(query.text("labelSelector"), Some("a=b,c"));
        assert_eq!(
            (query.flag("watch"), query.flag("force"), query.flag("x")),
            (Some(true), Some(false), None)
        );
        assert_eq!(query.flag("allowWatchBookmarks"), Some(true));
        assert_eq!(query.number("limit"), Ok(Some(5)));
    }

    #[test]
    fn a_wrong_option_is_refused_with_its_field() {
        let failure = Query::parse("dryRun=Some")
            .dry_run("CreateOptions")
            .unwrap_err();
        assert_eq!(
            failure.message,
            "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: \"Some\": supported values: \"All\""
        );
        assert_eq!(
            Query::parse("limit=x").number("limit").unwrap_err().code,
            400
        );
    }
}
