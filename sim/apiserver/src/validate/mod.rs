//! Validation by kind: the one place where validators are called for create, update and status.
//!
//! ```text
//! admin   device admin access needs a label on the namespace
//! ```

mod admin;

use drakit_sim_store::Object;
use serde_json::Value;

use crate::app::App;
use crate::catalogue::Kind;
use crate::failure::{Cause, Failure};
use crate::verbs::update::Part;
use crate::verbs::write::text;

/// Refuses a new object that breaks a rule.
pub(crate) fn create(app: &App, kind: &Kind, value: &Value) -> Result<(), Failure> {
    let mut causes = name(value);
    causes.extend(admin::requested(app, kind, value));
    refuse(kind, value, causes)
}

/// Refuses a change that breaks a rule.
pub(crate) fn update(
    app: &App,
    kind: &Kind,
    part: Part,
    old: &Object,
    value: &Value,
) -> Result<(), Failure> {
    let mut causes = Vec::new();
    if part == Part::Status {
        causes.extend(admin::granted(app, kind, old.value(), value));
    }
    refuse(kind, value, causes)
}

fn refuse(kind: &Kind, value: &Value, causes: Vec<Cause>) -> Result<(), Failure> {
    if causes.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid(&kind.qualified_kind, text(value, "name"), causes))
}

/// Every object has a name.
fn name(value: &Value) -> Vec<Cause> {
    if !text(value, "name").is_empty() {
        return Vec::new();
    }
    vec![Cause {
        kind: "FieldValueRequired".into(),
        message: "Required value: name or generateName is required".into(),
        field: "metadata.name".into(),
    }]
}
