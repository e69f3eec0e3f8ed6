//! `core/v1.NodeSelector`. Source: `kubernetes/pkg/apis/core/validation/validation.go`.

use serde_json::Value;

use super::findings::Findings;
use super::view;
use crate::field::{BadValue, FieldError, FieldPath};
use crate::names::{self, check};

/// A node selector at `path`.
pub(super) fn node_selector(selector: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("nodeSelectorTerms");
    let terms = view::list(selector, "nodeSelectorTerms");
    if terms.is_empty() {
        out.add(FieldError::required(
            &path,
            "must have at least one node selector term",
        ));
    }
    for (index, term) in terms.iter().enumerate() {
        let path = path.index(index);
        let expressions = path.child("matchExpressions");
        for (index, item) in view::list(term, "matchExpressions").iter().enumerate() {
            expression(item, &expressions.index(index), out);
        }
        let fields = path.child("matchFields");
        for (index, item) in view::list(term, "matchFields").iter().enumerate() {
            field(item, &fields.index(index), out);
        }
    }
}

fn expression(item: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let values = path.child("values");
    let count = view::list(item, "values").len();
    match view::text(item, "operator") {
        "In" | "NotIn" if count == 0 => out.add(FieldError::required(
            &values,
            "must be specified when `operator` is 'In' or 'NotIn'",
        )),
        "Exists" | "DoesNotExist" if count > 0 => out.add(FieldError::forbidden(
            &values,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        )),
        "Gt" | "Lt" if count != 1 => out.add(FieldError::required(
            &values,
            "must be specified single value when `operator` is 'Lt' or 'Gt'",
        )),
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        operator => unknown_operator(operator, path, out),
    }
    out.all(check::label_key(
        view::text(item, "key"),
        &path.child("key"),
    ));
    for (index, value) in view::texts(item, "values").enumerate() {
        out.all(check::label_value(value, &values.index(index)));
    }
}

fn field(item: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let values = path.child("values");
    match view::text(item, "operator") {
        "In" | "NotIn" => {
            if view::list(item, "values").len() != 1 {
                let text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                out.add(FieldError::required(&values, text));
            }
        }
        operator => unknown_operator(operator, path, out),
    }
    let key = view::text(item, "key");
    if key != "metadata.name" {
        out.add(FieldError::invalid(
            &path.child("key"),
            key,
            "not a valid field selector key",
        ));
        return;
    }
    for (index, value) in view::texts(item, "values").enumerate() {
        for problem in names::validate_node_name(value) {
            out.add(FieldError::invalid(&values.index(index), value, problem));
        }
    }
}

fn unknown_operator(operator: &str, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("operator");
    out.add(FieldError::invalid(
        &path,
        BadValue::json(&operator),
        "not a valid selector operator",
    ));
}
