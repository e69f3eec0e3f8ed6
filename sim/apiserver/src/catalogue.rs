//! The kinds that are served, by path.

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_sim_schema::{ResourceType, Schemas};
use drakit_sim_store::Resource;
use drakit_sim_store::resource::EVENTS;

use crate::{alias, emulation};

/// One served kind.
#[derive(Debug)]
pub(crate) struct Kind {
    /// What is known of its type.
    pub(crate) schema: ResourceType,
    /// The store's view of it.
    pub(crate) store: Resource,
    /// `pods`, `resourceclaims.resource.k8s.io`.
    pub(crate) qualified: String,
    /// `Pod`, `ResourceClaim.resource.k8s.io`.
    pub(crate) long_name: String,
    /// `v1`, `resource.k8s.io/v1`.
    pub(crate) api_version: String,
    /// Field names as served and as stored, where they differ.
    pub(crate) renamed: Option<&'static [(&'static str, &'static str)]>,
    /// Why objects cannot be created, if so.
    pub(crate) refusal: Option<&'static str>,
}

impl Kind {
    fn new(schema: &ResourceType) -> Self {
        let store = Resource {
            group: schema.group.clone().into(),
            version: schema.version.clone().into(),
            plural: schema.plural.clone().into(),
            kind: schema.kind.clone().into(),
            namespaced: schema.namespaced,
            has_status: schema.subresource("status").is_some(),
        };
        Self {
            renamed: None,
            qualified: store.qualified(),
            long_name: store.qualified_kind(),
            api_version: store.api_version(),
            refusal: emulation::refusal(&schema.group, &schema.plural),
            schema: schema.clone(),
            store,
        }
        .with_alias()
    }

    /// Events of the newer API are stored as those of the older.
    fn with_alias(self) -> Self {
        if !self.is("events.k8s.io", "events") {
            return self;
        }
        Self {
            store: EVENTS.clone(),
            renamed: Some(alias::EVENT_FIELDS),
            ..self
        }
    }

    /// Whether this is the kind of that group and plural name.
    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        self.schema.group == group && self.schema.plural == plural
    }

    /// Whether discovery lists the verb.
    pub(crate) fn allows(&self, verb: &str) -> bool {
        self.schema.verbs.iter().any(|v| v == verb)
    }
}

type Versions = BTreeMap<String, BTreeMap<String, Arc<Kind>>>;

/// Every served kind: group, version, plural name.
#[derive(Debug)]
pub(crate) struct Catalogue {
    groups: BTreeMap<String, Versions>,
}

impl Catalogue {
    /// All kinds of the schemas.
    pub(crate) fn new(schemas: &Schemas) -> Self {
        let mut groups: BTreeMap<String, Versions> = BTreeMap::new();
        for schema in schemas.resources() {
            groups
                .entry(schema.group.clone())
                .or_default()
                .entry(schema.version.clone())
                .or_default()
                .insert(schema.plural.clone(), Arc::new(Kind::new(schema)));
        }
        Self { groups }
    }

    /// The kind that a path names.
    pub(crate) fn get(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Kind>> {
        self.groups.get(group)?.get(version)?.get(plural)
    }

    /// Kinds of a group and version by plural name.
    pub(crate) fn kinds(&self, group: &str, version: &str) -> Option<&BTreeMap<String, Arc<Kind>>> {
        self.groups.get(group)?.get(version)
    }

    /// Groups, the core group first, each with its versions, newest first.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.groups.iter().map(|(group, versions)| {
            (
                group.as_str(),
                versions.keys().rev().map(String::as_str).collect(),
            )
        })
    }
}
