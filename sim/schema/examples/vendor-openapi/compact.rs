//! OpenAPI v3 documents and Go declarations -> the compact type table.

use std::collections::{BTreeMap, BTreeSet};

use drakit_sim_schema::{
    resource::{ResourcePaths, Subresource},
    types::{
        Field, GroupVersionKind, List, ListKind, Map, Node, Omit, Strategy, Type, TypeId, TypeTable,
    },
};
use serde_json::Value;

use crate::go_source::{GoField, GoStructs};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// Collects documents and makes the table.
pub(crate) struct Compactor {
    go: GoStructs,
    schemas: BTreeMap<String, Value>,
    resources: BTreeMap<(String, String, String), ResourcePaths>,
}

impl Compactor {
    /// Starts with the Go declarations.
    pub(crate) fn new(go: GoStructs) -> Self {
        Self {
            go,
            schemas: BTreeMap::new(),
            resources: BTreeMap::new(),
        }
    }

    /// Adds one OpenAPI v3 document.
    pub(crate) fn add(&mut self, document: &Value) {
        for (name, schema) in entries(&document["components"]["schemas"]) {
            self.schemas.insert(name.clone(), schema.clone());
        }
        for (path, item) in entries(&document["paths"]) {
            self.add_path(path, item);
        }
    }

    fn add_path(&mut self, path: &str, item: &Value) {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (group, version, rest) = match parts.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return,
        };
        let (namespaced, rest) = match rest {
            ["namespaces", "{namespace}", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (plural, subresource) = match rest {
            [plural] | [plural, "{name}"] => (*plural, ""),
            [plural, "{name}", subresource] => (*plural, *subresource),
            _ => return,
        };
        if plural == "watch" {
            return;
        }
        let key = (group.to_owned(), version.to_owned(), plural.to_owned());
        let resource = self.resources.entry(key).or_default();
        group.clone_into(&mut resource.group);
        version.clone_into(&mut resource.version);
        plural.clone_into(&mut resource.plural);
        resource.namespaced |= namespaced;
        for operation in item
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::values)
        {
            add_operation(resource, subresource, operation);
        }
    }

    /// The finished table.
    pub(crate) fn finish(mut self) -> TypeTable {
        let names: Vec<String> = self
            .schemas
            .keys()
            .filter(|name| special(name).is_none())
            .cloned()
            .collect();
        let ids: BTreeMap<&str, TypeId> = (0_u32..)
            .zip(&names)
            .map(|(id, name)| (name.as_str(), TypeId(id)))
            .collect();
        let types: Vec<Type> = names
            .iter()
            .map(|name| self.one_type(name, &self.schemas[name], &ids))
            .collect();
        for resource in self.resources.values_mut() {
            let gvk = GroupVersionKind {
                group: resource.group.clone(),
                version: resource.version.clone(),
                kind: resource.kind.clone(),
            };
            resource.type_id = (0_u32..)
                .zip(&types)
                .find(|(_, known)| known.kinds.contains(&gvk))
                .map(|(id, _)| TypeId(id));
        }
        let resources = self
            .resources
            .into_values()
            .filter(|known| known.type_id.is_some());
        TypeTable {
            types,
            resources: resources.collect(),
        }
    }

    fn one_type(&self, name: &str, schema: &Value, ids: &BTreeMap<&str, TypeId>) -> Type {
        let required: BTreeSet<&str> = strings(&schema["required"]).collect();
        let mut go = BTreeMap::new();
        let mut embedded = Vec::new();
        self.go_fields(name, "", &mut go, &mut embedded);
        let fields = entries(&schema["properties"])
            .map(|(field, property)| {
                let described = go.get(field);
                let made = make_field(property, required.contains(field.as_str()), described, ids);
                (field.clone(), made)
            })
            .collect();
        let kinds = schema["x-kubernetes-group-version-kind"].as_array();
        Type {
            name: name.to_owned(),
            fields,
            embedded,
            atomic: schema["x-kubernetes-map-type"] == "atomic",
            kinds: match kinds {
                // DeleteOptions and the like belong to every group; one is enough.
                Some(kinds) if kinds.len() > 3 => Vec::new(),
                kinds => kinds.into_iter().flatten().map(gvk).collect(),
            },
        }
    }

    /// Fields of a Go struct and of what it embeds, by JSON name, with the
    /// name of the embedded struct.
    fn go_fields(
        &self,
        name: &str,
        via: &str,
        into: &mut BTreeMap<String, (GoField, String)>,
        embedded: &mut Vec<(u32, String)>,
    ) {
        for field in self.go.get(name).into_iter().flatten() {
            if !field.json.is_empty() {
                into.insert(field.json.clone(), (field.clone(), via.to_owned()));
                continue;
            }
            let target = self.embedded_name(name, &field.go_type);
            let short = field.go_type.rsplit('.').next().unwrap_or_default();
            if field.number > 0 {
                embedded.push((field.number, short.to_owned()));
            }
            self.go_fields(&target, short, into, &mut Vec::new());
        }
    }

    /// The OpenAPI name of an embedded struct: same package, or meta/v1.
    fn embedded_name(&self, outer: &str, go_type: &str) -> String {
        let short = go_type.rsplit('.').next().unwrap_or_default();
        let package = outer.rsplit_once('.').map_or("", |(package, _)| package);
        let same = format!("{package}.{short}");
        if self.go.contains_key(&same) {
            same
        } else {
            format!("{META}{short}")
        }
    }
}

fn add_operation(resource: &mut ResourcePaths, subresource: &str, operation: &Value) {
    let Some(action) = operation["x-kubernetes-action"].as_str() else {
        return;
    };
    let kind = gvk(&operation["x-kubernetes-group-version-kind"]);
    let verbs = if subresource.is_empty() {
        resource.kind = kind.kind;
        &mut resource.verbs
    } else {
        let at = resource
            .subresources
            .iter()
            .position(|known| known.name == subresource);
        let at = at.unwrap_or_else(|| {
            resource.subresources.push(Subresource {
                name: subresource.to_owned(),
                gvk: kind,
                verbs: Vec::new(),
            });
            resource.subresources.len() - 1
        });
        &mut resource.subresources[at].verbs
    };
    let mut add = |verb: &str| {
        if !verbs.iter().any(|known| known == verb) {
            verbs.push(verb.to_owned());
            verbs.sort();
        }
    };
    match action {
        "list" => {
            add("list");
            add("watch");
        }
        "post" => add("create"),
        "put" => add("update"),
        "connect" => {
            add("create");
            add("get");
        }
        other => add(other),
    }
    resource.subresources.sort_by(|a, b| a.name.cmp(&b.name));
}

fn make_field(
    property: &Value,
    required: bool,
    go: Option<&(GoField, String)>,
    ids: &BTreeMap<&str, TypeId>,
) -> Field {
    let strategy: Vec<&str> = property["x-kubernetes-patch-strategy"]
        .as_str()
        .unwrap_or_default()
        .split(',')
        .collect();
    let go_field = go.map(|(field, _)| field);
    Field {
        node: node(property, ids),
        go_type: go_field
            .map(|field| field.go_type.clone())
            .unwrap_or_default(),
        via: go.map(|(_, via)| via.clone()).unwrap_or_default(),
        pointer: go_field.is_some_and(|field| field.pointer),
        omit: match go_field {
            Some(field) if field.omit_zero => Omit::Zero,
            Some(field) if !field.omit_empty => Omit::Never,
            _ => Omit::Empty,
        },
        number: go_field.map_or(0, |field| field.number),
        required,
        // A zero default is no news, except behind a pointer.
        default: property
            .get("default")
            .filter(|default| {
                !is_zero(default)
                    || (go_field.is_some_and(|field| field.pointer) && !default.is_object())
            })
            .cloned(),
        merge_key: property["x-kubernetes-patch-merge-key"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        strategy: Strategy {
            merge: strategy.contains(&"merge"),
            retain_keys: strategy.contains(&"retainKeys"),
            replace: strategy.contains(&"replace"),
        },
    }
}

fn node(schema: &Value, ids: &BTreeMap<&str, TypeId>) -> Node {
    let reference = schema["$ref"]
        .as_str()
        .or_else(|| schema["allOf"][0]["$ref"].as_str());
    if let Some(name) = reference.and_then(|reference| reference.rsplit('/').next()) {
        return special(name)
            .or_else(|| ids.get(name).map(|id| Node::Struct(*id)))
            .unwrap_or(Node::Raw);
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("string"), Some("byte")) => Node::Bytes,
        (Some("string"), _) => Node::String,
        (Some("boolean"), _) => Node::Bool,
        (Some("integer"), Some("int32")) => Node::Int32,
        (Some("integer"), _) => Node::Int64,
        (Some("number"), _) => Node::Float,
        (Some("array"), _) => Node::List(Box::new(List {
            item: node(&schema["items"], ids),
            kind: match schema["x-kubernetes-list-type"].as_str() {
                Some("map") => ListKind::Map,
                Some("set") => ListKind::Set,
                _ => ListKind::Atomic,
            },
            keys: strings(&schema["x-kubernetes-list-map-keys"])
                .map(str::to_owned)
                .collect(),
        })),
        (Some("object"), _) if schema["additionalProperties"].is_object() => {
            Node::Map(Box::new(Map {
                value: node(&schema["additionalProperties"], ids),
                atomic: schema["x-kubernetes-map-type"] == "atomic",
            }))
        }
        _ => Node::Raw,
    }
}

/// Types whose JSON form is not what their struct says.
fn special(name: &str) -> Option<Node> {
    Some(match name {
        "io.k8s.apimachinery.pkg.api.resource.Quantity" => Node::Quantity,
        "io.k8s.apimachinery.pkg.apis.meta.v1.Time" => Node::Time,
        "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime" => Node::MicroTime,
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString" => Node::IntOrString,
        "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1" => Node::FieldsV1,
        "io.k8s.apimachinery.pkg.runtime.RawExtension" => Node::Raw,
        _ => return None,
    })
}

fn gvk(value: &Value) -> GroupVersionKind {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    GroupVersionKind {
        group: text("group"),
        version: text("version"),
        kind: text("kind"),
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(value) => value.as_f64() == Some(0.0),
        Value::String(value) => value.is_empty(),
        Value::Array(value) => value.is_empty(),
        Value::Object(value) => value.is_empty(),
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
