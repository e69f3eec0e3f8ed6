//! How the places of a typed object are told apart, and whether they are told apart at all.

use serde_json::{Map, Value};

use super::set::Element;
use crate::{
    Schemas,
    types::{Field, List, ListKind, Node, Type},
};

/// What a walk does at one place.
#[derive(Clone, Copy)]
pub(super) enum Shape<'a> {
    /// Scalars, and what is atomic: owned and changed as a whole.
    Leaf,
    /// A struct: each field by itself.
    Struct(&'a Type),
    /// A map: each key by itself.
    Map(&'a Node),
    /// An associative list: each item by its identity.
    List(&'a List),
}

/// The shape of a place.
pub(super) fn shape<'a>(schemas: &'a Schemas, node: &'a Node) -> Shape<'a> {
    match node {
        Node::Struct(id) => {
            let known = schemas.get(*id);
            if known.atomic {
                Shape::Leaf
            } else {
                Shape::Struct(known)
            }
        }
        Node::Map(map) if !map.atomic => Shape::Map(&map.value),
        Node::List(list) if list.kind != ListKind::Atomic => Shape::List(list),
        // Free-form JSON (`RawExtension`) is atomic in the built-in types.
        _ => Shape::Leaf,
    }
}

impl<'a> Shape<'a> {
    /// What stands at a key of a struct or map.
    pub(super) fn child(&self, key: &str) -> &'a Node {
        match self {
            Shape::Struct(known) => known
                .fields
                .get(key)
                .map_or(&Node::Raw, |field| &field.node),
            Shape::Map(value) => value,
            Shape::List(list) => &list.item,
            Shape::Leaf => &Node::Raw,
        }
    }

    /// Whether a key is a field that the type names, not a key of a map.
    pub(super) fn names(&self, key: &str) -> bool {
        matches!(self, Shape::Struct(known) if known.fields.contains_key(key))
    }
}

/// The element of a list item.
pub(super) fn item_element(
    schemas: &Schemas,
    list: &List,
    item: &Value,
) -> Result<Element, String> {
    if list.kind == ListKind::Set {
        return match item {
            Value::Object(_) => {
                Err("associative list without keys has an element that's a map type".to_owned())
            }
            Value::Array(_) => {
                Err("not supported: associative list with lists as elements".to_owned())
            }
            Value::Null => Err(
                "associative list without keys has an element that's an explicit null".to_owned(),
            ),
            scalar => Ok(format!("v:{scalar}").into()),
        };
    }
    let object = match item {
        Value::Object(object) => object,
        Value::Null => {
            return Err("associative list with keys may not have a null element".to_owned());
        }
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    };
    let mut keys = Map::new();
    for key in &list.keys {
        if let Some(value) = object.get(key).or_else(|| key_default(schemas, list, key)) {
            keys.insert(key.clone(), value.clone());
        }
    }
    if keys.is_empty() {
        let names = list
            .keys
            .iter()
            .map(|key| format!("{key:?}"))
            .collect::<Vec<_>>()
            .join(" ");
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{names}] \
             (and doesn't have default values for any key fields)"
        ));
    }
    Ok(format!("k:{}", Value::Object(keys)).into())
}

/// A key that is left out has its default: `protocol` of a port is `TCP`.
fn key_default<'a>(schemas: &'a Schemas, list: &List, key: &str) -> Option<&'a Value> {
    match list.item {
        Node::Struct(id) => schemas.field(id, key).and_then(default_of),
        _ => None,
    }
}

fn default_of(field: &Field) -> Option<&Value> {
    static EMPTY: Value = Value::String(String::new());
    // Required texts have the default "" in the documents; the compact table leaves zero defaults out.
    let empty = (field.required && field.node == Node::String).then_some(&EMPTY);
    field.default.as_ref().or(empty)
}
