//! The `k8s\0` prefix and `runtime.Unknown` around a message
//! (apimachinery `pkg/runtime/serializer/protobuf`).

use serde_json::Value;

use super::{
    message,
    wire::{Fields, WireError, text},
};
use crate::{GroupVersionKind, Schemas};

const PREFIX: &[u8] = b"k8s\0";

/// Why a body is not a Kubernetes protobuf message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EnvelopeError {
    #[error("empty data")]
    Empty,
    #[error(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
    )]
    Prefix,
    #[error("empty body")]
    EmptyBody,
    #[error(
        "no kind {kind:?} is registered for version {version:?} in scheme {:?}",
        crate::decode::SCHEME
    )]
    UnknownKind { kind: String, version: String },
    #[error("content of type {0:?} is not emulated")]
    Content(String),
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// Decodes a body to the JSON that Go would write, with `apiVersion` and `kind`.
pub(crate) fn decode(
    schemas: &Schemas,
    expected: &GroupVersionKind,
    body: &[u8],
) -> Result<Value, EnvelopeError> {
    if body.is_empty() {
        return Err(EnvelopeError::Empty);
    }
    let content = body.strip_prefix(PREFIX).ok_or(EnvelopeError::Prefix)?;
    if content.is_empty() {
        return Err(EnvelopeError::EmptyBody);
    }
    let unknown = unknown(content)?;
    if !matches!(
        unknown.content_type.as_str(),
        "" | "application/vnd.kubernetes.protobuf"
    ) {
        return Err(EnvelopeError::Content(unknown.content_type));
    }
    let gvk = match (unknown.api_version.as_str(), unknown.kind.as_str()) {
        ("", "") => Some(expected.clone()),
        ("", kind) => Some(GroupVersionKind {
            kind: kind.to_owned(),
            ..expected.clone()
        }),
        (version, kind) => GroupVersionKind::parse(version, kind),
    };
    let id = gvk.as_ref().and_then(|gvk| schemas.type_of(gvk));
    // Options are registered in every group.
    let id = id.or_else(|| {
        schemas
            .type_of(expected)
            .filter(|_| unknown.kind == expected.kind)
    });
    let (Some(gvk), Some(id)) = (gvk, id) else {
        return Err(EnvelopeError::UnknownKind {
            kind: unknown.kind,
            version: unknown.api_version,
        });
    };
    let mut object = message::object(schemas, id, unknown.raw)?;
    object.insert("apiVersion".to_owned(), Value::String(gvk.api_version()));
    object.insert("kind".to_owned(), Value::String(gvk.kind));
    Ok(Value::Object(object))
}

#[derive(Default)]
struct Unknown<'a> {
    api_version: String,
    kind: String,
    raw: &'a [u8],
    content_type: String,
}

/// `runtime.Unknown { typeMeta = 1 { apiVersion = 1, kind = 2 }, raw = 2, contentEncoding = 3, contentType = 4 }`
fn unknown(bytes: &[u8]) -> Result<Unknown<'_>, WireError> {
    let mut found = Unknown::default();
    let mut fields = Fields::new(bytes);
    while let Some((number, value)) = fields.next()? {
        match number {
            1 => {
                let mut meta = Fields::new(value.bytes("typeMeta")?);
                while let Some((number, value)) = meta.next()? {
                    match number {
                        1 => found.api_version = text(number, value.bytes("apiVersion")?)?,
                        2 => found.kind = text(number, value.bytes("kind")?)?,
                        _ => {}
                    }
                }
            }
            2 => found.raw = value.bytes("raw")?,
            4 => found.content_type = text(number, value.bytes("contentType")?)?,
            _ => {}
        }
    }
    Ok(found)
}
