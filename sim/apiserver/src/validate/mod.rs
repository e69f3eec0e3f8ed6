//! Validation by kind: the one place where validators are called for create, update and status.
//!
//! ```text
//! admin     device admin access needs a label on the namespace
//! devices   the kinds of resource.k8s.io
//! ```
//!
//! Pods and workloads are validated by `drakit_sim_schema`.

mod admin;
mod devices;

use drakit_api::{FieldError, FieldPath};
use serde_json::Value;

use crate::app::App;
use crate::catalogue::Kind;
use crate::failure::Failure;
use crate::verbs::update::Part;
use crate::verbs::write::text;

pub(crate) use devices::drop_disabled;

/// Refuses a new object that breaks a rule.
pub(crate) fn create(app: &App, kind: &Kind, value: &Value) -> Result<(), Failure> {
    let mut errors: Vec<FieldError> = admin::requested(app, kind, value).into_iter().collect();
    if let Some(found) = devices::create(kind, value) {
        errors.extend(found);
    } else {
        errors.extend(name(value));
        errors.extend(app.schemas.validate(&kind.schema, value));
    }
    refuse(kind, value, &errors)
}

/// Refuses a change that breaks a rule.
pub(crate) fn update(
    app: &App,
    kind: &Kind,
    part: Part,
    old: &Value,
    value: &Value,
) -> Result<(), Failure> {
    let mut errors = Vec::new();
    if part == Part::Status {
        errors.extend(admin::granted(app, kind, old, value));
    }
    match devices::update(kind, part, old, value) {
        Some(found) => errors.extend(found),
        None if part == Part::Main => {
            errors.extend(app.schemas.validate_update(&kind.schema, value, old));
        }
        None => {}
    }
    refuse(kind, value, &errors)
}

fn refuse(kind: &Kind, value: &Value, errors: &[FieldError]) -> Result<(), Failure> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid(
        &kind.long_name,
        text(value, "name"),
        errors,
    ))
}

/// Every object has a name.
fn name(value: &Value) -> Option<FieldError> {
    let path = FieldPath::new("metadata.name");
    text(value, "name")
        .is_empty()
        .then(|| FieldError::required(&path, "name or generateName is required"))
}
