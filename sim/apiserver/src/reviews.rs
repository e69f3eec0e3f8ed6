//! Questions about access. No authorisation is emulated: everybody may do everything, as system:admin.

use http::StatusCode;
use serde_json::{Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;

/// Who every client is.
const USER: &str = "system:admin";
const GROUPS: [&str; 2] = ["system:masters", "system:authenticated"];

/// The answer, when the kind of the request is a question and not an object.
pub(crate) fn answer(call: &Call<'_>, question: &Value) -> Option<Result<Answer, Failure>> {
    let schema = &call.kind.schema;
    let status = match (schema.group.as_str(), schema.plural.as_str()) {
        (
            "authorization.k8s.io",
            "selfsubjectaccessreviews" | "subjectaccessreviews" | "localsubjectaccessreviews",
        ) => json!({"allowed": true, "reason": "drakit allows everything"}),
        ("authorization.k8s.io", "selfsubjectrulesreviews") => json!({
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        }),
        ("authentication.k8s.io", "selfsubjectreviews") => {
            json!({"userInfo": {"username": USER, "groups": GROUPS}})
        }
        ("authentication.k8s.io", "tokenreviews") => {
            json!({"authenticated": true, "user": {"username": USER, "groups": GROUPS}})
        }
        _ => return None,
    };
    let mut review = question.clone();
    review["kind"] = json!(schema.kind);
    review["apiVersion"] = json!(call.kind.api_version);
    review["status"] = status;
    Some(Ok(Answer::json(StatusCode::CREATED, review.to_string())))
}
