//! `serviceaccounts/token`. Nothing checks these tokens; they have the form that clients parse.

use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use drakit_sim_schema::GroupVersionKind;
use http::StatusCode;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::verbs::options::WriteOptions;
use crate::{body, types};

/// Lifetime when the request names none (`pkg/apis/authentication/v1/defaults.go`).
const LIFETIME_SECONDS: i64 = 3600;
/// Audience and issuer of a cluster made with kubeadm.
const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// Answers `POST serviceaccounts/NAME/token`.
pub(crate) async fn create(mut call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let bytes = body::read(body).await?;
    let options = WriteOptions::read(&call, "CreateOptions")?;
    let gvk = GroupVersionKind {
        group: "authentication.k8s.io".into(),
        version: "v1".into(),
        kind: "TokenRequest".into(),
    };
    let mut request = types::decode(&mut call, &gvk, &bytes, options.validation)?;
    let account = call.app.store.get(&call.kind.store, &call.key())?;
    let lifetime = request
        .pointer("/spec/expirationSeconds")
        .and_then(Value::as_i64)
        .unwrap_or(LIFETIME_SECONDS);
    let now = call.app.store.clock().now();
    let until = now
        .checked_add(SignedDuration::from_secs(lifetime))
        .map_err(|_| {
            Failure::bad_request(format!("spec.expirationSeconds: {lifetime} is too large"))
        })?;
    let audiences = request
        .pointer("/spec/audiences")
        .filter(|list| list.as_array().is_some_and(|l| !l.is_empty()))
        .cloned()
        .unwrap_or_else(|| json!([ISSUER]));
    let claims = json!({
        "aud": audiences,
        "exp": until.as_second(),
        "iat": now.as_second(),
        "iss": ISSUER,
        "kubernetes.io": {
            "namespace": account.namespace(),
            "serviceaccount": {"name": account.name(), "uid": account.uid()},
        },
        "nbf": now.as_second(),
        "sub": format!("system:serviceaccount:{}:{}", account.namespace(), account.name()),
    });
    request["metadata"] = json!({
        "name": account.name(),
        "namespace": account.namespace(),
        "creationTimestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    });
    request["spec"]["audiences"] = audiences;
    request["spec"]["expirationSeconds"] = json!(lifetime);
    request["status"] = json!({
        "token": unsigned(&claims),
        "expirationTimestamp": until.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    });
    request["kind"] = json!("TokenRequest");
    request["apiVersion"] = json!("authentication.k8s.io/v1");
    Ok(Answer::json(StatusCode::CREATED, request.to_string()))
}

/// A JSON web token without a valid signature.
fn unsigned(claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = part(&json!({"alg": "none", "kid": "drakit"}));
    format!(
        "{header}.{}.{}",
        part(claims),
        URL_SAFE_NO_PAD.encode("not signed")
    )
}
