//! The form in which Go writes an object back.
//!
//! A real API server stores what its Go structs encode to: quantities and
//! times rewritten, empty optional values left out, and a zero value for every
//! field that is neither a pointer nor `omitempty` (`status: {}`,
//! `resources: {}`, `containers: null`). Controllers and humans see that form.

use serde_json::{Map, Value};

use crate::{
    GroupVersionKind, Schemas,
    decode::{is_written, scalar},
    types::{Field, Node, Omit, TypeId},
};

impl Schemas {
    /// Brings a decoded object into the form that a real API server returns. Idempotent.
    /// A kind that is not in the vendored documents stays as it is.
    pub fn canonicalize(&self, gvk: &GroupVersionKind, object: &mut Value) {
        if let (Some(id), Value::Object(object)) = (self.type_of(gvk), object) {
            self.canonical_struct(id, object);
        }
    }

    fn canonical_struct(&self, id: TypeId, object: &mut Map<String, Value>) {
        for (name, field) in &self.get(id).fields {
            if let Some(value) = object.get_mut(name) {
                self.canonical_value(&field.node, value);
                if is_written(field, value) {
                    continue;
                }
                object.remove(name);
            }
            if let Some(zero) = self.written_when_absent(field) {
                object.insert(name.clone(), zero);
            }
        }
    }

    fn canonical_value(&self, node: &Node, value: &mut Value) {
        match (node, value) {
            (Node::Struct(id), Value::Object(object)) => self.canonical_struct(*id, object),
            (Node::List(list), Value::Array(items)) => {
                for item in items {
                    self.canonical_value(&list.item, item);
                }
            }
            (Node::Map(map), Value::Object(entries)) => {
                for entry in entries.values_mut() {
                    self.canonical_value(&map.value, entry);
                }
            }
            (Node::Quantity, Value::String(text)) => rewrite(text, scalar::quantity),
            (Node::Time, Value::String(text)) => rewrite(text, scalar::time),
            (Node::MicroTime, Value::String(text)) => rewrite(text, scalar::micro_time),
            _ => {}
        }
    }

    /// What Go writes for a field that is not there; `None` when it writes nothing.
    fn written_when_absent(&self, field: &Field) -> Option<Value> {
        if field.pointer || field.omit == Omit::Zero {
            return (field.omit == Omit::Never).then_some(Value::Null);
        }
        match &field.node {
            Node::Struct(id) => {
                let mut object = Map::new();
                self.canonical_struct(*id, &mut object);
                Some(Value::Object(object))
            }
            Node::Time | Node::MicroTime | Node::Raw | Node::FieldsV1 => Some(Value::Null),
            Node::IntOrString => Some(Value::from(0)),
            Node::Quantity => Some(Value::from("0")),
            _ if field.omit == Omit::Empty => None,
            Node::String => Some(Value::from("")),
            Node::Bool => Some(Value::Bool(false)),
            Node::Int32 | Node::Int64 | Node::Float => Some(Value::from(0)),
            Node::Bytes | Node::List(_) | Node::Map(_) => Some(Value::Null),
        }
    }
}

fn rewrite(text: &mut String, canonical: fn(&str) -> Result<String, String>) {
    // A text that is no quantity stays: it was let in by something else than decoding.
    if let Ok(canonical) = canonical(text)
        && canonical != *text
    {
        *text = canonical;
    }
}
