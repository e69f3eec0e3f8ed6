//! One immutable version of one object.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Name of an object within its kind. Orders as etcd does: namespace, then name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Empty for kinds without a namespace.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

impl Key {
    /// A key in a namespace.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// A key of a kind without namespaces.
    pub fn cluster(name: impl Into<String>) -> Self {
        Self::new("", name)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

/// One version of one object. Never changes; a new version is a new `Object`.
#[derive(Debug)]
pub struct Object {
    value: Value,
    version: u64,
    json: OnceLock<Bytes>,
}

impl Object {
    pub(crate) fn new(value: Value, version: u64) -> Arc<Self> {
        Arc::new(Self {
            value,
            version,
            json: OnceLock::new(),
        })
    }

    /// The object as JSON, `metadata.resourceVersion` included.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// `metadata.resourceVersion` as a number.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The JSON text, made at most once however many watches send it.
    pub fn json(&self) -> &Bytes {
        self.json
            .get_or_init(|| Bytes::from(self.value.to_string()))
    }

    /// The object as a typed struct.
    ///
    /// # Errors
    /// When a field has another type than `T` says.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.value)
    }

    /// The value at `path`, or `Null`.
    pub fn at(&self, path: &[&str]) -> &Value {
        const NULL: &Value = &Value::Null;
        path.iter()
            .fold(&self.value, |v, step| v.get(step).unwrap_or(NULL))
    }

    /// The string at `path`, or `""`.
    pub fn str_at(&self, path: &[&str]) -> &str {
        self.at(path).as_str().unwrap_or("")
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.str_at(&["metadata", "name"])
    }

    /// `metadata.namespace`, empty for kinds without one.
    pub fn namespace(&self) -> &str {
        self.str_at(&["metadata", "namespace"])
    }

    /// `metadata.uid`.
    pub fn uid(&self) -> &str {
        self.str_at(&["metadata", "uid"])
    }

    /// Namespace and name.
    pub fn key(&self) -> Key {
        Key::new(self.namespace(), self.name())
    }

    /// True once `metadata.deletionTimestamp` is set.
    pub fn is_deleting(&self) -> bool {
        !self.at(&["metadata", "deletionTimestamp"]).is_null()
    }

    /// `metadata.labels[name]`.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.at(&["metadata", "labels", name]).as_str()
    }

    /// The owner reference with `controller: true`, if any.
    pub fn controller(&self) -> Option<&Value> {
        self.at(&["metadata", "ownerReferences"])
            .as_array()?
            .iter()
            .find(|r| r.get("controller").and_then(Value::as_bool) == Some(true))
    }
}
