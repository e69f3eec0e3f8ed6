//! CEL expressions.

use serde_json::Value;

use super::checks::{CelUse, Checks};
use super::findings::Findings;
use super::items::{self, Cover};
use super::view;
use crate::field::{FieldError, FieldPath};
use crate::limits;

const TOO_COMPLEX: &str = "too complex, exceeds cost limit";

/// `selectors` of a request or class. Expressions of an object that was accepted
/// before (`stored`) stay accepted.
pub(super) fn selectors(
    object: &Value,
    stored: bool,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) {
    let path = path.child("selectors");
    let selectors = view::list(object, "selectors");
    let max = limits::DEVICE_SELECTORS_MAX_SIZE;
    items::each(
        selectors,
        max,
        &path,
        Cover::Size,
        out,
        |selector, path, out| {
            let path = path.child("cel");
            let Some(cel) = view::present(selector, "cel") else {
                out.add(FieldError::required(&path, ""));
                return;
            };
            if !stored {
                let text = view::text(cel, "expression");
                expression(
                    text,
                    CelUse::Selector,
                    &path.child("expression"),
                    checks,
                    out,
                );
            }
        },
    );
}

/// One expression; its estimated cost if it compiles.
pub(super) fn expression(
    text: &str,
    purpose: CelUse,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) -> u64 {
    if text.len() > limits::CEL_SELECTOR_EXPRESSION_MAX_LENGTH {
        out.add(FieldError::too_long(
            path,
            limits::CEL_SELECTOR_EXPRESSION_MAX_LENGTH,
        ));
        return 0;
    }
    let Some(compile) = checks.cel else {
        return 0;
    };
    match compile(text, purpose) {
        Ok(cost) => {
            if cost > limits::CEL_SELECTOR_EXPRESSION_MAX_COST {
                out.add(FieldError::forbidden(path, TOO_COMPLEX));
            }
            cost
        }
        Err(problem) if problem.internal => {
            out.add(FieldError::internal(path, &problem.message));
            0
        }
        Err(problem) => {
            out.add(FieldError::invalid(path, text, problem.message));
            0
        }
    }
}
