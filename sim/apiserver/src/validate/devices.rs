//! `resource.k8s.io`: what `drakit_api::validate` checks, with CEL compiled by `drakit_cel`.

use drakit_api::FieldError;
use drakit_api::validate::{self, CelProblem, CelUse, Checks, Gates};
use drakit_cel::{Options, Program};
use serde_json::Value;

use crate::catalogue::Kind;
use crate::verbs::update::Part;

/// API group of the kinds that are validated here.
const GROUP: &str = "resource.k8s.io";

/// Errors of a new object; `None` for other kinds.
pub(crate) fn create(kind: &Kind, value: &Value) -> Option<Vec<FieldError>> {
    with_checks(kind, |name, checks| validate::create(name, value, checks))
}

/// Errors of a change; `None` for other kinds.
pub(crate) fn update(
    kind: &Kind,
    part: Part,
    old: &Value,
    value: &Value,
) -> Option<Vec<FieldError>> {
    with_checks(kind, |name, checks| match part {
        Part::Main => validate::update(name, value, old, checks),
        Part::Status => validate::status_update(name, value, old, checks),
    })
}

/// Removes the fields of features that are off, as the strategies do before validation.
pub(crate) fn drop_disabled(kind: &Kind, part: Part, value: &mut Value, old: Option<&Value>) {
    if kind.schema.group == GROUP {
        let part = match part {
            Part::Main => validate::Part::Main,
            Part::Status => validate::Part::Status,
        };
        validate::drop_disabled_fields(&kind.schema.kind, part, value, old, &Gates::default());
    }
}

fn with_checks(
    kind: &Kind,
    run: impl FnOnce(&str, &Checks<'_>) -> Option<Vec<FieldError>>,
) -> Option<Vec<FieldError>> {
    if kind.schema.group != GROUP {
        return None;
    }
    let gates = Gates::default();
    let options = Options {
        consumable_capacity: gates.consumable_capacity,
        list_type_attributes: gates.list_type_attributes,
        ..Options::STORED
    };
    let compile = |expression: &str, purpose: CelUse| {
        match purpose {
            CelUse::Selector => match Program::compile(expression, &options) {
                Ok(program) => Ok(program.estimated_cost()),
                Err(error) => Err(CelProblem::invalid(error.to_string())),
            },
            // The feature is off, so that fields with such expressions are dropped before.
            CelUse::DerivedAttribute => Err(CelProblem::internal(
                "derived attributes are not emulated by drakit",
            )),
        }
    };
    run(&kind.schema.kind, &Checks::new(gates).with_cel(&compile))
}
