//! Validation by kind: the one place where validators are called for create, update and status.
//!
//! ```text
//! admin   device admin access needs a label on the namespace
//! ```

mod admin;

use drakit_api::{FieldError, FieldPath};
use drakit_sim_store::Object;
use serde_json::Value;

use crate::app::App;
use crate::catalogue::Kind;
use crate::failure::Failure;
use crate::verbs::update::Part;
use crate::verbs::write::text;

/// Refuses a new object that breaks a rule.
pub(crate) fn create(app: &App, kind: &Kind, value: &Value) -> Result<(), Failure> {
    let mut errors = name(value);
    errors.extend(admin::requested(app, kind, value));
    refuse(kind, value, &errors)
}

/// Refuses a change that breaks a rule.
pub(crate) fn update(
    app: &App,
    kind: &Kind,
    part: Part,
    old: &Object,
    value: &Value,
) -> Result<(), Failure> {
    let mut errors = Vec::new();
    if part == Part::Status {
        errors.extend(admin::granted(app, kind, old.value(), value));
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
fn name(value: &Value) -> Vec<FieldError> {
    if !text(value, "name").is_empty() {
        return Vec::new();
    }
    let path = FieldPath::new("metadata.name");
    vec![FieldError::required(
        &path,
        "name or generateName is required",
    )]
}
