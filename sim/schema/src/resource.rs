//! Which resources exist and how they are called.

use serde::{Deserialize, Serialize};

use crate::types::{GroupVersionKind, TypeId};

/// What the paths of an OpenAPI document say of one resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResourcePaths {
    /// API group, empty for the core group.
    pub group: String,
    /// API version, `v1`.
    pub version: String,
    /// Plural name, `resourceclaims`.
    pub plural: String,
    /// Kind, `ResourceClaim`.
    pub kind: String,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Discovery verbs, sorted: `create`, `delete`, `deletecollection`, `get`, `list`, `patch`, `update`, `watch`.
    pub verbs: Vec<String>,
    /// Subresources, sorted by name.
    pub subresources: Vec<Subresource>,
    /// The struct of one object.
    pub type_id: Option<TypeId>,
}

/// One subresource, `status` or `binding`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subresource {
    /// Name after the object's name in the path.
    pub name: String,
    /// What is read or written there.
    pub gvk: GroupVersionKind,
    /// Discovery verbs, sorted.
    pub verbs: Vec<String>,
}

/// One resource that the API server serves.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceType {
    /// API group, empty for the core group.
    pub group: String,
    /// API version, `v1`.
    pub version: String,
    /// Plural name, `resourceclaims`.
    pub plural: String,
    /// Singular name, `resourceclaim`.
    pub singular: String,
    /// Kind, `ResourceClaim`.
    pub kind: String,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Names such as `po`, in Kubernetes' order.
    pub short_names: &'static [&'static str],
    /// Categories such as `all`.
    pub categories: &'static [&'static str],
    /// Discovery verbs, sorted.
    pub verbs: Vec<String>,
    /// Subresources, sorted by name.
    pub subresources: Vec<Subresource>,
    /// The struct of one object.
    pub type_id: TypeId,
}

impl ResourceType {
    /// `group/version`, or `version` in the core group: the objects' `apiVersion`.
    pub fn api_version(&self) -> String {
        self.gvk().api_version()
    }

    /// Group, version and kind of the objects.
    pub fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind {
            group: self.group.clone(),
            version: self.version.clone(),
            kind: self.kind.clone(),
        }
    }

    /// `resourceclaims.resource.k8s.io`, or `pods` in the core group, as error texts have it.
    pub fn group_resource(&self) -> String {
        if self.group.is_empty() {
            self.plural.clone()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// The kind of lists, `ResourceClaimList`; client-go insists on it.
    pub fn list_kind(&self) -> String {
        format!("{}List", self.kind)
    }

    /// The subresource of this name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources
            .iter()
            .find(|subresource| subresource.name == name)
    }
}
