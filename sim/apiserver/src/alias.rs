//! Kinds that show the objects of another kind in other words.
//!
//! There is one: an Event of `events.k8s.io/v1` is an Event of core `v1` with other field names
//! (`pkg/apis/events/v1/conversion.go`), and what is written through one API is read through both.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::catalogue::Kind;

/// Field names of `events.k8s.io/v1` and core `v1`; others are equal.
pub(crate) const EVENT_FIELDS: &[(&str, &str)] = &[
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

/// A stored object as the kind shows it.
pub(crate) fn served<'v>(kind: &Kind, stored: &'v Value) -> Cow<'v, Value> {
    let Some(fields) = kind.renamed else {
        return Cow::Borrowed(stored);
    };
    let mut value = stored.clone();
    rename(
        &mut value,
        fields.iter().map(|(served, stored)| (*stored, *served)),
    );
    value["apiVersion"] = json!(kind.api_version);
    value["kind"] = json!(kind.schema.kind);
    Cow::Owned(value)
}

/// What is stored for an object of the kind.
pub(crate) fn stored(kind: &Kind, mut served: Value) -> Value {
    if let Some(fields) = kind.renamed {
        rename(&mut served, fields.iter().copied());
        served["apiVersion"] = json!(kind.store.api_version());
        served["kind"] = json!(kind.store.kind);
    }
    served
}

fn rename<'a>(value: &mut Value, pairs: impl Iterator<Item = (&'a str, &'a str)>) {
    let Some(object) = value.as_object_mut() else {
        return;
    };
    for (from, to) in pairs {
        if let Some(field) = object.remove(from) {
            object.insert(to.to_owned(), field);
        }
    }
}
