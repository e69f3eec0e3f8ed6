//! `metadata.managedFields` <-> managers and their sets.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Manager, fields_v1, set::Set};

/// What tells two entries apart. Appliers are one manager in every version; the version is
/// kept beside the set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ManagerKey {
    pub(super) name: String,
    /// `Apply`, not `Update`.
    pub(super) applies: bool,
    pub(super) subresource: String,
    /// Only of updates.
    pub(super) api_version: String,
}

/// What a manager owns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Owned {
    pub(super) set: Set,
    pub(super) api_version: String,
    /// RFC 3339; empty when the entry has none.
    pub(super) time: String,
}

pub(super) type Managers = BTreeMap<ManagerKey, Owned>;

impl ManagerKey {
    pub(super) fn new(manager: &Manager<'_>, applies: bool, api_version: &str) -> Self {
        let name = if manager.name.is_empty() {
            "unknown"
        } else {
            manager.name
        };
        Self {
            name: name.to_owned(),
            applies,
            subresource: manager.subresource.to_owned(),
            api_version: if applies {
                String::new()
            } else {
                api_version.to_owned()
            },
        }
    }

    /// How conflicts name it: `"kubectl" with subresource "status" using v1`.
    pub(super) fn print(&self) -> String {
        let mut text = format!("{:?}", self.name);
        if !self.subresource.is_empty() {
            text = format!("{text} with subresource {:?}", self.subresource);
        }
        if self.applies {
            text
        } else {
            format!("{text} using {}", self.api_version)
        }
    }
}

/// Reads `metadata.managedFields` of an object.
pub(super) fn decode(object: &Value) -> Result<Managers, String> {
    let mut managers = Managers::new();
    let entries = object["metadata"]["managedFields"].as_array();
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let applies = match text("operation").as_str() {
            "Apply" => true,
            "Update" => false,
            _ => return Err("operation must be `Apply` or `Update`".to_owned()),
        };
        let api_version = text("apiVersion");
        if api_version.is_empty() {
            return Err("apiVersion must not be empty".to_owned());
        }
        match text("fieldsType").as_str() {
            "FieldsV1" => {}
            "" => {
                return Err(format!(
                    "missing fieldsType in managed fields entry {index}"
                ));
            }
            other => {
                return Err(format!(
                    "invalid fieldsType {other:?} in managed fields entry {index}"
                ));
            }
        }
        let set = match &entry["fieldsV1"] {
            Value::Null => Set::default(),
            fields => fields_v1::from_value(fields)?,
        };
        let key = ManagerKey {
            name: text("manager"),
            applies,
            subresource: text("subresource"),
            api_version: if applies {
                String::new()
            } else {
                api_version.clone()
            },
        };
        managers.insert(
            key,
            Owned {
                set,
                api_version,
                time: text("time"),
            },
        );
    }
    Ok(managers)
}

/// Writes `metadata.managedFields` of an object, in the order of Kubernetes: applies first,
/// then by time.
pub(super) fn encode(managers: &Managers, object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    metadata.remove("managedFields");
    if managers.is_empty() {
        return;
    }
    let mut entries: Vec<(&ManagerKey, &Owned)> = managers.iter().collect();
    entries.sort_by_key(|(key, owned)| {
        (
            !key.applies,
            &owned.time,
            &key.name,
            &owned.api_version,
            &key.subresource,
        )
    });
    let entries = entries
        .into_iter()
        .map(|(key, owned)| entry(key, owned))
        .collect();
    metadata.insert("managedFields".to_owned(), Value::Array(entries));
}

fn entry(key: &ManagerKey, owned: &Owned) -> Value {
    let mut entry = Map::new();
    entry.insert("manager".to_owned(), json!(key.name));
    entry.insert(
        "operation".to_owned(),
        json!(if key.applies { "Apply" } else { "Update" }),
    );
    entry.insert("apiVersion".to_owned(), json!(owned.api_version));
    if !owned.time.is_empty() {
        entry.insert("time".to_owned(), json!(owned.time));
    }
    entry.insert("fieldsType".to_owned(), json!("FieldsV1"));
    entry.insert("fieldsV1".to_owned(), fields_v1::to_value(&owned.set));
    if !key.subresource.is_empty() {
        entry.insert("subresource".to_owned(), json!(key.subresource));
    }
    Value::Object(entry)
}
