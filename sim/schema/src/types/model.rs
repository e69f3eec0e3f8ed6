//! The compact description of Kubernetes types that everything else walks.
//!
//! It joins what the OpenAPI v3 documents say (structure, list and map kinds,
//! patch strategies) with what only the Go declarations say (which fields are
//! pointers, which are omitted when empty, their protobuf numbers, the Go
//! types that appear in error texts).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Index of a [`Type`] in its [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TypeId(pub u32);

/// What may stand at one place of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// A string.
    #[serde(rename = "s")]
    String,
    /// Bytes, base64 in JSON.
    #[serde(rename = "y")]
    Bytes,
    /// A boolean.
    #[serde(rename = "b")]
    Bool,
    /// A 32-bit integer.
    #[serde(rename = "i")]
    Int32,
    /// A 64-bit integer.
    #[serde(rename = "l")]
    Int64,
    /// A floating point number.
    #[serde(rename = "f")]
    Float,
    /// `resource.Quantity`.
    #[serde(rename = "q")]
    Quantity,
    /// `metav1.Time`, seconds.
    #[serde(rename = "t")]
    Time,
    /// `metav1.MicroTime`, microseconds.
    #[serde(rename = "u")]
    MicroTime,
    /// `intstr.IntOrString`.
    #[serde(rename = "o")]
    IntOrString,
    /// `metav1.FieldsV1`.
    #[serde(rename = "v")]
    FieldsV1,
    /// Any JSON (`runtime.RawExtension`).
    #[serde(rename = "r")]
    Raw,
    /// A struct.
    #[serde(rename = "T")]
    Struct(TypeId),
    /// A list.
    #[serde(rename = "L")]
    List(Box<List>),
    /// A map with string keys.
    #[serde(rename = "M")]
    Map(Box<Map>),
}

/// A list and how its items are identified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// What one item is.
    #[serde(rename = "i")]
    pub item: Node,
    /// `x-kubernetes-list-type`; atomic when the document does not say.
    #[serde(rename = "k", default, skip_serializing_if = "is_default")]
    pub kind: ListKind,
    /// `x-kubernetes-list-map-keys`, in the document's order.
    #[serde(rename = "m", default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

/// `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListKind {
    /// Replaced as a whole.
    #[default]
    #[serde(rename = "a")]
    Atomic,
    /// Items are their own keys.
    #[serde(rename = "s")]
    Set,
    /// Items are objects, told apart by key fields.
    #[serde(rename = "m")]
    Map,
}

/// A map with string keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// What one value is.
    #[serde(rename = "v")]
    pub value: Node,
    /// `x-kubernetes-map-type: atomic`.
    #[serde(rename = "a", default, skip_serializing_if = "is_default")]
    pub atomic: bool,
}

/// One struct.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Type {
    /// OpenAPI name, `io.k8s.api.core.v1.Pod`.
    #[serde(rename = "n")]
    pub name: String,
    /// Fields by JSON name; those of embedded structs are included.
    #[serde(rename = "f")]
    pub fields: BTreeMap<String, Field>,
    /// Embedded structs that are their own message in protobuf: number, Go name ([`Field::via`]).
    #[serde(rename = "e", default, skip_serializing_if = "Vec::is_empty")]
    pub embedded: Vec<(u32, String)>,
    /// `x-kubernetes-map-type: atomic`.
    #[serde(rename = "a", default, skip_serializing_if = "is_default")]
    pub atomic: bool,
    /// The kinds that this struct is, when it is one.
    #[serde(rename = "k", default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<GroupVersionKind>,
}

impl Type {
    /// The Go name without package, as error texts have it: `Pod`.
    pub fn go_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or_default()
    }
}

/// One field of a struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// What may stand there.
    #[serde(rename = "n")]
    pub node: Node,
    /// Go type as `reflect` prints it, without a leading star; empty when unknown.
    #[serde(rename = "g", default, skip_serializing_if = "String::is_empty")]
    pub go_type: String,
    /// Name of the embedded Go struct through which the field is reached.
    #[serde(rename = "e", default, skip_serializing_if = "String::is_empty")]
    pub via: String,
    /// The Go field is a pointer: a present zero value is kept.
    #[serde(rename = "p", default, skip_serializing_if = "is_default")]
    pub pointer: bool,
    /// `omitempty` or `omitzero`: not written when empty.
    #[serde(rename = "o", default, skip_serializing_if = "is_default")]
    pub omit: Omit,
    /// Protobuf field number; 0 when the type has no protobuf form.
    #[serde(rename = "#", default, skip_serializing_if = "is_default")]
    pub number: u32,
    /// In the document's `required` list.
    #[serde(rename = "r", default, skip_serializing_if = "is_default")]
    pub required: bool,
    /// The document's `default`, when it is not just the zero value.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// `x-kubernetes-patch-merge-key`.
    #[serde(rename = "k", default, skip_serializing_if = "String::is_empty")]
    pub merge_key: String,
    /// `x-kubernetes-patch-strategy`.
    #[serde(rename = "s", default, skip_serializing_if = "is_default")]
    pub strategy: Strategy,
}

/// When Go's JSON encoder leaves a field out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Omit {
    /// Never: the zero value is written.
    #[default]
    #[serde(rename = "n")]
    Never,
    /// `omitempty`: empty scalars, lists, maps and nil pointers; structs stay.
    #[serde(rename = "e")]
    Empty,
    /// `omitzero`: zero structs too.
    #[serde(rename = "z")]
    Zero,
}

/// `x-kubernetes-patch-strategy`, a comma-separated list in the documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    /// Lists: merge items instead of replacing the list.
    #[serde(rename = "m", default, skip_serializing_if = "is_default")]
    pub merge: bool,
    /// Maps: keep only the keys named in `$retainKeys`.
    #[serde(rename = "r", default, skip_serializing_if = "is_default")]
    pub retain_keys: bool,
    /// Maps: replace instead of merging.
    #[serde(rename = "p", default, skip_serializing_if = "is_default")]
    pub replace: bool,
}

/// Group, version and kind of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupVersionKind {
    /// API group, empty for the core group.
    #[serde(rename = "g", default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// API version, `v1`.
    #[serde(rename = "v")]
    pub version: String,
    /// Kind, `Pod`.
    #[serde(rename = "k")]
    pub kind: String,
}

impl GroupVersionKind {
    /// `group/version`, or `version` in the core group: an object's `apiVersion`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Splits an object's `apiVersion`; more than one slash is not valid.
    pub fn parse(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        (!version.contains('/')).then(|| Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        })
    }
}

/// Every type of the vendored documents, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TypeTable {
    /// The types; a [`TypeId`] is an index into them.
    pub types: Vec<Type>,
    /// The resources that the documents' paths describe.
    pub resources: Vec<crate::resource::ResourcePaths>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
