//! Objects in the form that the client asked for, spliced from their stored JSON.

use std::sync::Arc;

use bytes::Bytes;
use drakit_sim_store::Object;
use serde_json::{Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::negotiate::Form;
use crate::tables::Tables;

/// One object.
pub(crate) fn object(call: &Call<'_>, object: &Object) -> Result<Bytes, Failure> {
    Ok(match call.form {
        Form::Plain => object.json().clone(),
        Form::Metadata => Bytes::from(metadata_only(object.value()).to_string()),
        Form::Table => {
            let tables = Tables::new(call)?;
            let meta = json!({"resourceVersion": object.str_at(&["metadata", "resourceVersion"])});
            Bytes::from(tables.document(&meta, &[tables.row(object)], true))
        }
    })
}

/// A list. `meta` is its `ListMeta`.
pub(crate) fn list(
    call: &Call<'_>,
    objects: &[Arc<Object>],
    meta: &Value,
) -> Result<Bytes, Failure> {
    Ok(match call.form {
        Form::Plain => {
            let kind = call.kind.schema.list_kind();
            splice(
                &kind,
                &call.kind.api_version,
                meta,
                objects.iter().map(|o| o.json().clone()),
            )
        }
        Form::Metadata => {
            let items = objects
                .iter()
                .map(|o| Bytes::from(metadata_only(o.value()).to_string()));
            splice("PartialObjectMetadataList", "meta.k8s.io/v1", meta, items)
        }
        Form::Table => {
            let tables = Tables::new(call)?;
            let rows: Vec<String> = objects.iter().map(|o| tables.row(o)).collect();
            Bytes::from(tables.document(meta, &rows, true))
        }
    })
}

fn splice(
    kind: &str,
    api_version: &str,
    meta: &Value,
    items: impl Iterator<Item = Bytes>,
) -> Bytes {
    let mut text = format!(
        "{{\"kind\":{},\"apiVersion\":{},\"metadata\":{meta},\"items\":[",
        json!(kind),
        json!(api_version)
    )
    .into_bytes();
    for (index, item) in items.enumerate() {
        if index > 0 {
            text.push(b',');
        }
        text.extend_from_slice(&item);
    }
    text.extend_from_slice(b"]}");
    Bytes::from(text)
}

/// An object's `PartialObjectMetadata`.
pub(crate) fn metadata_only(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object.get("metadata"),
    })
}
