//! The loaded type table and its look-ups.

use std::{collections::HashMap, io, sync::Arc};

use crate::{
    names,
    openapi::{self, gunzip},
    resource::{ResourcePaths, ResourceType},
    types::{Field, GroupVersionKind, Type, TypeId, TypeTable},
};

/// Why the vendored type table could not be read: a broken build, not user input.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The bytes are not gzip.
    #[error("unpack the vendored type table: {0}")]
    Unpack(#[from] io::Error),
    /// The content is not a type table.
    #[error("read the vendored type table: {0}")]
    Read(#[from] serde_json::Error),
}

/// Everything known of types. Cloning is cheap: clones share one table.
#[derive(Clone, Debug)]
pub struct Schemas {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    types: Vec<Type>,
    kinds: HashMap<GroupVersionKind, TypeId>,
    resources: Vec<ResourceType>,
    metadata: TypeId,
}

impl Schemas {
    /// Loads the types of Kubernetes 1.37; a few milliseconds.
    ///
    /// # Errors
    /// When the vendored table is broken.
    pub fn load() -> Result<Self, LoadError> {
        let table: TypeTable = serde_json::from_slice(&gunzip(openapi::TYPES)?)?;
        let mut kinds = HashMap::new();
        let mut metadata = TypeId(0);
        for (id, known) in (0_u32..).map(TypeId).zip(&table.types) {
            for gvk in &known.kinds {
                kinds.insert(gvk.clone(), id);
            }
            if known.name == "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" {
                metadata = id;
            }
            // Options belong to every group; they are looked up as core v1.
            if let Some(kind) = known
                .name
                .strip_prefix("io.k8s.apimachinery.pkg.apis.meta.v1.")
            {
                let gvk = GroupVersionKind {
                    group: String::new(),
                    version: "v1".to_owned(),
                    kind: kind.to_owned(),
                };
                kinds.entry(gvk).or_insert(id);
            }
        }
        let resources = table
            .resources
            .into_iter()
            .filter_map(resource_type)
            .collect();
        Ok(Self {
            inner: Arc::new(Inner {
                types: table.types,
                kinds,
                resources,
                metadata,
            }),
        })
    }

    /// All served resources, sorted by group, version and plural name.
    pub fn resources(&self) -> &[ResourceType] {
        &self.inner.resources
    }

    /// The resource that a URL names.
    pub fn resource(&self, group: &str, version: &str, plural: &str) -> Option<&ResourceType> {
        let wanted = (group, version, plural);
        let key = |known: &ResourceType| {
            (
                known.group.as_str(),
                known.version.as_str(),
                known.plural.as_str(),
            )
                .cmp(&wanted)
        };
        let at = self.inner.resources.binary_search_by(key).ok()?;
        self.inner.resources.get(at)
    }

    /// The resource whose objects are of this kind.
    pub fn resource_of_kind(
        &self,
        group: &str,
        version: &str,
        kind: &str,
    ) -> Option<&ResourceType> {
        self.inner
            .resources
            .iter()
            .find(|known| known.group == group && known.version == version && known.kind == kind)
    }

    /// The struct of a kind: objects, lists, and what subresources take (`Binding`, `Scale`).
    /// Options (`DeleteOptions`) are found as core v1.
    pub fn type_of(&self, gvk: &GroupVersionKind) -> Option<TypeId> {
        self.inner.kinds.get(gvk).copied()
    }

    /// One struct.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.inner.types[id.0 as usize]
    }

    /// The struct of `metadata`.
    pub fn object_meta(&self) -> TypeId {
        self.inner.metadata
    }

    /// One field of a struct.
    pub fn field(&self, id: TypeId, name: &str) -> Option<&Field> {
        self.get(id).fields.get(name)
    }
}

fn resource_type(paths: ResourcePaths) -> Option<ResourceType> {
    Some(ResourceType {
        singular: paths.kind.to_lowercase(),
        short_names: names::short_names(&paths.group, &paths.plural),
        categories: names::categories(&paths.group, &paths.plural),
        type_id: paths.type_id?,
        group: paths.group,
        version: paths.version,
        plural: paths.plural,
        kind: paths.kind,
        namespaced: paths.namespaced,
        verbs: paths.verbs,
        subresources: paths.subresources,
    })
}
