//! Decoding against what the Go serializers of k8s.io/apimachinery v0.37.2 make
//! of the same bytes (`golden/decode.jsonl`, `golden/protobuf.jsonl`).

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use base64::Engine as _;
use drakit_sim_schema::{
    FieldValidation, GroupVersionKind, MediaType, Schemas,
    decode::{Cause, DecodeError},
};
use serde::Deserialize;
use serde_json::Value;

/// One line of a golden file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    name: String,
    api_version: String,
    kind: String,
    media: String,
    body: String,
    #[serde(default)]
    strict: Vec<String>,
    #[serde(default)]
    error: String,
    object: Option<Value>,
    proto: Option<String>,
}

impl Case {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::parse(&self.api_version, &self.kind).expect("valid apiVersion")
    }

    fn media_type(&self) -> MediaType {
        if self.media == "yaml" {
            MediaType::Yaml
        } else {
            MediaType::Json
        }
    }
}

fn cases(text: &str) -> Vec<Case> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a case per line"))
        .collect()
}

fn cause(error: &DecodeError) -> String {
    match error {
        DecodeError::Unfit {
            cause: Cause::Type(text),
            ..
        } => text.clone(),
        DecodeError::Unrecognized { cause, .. } => cause.clone(),
        other => other.to_string(),
    }
}

#[test]
fn bodies_decode_as_in_go() {
    let schemas = Schemas::load().expect("vendored types");
    let cases = cases(include_str!("golden/decode.jsonl"));
    assert!(cases.len() > 50, "the golden file is complete");
    let mut wrong = Vec::new();
    for case in cases {
        let decoded = schemas.decode(
            &case.gvk(),
            case.body.as_bytes(),
            case.media_type(),
            FieldValidation::Warn,
        );
        let (found, expected) = match (decoded, case.object) {
            (Ok(mut decoded), Some(object)) => {
                schemas.canonicalize(
                    &GroupVersionKind::parse(&case.api_version, &case.kind).unwrap(),
                    &mut decoded.object,
                );
                (
                    format!("{:?} {}", decoded.warnings, decoded.object),
                    format!("{:?} {object}", case.strict),
                )
            }
            (Ok(decoded), None) => (decoded.object.to_string(), case.error),
            (Err(error), object) => (
                cause(&error),
                object.map_or(case.error, |object| object.to_string()),
            ),
        };
        if found != expected {
            wrong.push(format!("{}:\n  go   {expected}\n  here {found}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn protobuf_bodies_decode_to_what_go_writes_as_json() {
    let schemas = Schemas::load().expect("vendored types");
    let cases = cases(include_str!("golden/protobuf.jsonl"));
    assert!(cases.len() > 20, "the golden file is complete");
    for case in cases {
        let body = base64::engine::general_purpose::STANDARD
            .decode(case.proto.as_ref().expect("a protobuf form"))
            .expect("base64");
        let mut decoded = schemas
            .decode(
                &case.gvk(),
                &body,
                MediaType::Protobuf,
                FieldValidation::Strict,
            )
            .unwrap_or_else(|error| panic!("{}: {error}", case.name))
            .object;
        schemas.canonicalize(&case.gvk(), &mut decoded);
        assert_eq!(
            decoded,
            case.object.clone().expect("a JSON form"),
            "{}",
            case.name
        );
    }
}

#[test]
fn broken_protobuf_is_refused_and_never_panics() {
    let schemas = Schemas::load().expect("vendored types");
    for case in cases(include_str!("golden/protobuf.jsonl")) {
        let body = base64::engine::general_purpose::STANDARD
            .decode(case.proto.as_ref().unwrap())
            .unwrap();
        for length in 0..body.len() {
            // A cut may fall between two fields, and is then a shorter message.
            let _ = schemas.decode(
                &case.gvk(),
                &body[..length],
                MediaType::Protobuf,
                FieldValidation::Strict,
            );
            let mut flipped = body.clone();
            flipped[length] ^= 0xff;
            let _ = schemas.decode(
                &case.gvk(),
                &flipped,
                MediaType::Protobuf,
                FieldValidation::Strict,
            );
        }
    }
    let gvk = GroupVersionKind::parse("v1", "Pod").unwrap();
    let refused = schemas.decode(
        &gvk,
        b"k8s\0\x12\xff",
        MediaType::Protobuf,
        FieldValidation::Strict,
    );
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the object provided is unrecognized (must be of type Pod): unexpected EOF (6b38730012ff)"
    );
}

#[test]
fn strict_decoding_has_the_words_of_the_api_server() {
    let schemas = Schemas::load().expect("vendored types");
    let gvk = GroupVersionKind::parse("resource.k8s.io/v1", "ResourceClaim").unwrap();
    let body = br#"{"spec":{"selectableAttributes":{}}}"#;
    let refused = schemas
        .decode(&gvk, body, MediaType::Json, FieldValidation::Strict)
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "ResourceClaim in version \"v1\" cannot be handled as a ResourceClaim: \
         strict decoding error: unknown field \"spec.selectableAttributes\""
    );
    assert_eq!(
        refused.strict_errors(),
        ["unknown field \"spec.selectableAttributes\""]
    );
    let ignored = schemas
        .decode(&gvk, body, MediaType::Json, FieldValidation::Ignore)
        .unwrap();
    assert!(ignored.warnings.is_empty());
}

#[test]
fn a_kind_that_is_not_the_endpoints_is_refused() {
    let schemas = Schemas::load().expect("vendored types");
    let gvk = GroupVersionKind::parse("v1", "Pod").unwrap();
    let refuse = |body: &str| {
        let decoded = schemas.decode(
            &gvk,
            body.as_bytes(),
            MediaType::Json,
            FieldValidation::Strict,
        );
        decoded.unwrap_err().to_string()
    };
    assert_eq!(
        refuse(r#"{"apiVersion":"v1","kind":"Service"}"#),
        "Service in version \"v1\" cannot be handled as a Pod: \
         converting (v1.Service) to (core.Pod): unknown conversion"
    );
    assert_eq!(
        refuse(r#"{"apiVersion":"resource.k8s.io/v1alpha2","kind":"PodSchedulingContext"}"#),
        "PodSchedulingContext in version \"v1alpha2\" cannot be handled as a Pod: no kind \
         \"PodSchedulingContext\" is registered for version \"resource.k8s.io/v1alpha2\" \
         in scheme \"pkg/api/legacyscheme/scheme.go:30\""
    );
}
