//! Objects in the form that the client asked for, spliced from their stored JSON.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use drakit_sim_store::Object;
use serde_json::{Value, json};

use crate::alias;
use crate::call::Call;
use crate::catalogue::Kind;
use crate::failure::Failure;
use crate::negotiate::Form;
use crate::tables::Tables;

/// One object.
pub(crate) fn object(call: &Call<'_>, object: &Object) -> Result<Bytes, Failure> {
    Ok(match call.form {
        Form::Plain => plain(call.kind, object),
        Form::Metadata => Bytes::from(metadata_only(object.value()).to_string()),
        Form::Table => {
            let tables = Tables::new(call)?;
            let meta = json!({"resourceVersion": object.str_at(&["metadata", "resourceVersion"])});
            Bytes::from(tables.document(&meta, &[tables.row(object)], true))
        }
    })
}

/// An object's JSON: the stored bytes, unless the kind shows it in other words.
pub(crate) fn plain(kind: &Kind, object: &Object) -> Bytes {
    match alias::served(kind, object.value()) {
        Cow::Borrowed(_) => object.json().clone(),
        Cow::Owned(value) => Bytes::from(value.to_string()),
    }
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
                objects.iter().map(|o| plain(call.kind, o)),
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
