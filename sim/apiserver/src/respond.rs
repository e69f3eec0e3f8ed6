//! Answers as HTTP responses.

use std::io::Write as _;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderValue, RETRY_AFTER, VARY, WARNING,
};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::failure::Failure;
use crate::negotiate;

/// Smaller answers are sent as they are (`defaultGzipThresholdBytes` of the API server).
const GZIP_FROM: usize = 128 * 1024;
/// The most characters of all warnings together (`pkg/endpoints/filters/warning.go`).
const MAX_WARNING_CHARACTERS: usize = 4096;

/// An answer before it becomes a response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: StatusCode,
    pub(crate) content_type: &'static str,
    pub(crate) body: Payload,
    pub(crate) warnings: Vec<String>,
    pub(crate) etag: Option<String>,
}

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Payload {
    /// All of it.
    Bytes(Bytes),
    /// Gzip already, and what it unpacks to for clients without gzip.
    Gzip(&'static [u8]),
    /// A stream.
    Stream(Body),
}

impl Answer {
    /// JSON bytes.
    pub(crate) fn json(code: StatusCode, bytes: impl Into<Bytes>) -> Self {
        Self {
            code,
            content_type: "application/json",
            body: Payload::Bytes(bytes.into()),
            warnings: Vec::new(),
            etag: None,
        }
    }

    /// A JSON value with 200.
    pub(crate) fn value(value: &Value) -> Self {
        Self::json(StatusCode::OK, value.to_string())
    }

    /// Plain text with 200.
    pub(crate) fn text(text: impl Into<Bytes>) -> Self {
        Self {
            content_type: "text/plain; charset=utf-8",
            ..Self::json(StatusCode::OK, text)
        }
    }

    /// Endless JSON.
    pub(crate) fn stream(body: Body) -> Self {
        Self {
            body: Payload::Stream(body),
            ..Self::json(StatusCode::OK, Bytes::new())
        }
    }

    /// The response, compressed if that pays and the client takes it.
    pub(crate) fn into_response(self, request_headers: &HeaderMap) -> Response {
        let gzip = negotiate::accepts_gzip(request_headers);
        let (body, encoded) = match self.body {
            Payload::Bytes(bytes) if gzip && bytes.len() >= GZIP_FROM => match compress(&bytes) {
                Some(small) => (Body::from(small), true),
                None => (Body::from(bytes), false),
            },
            Payload::Bytes(bytes) => (Body::from(bytes), false),
            Payload::Gzip(bytes) if gzip => (Body::from(bytes), true),
            Payload::Gzip(bytes) => match unpack(bytes) {
                Ok(plain) => (Body::from(plain), false),
                Err(error) => return failure_response(&Failure::internal(error)),
            },
            Payload::Stream(body) => (body, false),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.code;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
        if encoded {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if let Some(etag) = self.etag.and_then(|e| HeaderValue::from_str(&e).ok()) {
            headers.insert(ETAG, etag);
        }
        add_warnings(headers, &self.warnings);
        response
    }
}

/// The response to a refused request.
pub(crate) fn failure_response(failure: &Failure) -> Response {
    let mut response = Response::new(Body::from(failure.status().to_string()));
    *response.status_mut() =
        StatusCode::from_u16(failure.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    if let Some(seconds) = failure
        .details
        .as_ref()
        .map(|d| d.retry_after_seconds)
        .filter(|s| *s > 0)
    {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// `Warning: 299 - "text"` headers, each text once.
fn add_warnings(headers: &mut HeaderMap, warnings: &[String]) {
    let mut seen: Vec<&str> = Vec::new();
    let mut characters = 0;
    for warning in warnings {
        characters += warning.chars().count();
        if characters > MAX_WARNING_CHARACTERS {
            return;
        }
        if seen.contains(&warning.as_str()) {
            continue;
        }
        seen.push(warning);
        let quoted = warning
            .replace(['\n', '\r'], " ")
            .replace('\\', "\\\\")
            .replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            headers.append(WARNING, value);
        }
    }
}

fn compress(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

fn unpack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(bytes), &mut plain)?;
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::ACCEPT_ENCODING;

    fn takes_gzip() -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("br, gzip;q=0.8"));
        headers
    }

    #[test]
    fn only_large_answers_are_compressed_and_only_for_clients_that_ask() {
        let large = || Answer::json(StatusCode::OK, vec![b' '; GZIP_FROM]);
        let coded = |r: Response| r.headers().contains_key(CONTENT_ENCODING);
        assert!(coded(large().into_response(&takes_gzip())));
        assert!(!coded(large().into_response(&HeaderMap::new())));
        assert!(!coded(Answer::text("small").into_response(&takes_gzip())));
    }

    #[test]
    fn a_warning_is_quoted_and_sent_once() {
        let mut answer = Answer::text("");
        answer.warnings = vec!["unknown field \"a\"".into(), "unknown field \"a\"".into()];
        let response = answer.into_response(&HeaderMap::new());
        let sent: Vec<_> = response.headers().get_all(WARNING).iter().collect();
        assert_eq!(sent, ["299 - \"unknown field \\\"a\\\"\""]);
    }

    #[test]
    fn a_refusal_to_be_tried_again_says_when() {
        let response = failure_response(&Failure::version_too_large(9, 3));
        assert_eq!(response.status(), StatusCode::GATEWAY_TIMEOUT);
        assert_eq!(response.headers()[RETRY_AFTER], "1");
    }
}
