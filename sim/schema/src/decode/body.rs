//! A request body: its media type, `apiVersion` and `kind`, and how strict to be.

use serde_json::{Value, json};

use super::{
    Raw,
    error::{Cause, DecodeError, SCHEME, summarize},
    parse_json, parse_yaml, walk,
};
use crate::{GroupVersionKind, Schemas, protobuf, types::TypeId};

/// How a request body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaType {
    /// `application/json`
    Json,
    /// `application/yaml`, `application/apply-patch+yaml`
    Yaml,
    /// `application/vnd.kubernetes.protobuf`
    Protobuf,
}

impl MediaType {
    /// Reads a `Content-Type` header; an empty one is JSON, as in Kubernetes.
    pub fn from_content_type(header: &str) -> Option<Self> {
        let essence = header.split(';').next().unwrap_or_default().trim();
        Some(match essence {
            "" | "application/json" => MediaType::Json,
            "application/yaml" | "application/apply-patch+yaml" => MediaType::Yaml,
            "application/vnd.kubernetes.protobuf" => MediaType::Protobuf,
            _ => return None,
        })
    }
}

/// The `fieldValidation` query parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// Unknown and duplicate fields are refused.
    Strict,
    /// They are dropped, and each is a warning.
    Warn,
    /// They are dropped silently.
    Ignore,
}

impl FieldValidation {
    /// Reads the query parameter; the server's default is `Warn`.
    pub fn parse(parameter: &str) -> Option<Self> {
        Some(match parameter {
            "" | "Warn" => FieldValidation::Warn,
            "Strict" => FieldValidation::Strict,
            "Ignore" => FieldValidation::Ignore,
            _ => return None,
        })
    }
}

/// A decoded object.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The object: known fields only, without nulls and without what Go omits when empty.
    pub object: Value,
    /// Texts for `Warning` headers; only with [`FieldValidation::Warn`].
    pub warnings: Vec<String>,
}

impl Schemas {
    /// Decodes a request body. `expected` is what the endpoint takes: a resource's kind, or
    /// `Binding`, `Eviction`, `Scale`, `DeleteOptions` (as core v1).
    ///
    /// # Errors
    /// In the words of Kubernetes; see [`DecodeError`].
    pub fn decode(
        &self,
        expected: &GroupVersionKind,
        body: &[u8],
        media_type: MediaType,
        validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        let raw = match media_type {
            MediaType::Json => parse_json(body).map_err(|error| json_error(&error)),
            MediaType::Yaml => parse_yaml(body).map_err(|error| yaml_error(&error)),
            MediaType::Protobuf => protobuf::decode(self, expected, body)
                .map(Raw::from)
                .map_err(|error| error.to_string()),
        };
        raw.and_then(|raw| self.typed(expected, raw, validation))
            .map_err(|cause| DecodeError::Unrecognized {
                expected: expected.kind.clone(),
                cause,
                summary: summarize(body),
            })?
    }

    /// Checks a value as [`Self::decode`] checks a body: the result of a patch, for example.
    ///
    /// # Errors
    /// In the words of Kubernetes; see [`DecodeError`].
    pub fn check(
        &self,
        expected: &GroupVersionKind,
        value: Value,
        validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        self.typed(expected, Raw::from(value), validation)
            .unwrap_or_else(|cause| {
                Err(DecodeError::Unrecognized {
                    expected: expected.kind.clone(),
                    cause,
                    summary: "<patched object>".to_owned(),
                })
            })
    }

    /// The outer error is for a body whose kind cannot be told.
    fn typed(
        &self,
        expected: &GroupVersionKind,
        raw: Raw,
        validation: FieldValidation,
    ) -> Result<Result<Decoded, DecodeError>, String> {
        let actual = interpret(&raw, expected)?;
        Ok(self.fit(expected, &actual, raw, validation))
    }

    fn fit(
        &self,
        expected: &GroupVersionKind,
        actual: &GroupVersionKind,
        raw: Raw,
        validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        let unfit = |cause| DecodeError::Unfit {
            kind: actual.kind.clone(),
            version: actual.version.clone(),
            expected: expected.kind.clone(),
            cause,
        };
        let wanted = self.type_of(expected);
        let wanted = wanted.ok_or_else(|| DecodeError::NotEmulated(expected.kind.clone()))?;
        let id = self
            .actual_type(expected, actual, wanted)
            .map_err(|cause| unfit(Cause::Type(cause)))?;
        let (mut object, found) =
            walk::decode(self, id, raw).map_err(|cause| unfit(Cause::Type(cause)))?;
        if let Some(cause) = found.type_error {
            return Err(unfit(Cause::Type(cause)));
        }
        if validation == FieldValidation::Strict && !found.strict.is_empty() {
            return Err(unfit(Cause::Strict(found.strict)));
        }
        if id != wanted {
            let (from, to) = (go_package(actual), go_internal(expected));
            let cause = format!("converting ({from}) to ({to}): unknown conversion");
            return Err(unfit(Cause::Type(cause)));
        }
        if let Some(object) = object.as_object_mut()
            && self.get(id).fields.contains_key("apiVersion")
        {
            object.insert("apiVersion".to_owned(), json!(actual.api_version()));
            object.insert("kind".to_owned(), json!(actual.kind));
        }
        let warnings = match validation {
            FieldValidation::Warn => found.strict,
            FieldValidation::Strict | FieldValidation::Ignore => Vec::new(),
        };
        Ok(Decoded { object, warnings })
    }

    /// The struct for the body's own kind; options are of every group and version.
    fn actual_type(
        &self,
        expected: &GroupVersionKind,
        actual: &GroupVersionKind,
        wanted: TypeId,
    ) -> Result<TypeId, String> {
        if expected == actual
            || (expected.kind == actual.kind && expected.kind.ends_with("Options"))
        {
            return Ok(wanted);
        }
        self.type_of(actual).ok_or_else(|| {
            let (kind, version) = (&actual.kind, actual.api_version());
            format!("no kind {kind:?} is registered for version {version:?} in scheme {SCHEME:?}")
        })
    }
}

/// Kind and version of a body, with the endpoint's where the body has none.
fn interpret(raw: &Raw, expected: &GroupVersionKind) -> Result<GroupVersionKind, String> {
    const TARGET: &str = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
    let parse_error = |text: String| format!("couldn't get version/kind; json parse error: {text}");
    if !matches!(raw, Raw::Object(_) | Raw::Null) {
        let found = raw.go_kind();
        return Err(parse_error(format!(
            "json: cannot unmarshal {found} into Go value of type {TARGET}"
        )));
    }
    let text = |key: &str| match raw.get(key) {
        None | Some(Raw::Null) => Ok(String::new()),
        Some(Raw::String(text)) => Ok(text.clone()),
        Some(other) => {
            let found = other.go_kind();
            Err(parse_error(format!(
                "json: cannot unmarshal {found} into Go struct field .{key} of type string"
            )))
        }
    };
    let (api_version, kind) = (text("apiVersion")?, text("kind")?);
    let kind = if kind.is_empty() {
        expected.kind.clone()
    } else {
        kind
    };
    if api_version.is_empty() {
        return Ok(GroupVersionKind {
            kind,
            ..expected.clone()
        });
    }
    GroupVersionKind::parse(&api_version, &kind)
        .ok_or_else(|| format!("unexpected GroupVersion string: {api_version}"))
}

fn json_error(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "couldn't get version/kind; json parse error: unexpected end of JSON input"
            .to_owned();
    }
    format!("couldn't get version/kind; json parse error: {error}")
}

fn yaml_error(error: &serde_saphyr::Error) -> String {
    format!("error converting YAML to JSON: yaml: {error}")
}

/// `(v1.Pod)`: the Go type that Kubernetes decoded into.
fn go_package(gvk: &GroupVersionKind) -> String {
    format!("{}.{}", gvk.version, gvk.kind)
}

/// `(core.Pod)`: the internal Go type that the endpoint works on.
fn go_internal(gvk: &GroupVersionKind) -> String {
    let package = match gvk.group.split('.').next() {
        None | Some("") => "core",
        Some(name) => name,
    };
    format!("{package}.{}", gvk.kind)
}
