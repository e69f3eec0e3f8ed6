//! What decoding refuses, in the words of Kubernetes.

use std::fmt::Write as _;

/// Where Kubernetes registers its types; part of its error texts.
pub(crate) const SCHEME: &str = "pkg/api/legacyscheme/scheme.go:30";

/// Why a request body was refused; the text is the message of the Status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Neither kind nor structure could be told.
    #[error(
        "the object provided is unrecognized (must be of type {expected}): {cause} ({summary})"
    )]
    Unrecognized {
        /// The kind that the endpoint takes.
        expected: String,
        /// The parser's words.
        cause: String,
        /// The first bytes of the body.
        summary: String,
    },
    /// The kind is known and the content does not fit.
    #[error("{kind} in version \"{version}\" cannot be handled as a {expected}: {cause}")]
    Unfit {
        /// The kind in the body.
        kind: String,
        /// The version in the body.
        version: String,
        /// The kind that the endpoint takes.
        expected: String,
        /// What does not fit.
        cause: Cause,
    },
    /// The endpoint serves another version.
    #[error(
        "the API version in the data ({data}) does not match the expected API version ({expected})"
    )]
    OtherVersion {
        /// `apiVersion` of the body.
        data: String,
        /// `apiVersion` that the endpoint serves.
        expected: String,
    },
    /// The endpoint's own kind is not in the vendored documents.
    #[error("kind {0:?} is not emulated")]
    NotEmulated(String),
}

/// What does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// Unknown or duplicate fields, each with its own text.
    #[error("strict decoding error: {}", .0.join(", "))]
    Strict(Vec<String>),
    /// A value of the wrong type, or a kind that does not belong here.
    #[error("{0}")]
    Type(String),
}

impl DecodeError {
    /// The HTTP status code; the reason is always `BadRequest`.
    pub fn code(&self) -> u16 {
        400
    }

    /// What is wrong without the words around it: the detail of a refused patch.
    pub fn cause(&self) -> String {
        match self {
            DecodeError::Unfit { cause, .. } => cause.to_string(),
            DecodeError::Unrecognized { cause, .. } => cause.clone(),
            DecodeError::OtherVersion { .. } | DecodeError::NotEmulated(_) => self.to_string(),
        }
    }

    /// The texts of unknown and duplicate fields; empty for every other refusal.
    pub fn strict_errors(&self) -> &[String] {
        match self {
            DecodeError::Unfit {
                cause: Cause::Strict(errors),
                ..
            } => errors,
            _ => &[],
        }
    }
}

/// The start of a body, as `summarizeData` of k8s.io/apiserver shows it.
pub(crate) fn summarize(body: &[u8]) -> String {
    const SHOWN: usize = 30;
    let head = &body[..body.len().min(SHOWN)];
    let shown = match body.first() {
        None => return "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(head).into_owned(),
        Some(_) => head.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        }),
    };
    if body.len() > SHOWN {
        format!("{shown} ...")
    } else {
        shown
    }
}
