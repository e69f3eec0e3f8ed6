//! `meta.k8s.io/v1` Tables: what `kubectl get` prints.

use drakit_sim_store::Object;
use serde_json::{Value, json};

use crate::call::Call;
use crate::encode;
use crate::failure::Failure;
use crate::query::invalid_option;

/// How much of an object a row carries (`includeObject`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowObject {
    None,
    Metadata,
    Full,
}

/// Writes tables of one kind. Owns what it needs, since watches outlive their request.
#[derive(Debug)]
pub(crate) struct Tables {
    columns: Value,
    include: RowObject,
}

impl Tables {
    /// The printer for the kind of a request.
    pub(crate) fn new(call: &Call<'_>) -> Result<Self, Failure> {
        let include = match call.query.text("includeObject") {
            None | Some("Metadata") => RowObject::Metadata,
            Some("None") => RowObject::None,
            Some("Object") => RowObject::Full,
            Some(other) => {
                let message = format!("Invalid value: {other:?}: must be 'Metadata', 'Object', 'None', or empty");
                return Err(invalid_option("TableOptions", "FieldValueInvalid", "includeObject", message));
            }
        };
        Ok(Self { columns: columns(), include })
    }

    /// One object as a row.
    pub(crate) fn row(&self, object: &Object) -> String {
        let cells = json!([object.name(), object.at(&["metadata", "creationTimestamp"])]);
        match self.include {
            RowObject::None => format!("{{\"cells\":{cells}}}"),
            RowObject::Metadata => {
                let part = encode::metadata_only(object.value());
                format!("{{\"cells\":{cells},\"object\":{part}}}")
            }
            RowObject::Full => {
                let whole = String::from_utf8_lossy(object.json());
                format!("{{\"cells\":{cells},\"object\":{whole}}}")
            }
        }
    }

    /// The row of a bookmark.
    pub(crate) fn bookmark_row(kind: &str, api_version: &str, meta: &Value) -> String {
        let object = json!({"kind": kind, "apiVersion": api_version, "metadata": meta});
        json!({"cells": [], "object": object}).to_string()
    }

    /// A table. `with_columns` is false for later tables of one watch.
    pub(crate) fn document(&self, meta: &Value, rows: &[String], with_columns: bool) -> String {
        let columns = if with_columns { self.columns.to_string() } else { "null".to_owned() };
        format!(
            "{{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{meta},\"columnDefinitions\":{columns},\"rows\":[{}]}}",
            rows.join(",")
        )
    }
}

/// Columns of kinds without a printer of their own (`rest.NewDefaultTableConvertor`).
fn columns() -> Value {
    json!([
        {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0},
        {"name": "Created At", "type": "date", "format": "", "description": "", "priority": 0},
    ])
}
