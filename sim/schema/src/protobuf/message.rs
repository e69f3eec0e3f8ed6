//! A message against a type, giving the JSON that Go would write.

use serde_json::{Map, Value};

use super::{
    special,
    wire::{Fields, Wire, WireError, text},
};
use crate::{
    Schemas,
    decode::is_written,
    types::{Field, Node, TypeId},
};

/// Kubernetes' own limit is the stack; no real object comes near this.
const MAX_DEPTH: usize = 64;

/// Decodes the message of a struct.
pub(super) fn object(
    schemas: &Schemas,
    id: TypeId,
    bytes: &[u8],
) -> Result<Map<String, Value>, WireError> {
    let mut into = Map::new();
    Decoder { schemas, depth: 0 }.merge(id, "", bytes, &mut into)?;
    Ok(into)
}

struct Decoder<'a> {
    schemas: &'a Schemas,
    depth: usize,
}

impl Decoder<'_> {
    /// Reads a message into an object. Fields of an embedded struct are in a message of their
    /// own, and in JSON among the others: `via` names that struct.
    fn merge(
        &mut self,
        id: TypeId,
        via: &str,
        bytes: &[u8],
        into: &mut Map<String, Value>,
    ) -> Result<(), WireError> {
        if self.depth == MAX_DEPTH {
            return Err(WireError::TooDeep);
        }
        self.depth += 1;
        let known = self.schemas.get(id);
        let mut fields = Fields::new(bytes);
        while let Some((number, value)) = fields.next()? {
            let own = |(_, field): &(&String, &Field)| field.number == number && field.via == via;
            if let Some((name, field)) = known.fields.iter().find(own) {
                self.field(name, field, value, into)?;
            } else if via.is_empty()
                && let Some((_, inner)) = known.embedded.iter().find(|(known, _)| *known == number)
            {
                self.merge(id, inner, value.bytes(inner)?, into)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn field(
        &mut self,
        name: &str,
        field: &Field,
        value: Wire<'_>,
        into: &mut Map<String, Value>,
    ) -> Result<(), WireError> {
        match &field.node {
            Node::List(list) => {
                let items = match (into.remove(name), &list.item, value) {
                    (Some(Value::Array(items)), ..) => items,
                    _ => Vec::new(),
                };
                let items = self.append(name, &list.item, value, items)?;
                into.insert(name.to_owned(), Value::Array(items));
            }
            Node::Map(map) => {
                let (key, value) = self.entry(name, &map.value, value.bytes(name)?)?;
                let entries = into
                    .entry(name)
                    .or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(entries) = entries {
                    entries.insert(key, value);
                }
            }
            node => {
                let value = self.single(name, field.number, node, value)?;
                if is_written(field, &value) {
                    into.insert(name.to_owned(), value);
                }
            }
        }
        Ok(())
    }

    fn append(
        &mut self,
        name: &str,
        item: &Node,
        value: Wire<'_>,
        mut items: Vec<Value>,
    ) -> Result<Vec<Value>, WireError> {
        match (item, value) {
            (Node::Int32 | Node::Int64 | Node::Bool, Wire::Bytes(packed)) => {
                for value in Fields::packed(packed)? {
                    items.push(self.single(name, 0, item, value)?);
                }
            }
            _ => items.push(self.single(name, 0, item, value)?),
        }
        Ok(items)
    }

    fn entry(
        &mut self,
        name: &str,
        node: &Node,
        bytes: &[u8],
    ) -> Result<(String, Value), WireError> {
        let (mut key, mut found) = (String::new(), None);
        let mut fields = Fields::new(bytes);
        while let Some((number, value)) = fields.next()? {
            match number {
                1 => key = text(number, value.bytes(name)?)?,
                2 => found = Some(self.map_value(name, node, value)?),
                _ => {}
            }
        }
        let empty = match node {
            Node::Struct(_) | Node::Map(_) => Value::Object(Map::new()),
            Node::List(_) => Value::Array(Vec::new()),
            Node::Quantity => Value::from("0"),
            _ => Value::from(""),
        };
        Ok((key, found.unwrap_or(empty)))
    }

    /// A list as map value (`ExtraValue`) is a message with the items as field 1.
    fn map_value(&mut self, name: &str, node: &Node, value: Wire<'_>) -> Result<Value, WireError> {
        let Node::List(list) = node else {
            return self.single(name, 2, node, value);
        };
        let mut items = Vec::new();
        let mut fields = Fields::new(value.bytes(name)?);
        while let Some((number, value)) = fields.next()? {
            if number == 1 {
                items.push(self.single(name, number, &list.item, value)?);
            }
        }
        Ok(Value::Array(items))
    }

    fn single(
        &mut self,
        name: &str,
        number: u32,
        node: &Node,
        value: Wire<'_>,
    ) -> Result<Value, WireError> {
        Ok(match node {
            Node::String => Value::String(text(number, value.bytes(name)?)?),
            Node::Bytes => special::base64(value, name)?,
            Node::Bool => Value::Bool(value.varint(name)? != 0),
            Node::Int32 | Node::Int64 => Value::from(value.signed(name)?),
            Node::Float => match value {
                Wire::Fixed64(bits) => Value::from(f64::from_bits(bits)),
                Wire::Fixed32(bits) => Value::from(f32::from_bits(bits)),
                _ => return Err(WireError::WrongType(name.to_owned())),
            },
            Node::Quantity => special::quantity(value.bytes(name)?)?,
            Node::IntOrString => special::int_or_string(value.bytes(name)?)?,
            Node::Time => special::time(value.bytes(name)?, false)?,
            Node::MicroTime => special::time(value.bytes(name)?, true)?,
            Node::Raw | Node::FieldsV1 => special::raw(value.bytes(name)?)?,
            Node::Struct(id) => {
                let mut object = Map::new();
                self.merge(*id, "", value.bytes(name)?, &mut object)?;
                Value::Object(object)
            }
            Node::List(_) | Node::Map(_) => return Err(WireError::WrongType(name.to_owned())),
        })
    }
}
