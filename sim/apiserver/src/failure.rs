//! What a request is refused with: a `metav1.Status` in Kubernetes' words.
//!
//! Texts and codes are those of `k8s.io/apimachinery/pkg/api/errors/errors.go`.

use drakit_api::FieldError;
use drakit_sim_store::StoreError;
use serde_json::{Map, Value, json};

/// One part of a refusal (`metav1.StatusCause`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cause {
    /// `FieldValueRequired`, `ResourceVersionTooLarge`; may be empty.
    pub(crate) kind: String,
    /// What is wrong, without the field.
    pub(crate) message: String,
    /// `spec.devices`; may be empty.
    pub(crate) field: String,
}

impl From<&FieldError> for Cause {
    fn from(error: &FieldError) -> Self {
        Self {
            kind: error.kind.reason().to_owned(),
            message: error.body(),
            field: error.field.clone(),
        }
    }
}

/// What a refusal is about (`metav1.StatusDetails`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Details {
    pub(crate) name: String,
    pub(crate) group: String,
    /// Plural name or kind, as Kubernetes fills it.
    pub(crate) kind: String,
    pub(crate) causes: Vec<Cause>,
    pub(crate) retry_after_seconds: u32,
}

impl Details {
    /// Details of a name such as `resourceclaims.resource.k8s.io` and an object's name.
    fn about(qualified: &str, name: &str) -> Self {
        let (kind, group) = qualified.split_once('.').unwrap_or((qualified, ""));
        Self {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            ..Self::default()
        }
    }
}

/// A refused request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) code: u16,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) details: Option<Box<Details>>,
}

impl Failure {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            details: None,
        }
    }

    fn with(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// 400.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 401.
    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 403 about an object; `resource` is `pods` or `resourceclaims.resource.k8s.io`.
    pub(crate) fn forbidden(resource: &str, name: &str, why: impl std::fmt::Display) -> Self {
        let message = if name.is_empty() {
            format!("{resource} is forbidden: {why}")
        } else {
            format!("{resource} {name:?} is forbidden: {why}")
        };
        Self::new(403, "Forbidden", message).with(Details::about(resource, name))
    }

    /// 404 for a path that nothing serves.
    pub(crate) fn no_such_path() -> Self {
        Self::new(
            404,
            "NotFound",
            "the server could not find the requested resource",
        )
        .with(Details::default())
    }

    /// 404 about an object.
    pub(crate) fn not_found(resource: &str, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{resource} {name:?} not found"))
            .with(Details::about(resource, name))
    }

    /// 405; `action` is a verb.
    pub(crate) fn method_not_supported(resource: &str, action: &str) -> Self {
        let message = format!("{action} is not supported on resources of kind {resource:?}");
        Self::new(405, "MethodNotAllowed", message).with(Details::about(resource, ""))
    }

    /// 405 for a path outside the resources.
    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message).with(Details::default())
    }

    /// 406.
    pub(crate) fn not_acceptable(offered: &[&str]) -> Self {
        let message = format!(
            "only the following media types are accepted: {}",
            offered.join(", ")
        );
        Self::new(406, "NotAcceptable", message)
    }

    /// 409 about an object.
    pub(crate) fn conflict(resource: &str, name: &str, why: impl std::fmt::Display) -> Self {
        let message = format!("Operation cannot be fulfilled on {resource} {name:?}: {why}");
        Self::new(409, "Conflict", message).with(Details::about(resource, name))
    }

    /// 409 of a server-side apply that touches fields of others.
    pub(crate) fn apply_conflict(message: impl Into<String>, causes: Vec<Cause>) -> Self {
        let details = Details {
            causes,
            ..Details::default()
        };
        Self::new(409, "Conflict", message).with(details)
    }

    /// 409 on create.
    pub(crate) fn already_exists(resource: &str, name: &str) -> Self {
        Self::new(
            409,
            "AlreadyExists",
            format!("{resource} {name:?} already exists"),
        )
        .with(Details::about(resource, name))
    }

    /// 410.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 413.
    pub(crate) fn too_large(limit: usize) -> Self {
        let message = format!("Request entity too large: limit is {limit}");
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// 415.
    pub(crate) fn unsupported_media_type(accepted: &[&str]) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            accepted.join(", ")
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 422; `qualified_kind` is `Pod` or `ResourceClaim.resource.k8s.io`.
    pub(crate) fn invalid(qualified_kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let message = format!("{qualified_kind} {name:?} is invalid{}", joined(errors));
        let causes = errors.iter().map(Cause::from).collect();
        let details = Details {
            causes,
            ..Details::about(qualified_kind, name)
        };
        Self::new(422, "Invalid", message).with(details)
    }

    /// 500.
    pub(crate) fn internal(why: impl std::fmt::Display) -> Self {
        let cause = Cause {
            kind: String::new(),
            message: why.to_string(),
            field: String::new(),
        };
        Self::new(
            500,
            "InternalError",
            format!("Internal error occurred: {why}"),
        )
        .with(Details {
            causes: vec![cause],
            ..Details::default()
        })
    }

    /// 500 without a reason: what Kubernetes makes of an error that is no Status.
    pub(crate) fn untyped(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// 501 for what the simulation leaves out, so that it never looks like success.
    pub(crate) fn not_emulated(what: &str, why: &str) -> Self {
        let message = format!("{what}: not emulated by drakit: {why}");
        Self::new(501, "NotImplemented", message).with(Details::default())
    }

    /// 504 for a resource version that is still to come (`NewTooLargeResourceVersionError`).
    pub(crate) fn version_too_large(minimum: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {minimum}, current: {current}");
        let cause = Cause {
            kind: "ResourceVersionTooLarge".into(),
            message: "Too large resource version".into(),
            field: String::new(),
        };
        let details = Details {
            causes: vec![cause],
            retry_after_seconds: 1,
            ..Details::default()
        };
        Self::new(504, "Timeout", message).with(details)
    }

    /// The same refusal with its causes.
    pub(crate) fn with_causes(self, causes: Vec<Cause>) -> Self {
        self.with(Details {
            causes,
            ..Details::default()
        })
    }

    /// The `metav1.Status` that clients read.
    pub(crate) fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = json!(self.reason);
        }
        if let Some(details) = &self.details {
            status["details"] = details_json(details);
        }
        status
    }
}

fn details_json(details: &Details) -> Value {
    let mut map = Map::new();
    for (key, text) in [
        ("name", &details.name),
        ("group", &details.group),
        ("kind", &details.kind),
    ] {
        if !text.is_empty() {
            map.insert(key.into(), json!(text));
        }
    }
    if !details.causes.is_empty() {
        map.insert(
            "causes".into(),
            details.causes.iter().map(cause_json).collect(),
        );
    }
    if details.retry_after_seconds > 0 {
        map.insert(
            "retryAfterSeconds".into(),
            json!(details.retry_after_seconds),
        );
    }
    Value::Object(map)
}

fn cause_json(cause: &Cause) -> Value {
    let mut map = Map::new();
    for (key, text) in [
        ("reason", &cause.kind),
        ("message", &cause.message),
        ("field", &cause.field),
    ] {
        if !text.is_empty() {
            map.insert(key.into(), json!(text));
        }
    }
    Value::Object(map)
}

/// Field errors as `utilerrors.NewAggregate` prints them: repeated ones once, brackets around several.
fn joined(errors: &[FieldError]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for error in errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [] => String::new(),
        [one] => format!(": {one}"),
        many => format!(": [{}]", many.join(", ")),
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let text = error.to_string();
        match error {
            StoreError::NotFound { resource, name } => Self::not_found(&resource, &name),
            StoreError::AlreadyExists { resource, name } => Self::already_exists(&resource, &name),
            StoreError::Conflict {
                resource,
                name,
                message,
            } => Self::conflict(&resource, &name, message),
            StoreError::Forbidden {
                resource,
                name,
                message,
            } => Self::forbidden(&resource, &name, message),
            StoreError::Invalid { kind, name, .. } => {
                Self::new(422, "Invalid", text).with(Details::about(&kind, &name))
            }
            StoreError::Expired { .. } => Self::expired(text),
            StoreError::BadRequest(message) => Self::bad_request(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drakit_api::FieldPath;

    fn required(field: &str) -> FieldError {
        FieldError::required(&FieldPath::new(field), "")
    }

    #[test]
    fn one_field_error_stands_without_brackets_and_several_with() {
        let one = Failure::invalid("Pod", "x", &[required("a")]);
        assert_eq!(one.message, "Pod \"x\" is invalid: a: Required value");
        let two = [required("a"), required("b")];
        let two = Failure::invalid("ResourceClaim.resource.k8s.io", "x", &two);
        assert_eq!(
            two.message,
            "ResourceClaim.resource.k8s.io \"x\" is invalid: [a: Required value, b: Required value]"
        );
        assert_eq!(two.status()["details"]["group"], "resource.k8s.io");
        assert_eq!(two.status()["details"]["kind"], "ResourceClaim");
    }

    #[test]
    fn a_missing_object_names_plural_group_and_name() {
        let missing = StoreError::NotFound {
            resource: "resourceclaims.resource.k8s.io".into(),
            name: "c".into(),
        };
        assert_eq!(
            Failure::from(missing).status(),
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "resourceclaims.resource.k8s.io \"c\" not found",
                "reason": "NotFound", "code": 404,
                "details": {"name": "c", "group": "resource.k8s.io", "kind": "resourceclaims"},
            })
        );
    }
}
