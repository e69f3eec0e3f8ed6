//! `meta.k8s.io/v1` Tables: what `kubectl get` prints.

use std::sync::Arc;

use drakit_api::{FieldError, FieldPath};
use drakit_sim_schema::table;
use drakit_sim_store::{Clock, Object};
use serde_json::{Value, json};

use crate::alias;
use crate::call::Call;
use crate::catalogue::Kind;
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
    kind: Arc<Kind>,
    clock: Clock,
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
                let why = "must be 'Metadata', 'Object', 'None', or empty";
                let error = FieldError::invalid(&FieldPath::new("includeObject"), other, why);
                return Err(invalid_option("TableOptions", &error));
            }
        };
        Ok(Self {
            kind: call.kind.clone(),
            clock: call.app.store.clock().clone(),
            include,
        })
    }

    /// One object as a row.
    pub(crate) fn row(&self, object: &Object) -> String {
        let served = alias::served(&self.kind, object.value());
        let (schema, value) = (&self.kind.schema, served.as_ref());
        let cells = Value::Array(table::cells(schema, value, self.clock.now()));
        let mut row = format!("{{\"cells\":{cells}");
        let conditions = table::conditions(schema, value);
        if !conditions.is_empty() {
            row.push_str(",\"conditions\":");
            row.push_str(&Value::Array(conditions).to_string());
        }
        match self.include {
            RowObject::None => {}
            RowObject::Metadata => {
                row.push_str(",\"object\":");
                row.push_str(&encode::metadata_only(value).to_string());
            }
            RowObject::Full => {
                row.push_str(",\"object\":");
                row.push_str(&String::from_utf8_lossy(&encode::plain(&self.kind, object)));
            }
        }
        row.push('}');
        row
    }

    /// The row of a bookmark.
    pub(crate) fn bookmark_row(kind: &str, api_version: &str, meta: &Value) -> String {
        let object = json!({"kind": kind, "apiVersion": api_version, "metadata": meta});
        json!({"cells": [], "object": object}).to_string()
    }

    /// A table. `with_columns` is false for later tables of one watch.
    pub(crate) fn document(&self, meta: &Value, rows: &[String], with_columns: bool) -> String {
        let columns = if with_columns {
            json!(table::columns(&self.kind.schema))
        } else {
            Value::Null
        };
        format!(
            "{{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{meta},\"columnDefinitions\":{columns},\"rows\":[{}]}}",
            rows.join(",")
        )
    }
}
