//! Which form of an answer the client asked for, and in which form its body came.

use http::HeaderMap;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE};

use crate::failure::Failure;

/// What the server can send.
const OFFERED: [&str; 1] = ["application/json"];
/// The form of an answer about objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Objects and lists as they are.
    Plain,
    /// `as=Table`.
    Table,
    /// `as=PartialObjectMetadata` or `…List`.
    Metadata,
}

/// The form of a discovery answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Discovery {
    /// `APIGroupList`, `APIVersions`.
    Legacy,
    /// `apidiscovery.k8s.io/v2`.
    Aggregated,
}

/// One part of an Accept header, lower case.
struct Wanted {
    media: String,
    parameters: Vec<(String, String)>,
    quality: f32,
}

impl Wanted {
    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    fn is_json(&self) -> bool {
        matches!(
            self.media.as_str(),
            "application/json" | "application/*" | "*/*"
        )
    }
}

/// The parts of an Accept header, best first; parts of one quality keep their order.
fn wanted(headers: &HeaderMap) -> Vec<Wanted> {
    let mut parts: Vec<Wanted> = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter(|part| !part.trim().is_empty())
        .map(part)
        .collect();
    parts.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    parts
}

fn part(text: &str) -> Wanted {
    let mut pieces = text.split(';').map(str::trim);
    let media = pieces.next().unwrap_or_default().to_ascii_lowercase();
    let parameters: Vec<(String, String)> = pieces
        .filter_map(|piece| piece.split_once('='))
        .map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let quality = parameters
        .iter()
        .find(|(key, _)| key == "q")
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(1.0);
    Wanted {
        media,
        parameters,
        quality,
    }
}

/// Which form of objects to send. Protobuf, YAML and CBOR are passed over for the next choice.
pub(crate) fn form(headers: &HeaderMap) -> Result<Form, Failure> {
    let parts = wanted(headers);
    if parts.is_empty() {
        return Ok(Form::Plain);
    }
    parts
        .iter()
        .filter(|part| part.is_json())
        .find_map(|part| {
            match (
                part.parameter("as"),
                part.parameter("g"),
                part.parameter("v"),
            ) {
                (None, ..) => Some(Form::Plain),
                (Some("Table"), Some("meta.k8s.io"), Some("v1" | "v1beta1")) => Some(Form::Table),
                (
                    Some("PartialObjectMetadata" | "PartialObjectMetadataList"),
                    Some("meta.k8s.io"),
                    Some("v1" | "v1beta1"),
                ) => Some(Form::Metadata),
                _ => None,
            }
        })
        .ok_or_else(|| Failure::not_acceptable(&OFFERED))
}

/// Which form of discovery to send.
pub(crate) fn discovery(headers: &HeaderMap) -> Discovery {
    let aggregated = |part: &Wanted| {
        part.parameter("as") == Some("APIGroupDiscoveryList")
            && part.parameter("g") == Some("apidiscovery.k8s.io")
            && part.parameter("v") == Some("v2")
    };
    match wanted(headers)
        .iter()
        .find(|part| part.is_json() && (part.parameter("as").is_none() || aggregated(part)))
    {
        Some(part) if aggregated(part) => Discovery::Aggregated,
        _ => Discovery::Legacy,
    }
}

/// Whether the client takes gzip.
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|part| {
            part.split(';')
                .next()
                .is_some_and(|coding| coding.trim() == "gzip")
        })
}

/// The media type of the body, lower case and without parameters.
pub(crate) fn content_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .unwrap_or_default();
    value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(text: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, text.parse().unwrap());
        headers
    }

    #[test]
    fn kubectl_gets_tables_and_client_go_gets_json_instead_of_protobuf() {
        let kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(form(&accepting(kubectl)), Ok(Form::Table));
        let client_go = "application/vnd.kubernetes.protobuf,application/json";
        assert_eq!(form(&accepting(client_go)), Ok(Form::Plain));
        let metadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
        assert_eq!(form(&accepting(metadata)), Ok(Form::Metadata));
        assert_eq!(form(&HeaderMap::new()), Ok(Form::Plain));
    }

    #[test]
    fn a_client_that_takes_no_json_is_told_what_there_is() {
        let failure = form(&accepting("application/vnd.kubernetes.protobuf")).unwrap_err();
        assert_eq!((failure.code, failure.reason), (406, "NotAcceptable"));
        assert_eq!(
            failure.message,
            "only the following media types are accepted: application/json"
        );
    }

    #[test]
    fn quality_decides_before_order() {
        let text = "application/json;q=0.5,application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9";
        assert_eq!(form(&accepting(text)), Ok(Form::Table));
    }

    #[test]
    fn aggregated_discovery_is_sent_only_in_the_version_that_is_spoken() {
        let v2 =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
        assert_eq!(discovery(&accepting(v2)), Discovery::Aggregated);
        let beta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
        assert_eq!(discovery(&accepting(beta)), Discovery::Legacy);
    }
}
