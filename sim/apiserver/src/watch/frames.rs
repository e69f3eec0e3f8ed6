//! Watch events as bytes.

use std::sync::Arc;

use drakit_sim_store::{Change, ChangeKind, Object};
use serde_json::json;

use crate::call::Call;
use crate::catalogue::Kind;
use crate::encode;
use crate::failure::Failure;
use crate::negotiate::Form;
use crate::tables::Tables;

/// Writes events in the form that the client asked for.
#[derive(Debug)]
pub(crate) struct Frames {
    kind: Arc<Kind>,
    form: Form,
    tables: Option<Tables>,
    /// Columns are sent with the first table only.
    columns_sent: bool,
}

impl Frames {
    pub(crate) fn new(call: &Call<'_>) -> Result<Self, Failure> {
        let tables = if call.form == Form::Table {
            Some(Tables::new(call)?)
        } else {
            None
        };
        Ok(Self {
            kind: call.kind.clone(),
            form: call.form,
            tables,
            columns_sent: false,
        })
    }

    /// Appends the event of a change.
    pub(crate) fn change(&mut self, out: &mut Vec<u8>, change: &Change) {
        let kind = match change.kind {
            ChangeKind::Added => "ADDED",
            ChangeKind::Modified => "MODIFIED",
            ChangeKind::Deleted => "DELETED",
        };
        self.object(out, kind, &change.object);
    }

    /// Appends an event about an object.
    pub(crate) fn object(&mut self, out: &mut Vec<u8>, kind: &str, object: &Object) {
        match (self.form, &self.tables) {
            (Form::Table, Some(tables)) => {
                let row = tables.row(object);
                let meta = json!({"resourceVersion": object.version().to_string()});
                let table = tables.document(&meta, &[row], !self.columns_sent);
                self.columns_sent = true;
                event(out, kind, table.as_bytes());
            }
            (Form::Metadata, _) => {
                event(
                    out,
                    kind,
                    encode::metadata_only(object.value()).to_string().as_bytes(),
                );
            }
            _ => event(out, kind, &encode::plain(&self.kind, object)),
        }
    }

    /// Appends a bookmark; `initial_end` marks the end of the initial events.
    pub(crate) fn bookmark(&mut self, out: &mut Vec<u8>, version: u64, initial_end: bool) {
        let mut meta = json!({"resourceVersion": version.to_string()});
        if initial_end {
            meta["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let text = match (self.form, &self.tables) {
            (Form::Table, Some(tables)) => {
                let list_meta = json!({"resourceVersion": version.to_string()});
                let row =
                    Tables::bookmark_row(&self.kind.schema.kind, &self.kind.api_version, &meta);
                let table = tables.document(&list_meta, &[row], !self.columns_sent);
                self.columns_sent = true;
                table
            }
            (Form::Metadata, _) => encode::metadata_only(&json!({"metadata": meta})).to_string(),
            _ => json!({
                "kind": self.kind.schema.kind,
                "apiVersion": self.kind.api_version,
                "metadata": meta,
            })
            .to_string(),
        };
        event(out, "BOOKMARK", text.as_bytes());
    }

    /// Appends the event that ends a watch.
    pub(crate) fn error(out: &mut Vec<u8>, failure: &Failure) {
        event(out, "ERROR", failure.status().to_string().as_bytes());
    }
}

fn event(out: &mut Vec<u8>, kind: &str, object: &[u8]) {
    out.reserve(object.len() + 40);
    out.extend_from_slice(b"{\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\",\"object\":");
    out.extend_from_slice(object);
    out.extend_from_slice(b"}\n");
}
