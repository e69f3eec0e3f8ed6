//! What a write expects of the stored object.

use crate::error::StoreError;
use crate::object::Object;
use crate::resource::Resource;

/// What a write expects of the stored object.
#[derive(Debug, Clone, Default)]
pub struct Expect {
    /// `metadata.uid`.
    pub uid: Option<String>,
    /// `metadata.resourceVersion`.
    pub resource_version: Option<String>,
}

impl Expect {
    /// Nothing.
    pub fn any() -> Self {
        Self::default()
    }

    /// This very version, as read before.
    pub fn version_of(object: &Object) -> Self {
        Self {
            uid: Some(object.uid().to_owned()),
            resource_version: Some(object.version().to_string()),
        }
    }

    /// This incarnation, whatever its version.
    pub fn uid(uid: impl Into<String>) -> Self {
        Self {
            uid: Some(uid.into()),
            resource_version: None,
        }
    }

    pub(crate) fn check(&self, resource: &Resource, object: &Object) -> Result<(), StoreError> {
        if let Some(uid) = self
            .uid
            .as_deref()
            .filter(|u| !u.is_empty() && *u != object.uid())
        {
            let message = format!(
                "StorageError: invalid object, Code: 4, Key: {}, Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                object.key(),
                object.uid()
            );
            return Err(StoreError::conflict(resource, object.name(), message));
        }
        match self.resource_version.as_deref() {
            Some(v) if !v.is_empty() && v != "0" && v != object.version().to_string() => {
                Err(StoreError::conflict(
                    resource,
                    object.name(),
                    "the object has been modified; please apply your changes to the latest version and try again",
                ))
            }
            _ => Ok(()),
        }
    }
}
