//! Strategic merge patch of objects (apimachinery `pkg/util/strategicpatch`), driven by the
//! patch strategies of the vendored types.

use serde_json::{Map, Value};

use super::{PatchError, lists};
use crate::{
    GroupVersionKind, Schemas,
    types::{Field, Node},
};

type Object = Map<String, Value>;

pub(super) const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList";
const ELEMENT_ORDER: &str = "$setElementOrder";

impl Schemas {
    /// Applies a strategic merge patch to an object of this kind.
    ///
    /// # Errors
    /// When the body is not one, or does not apply.
    pub fn strategic_merge(
        &self,
        gvk: &GroupVersionKind,
        current: &Value,
        body: &[u8],
    ) -> Result<Value, PatchError> {
        let patch: Value = serde_json::from_slice(body)
            .map_err(|error| PatchError::Malformed(error.to_string()))?;
        let (Value::Object(patch), Value::Object(current)) = (patch, current.clone()) else {
            return Err(PatchError::Malformed("invalid JSON document".to_owned()));
        };
        let node = self.type_of(gvk).map_or(Node::Raw, Node::Struct);
        Ok(Value::Object(
            Merger { schemas: self }.object(&node, current, patch)?,
        ))
    }
}

pub(super) struct Merger<'a> {
    schemas: &'a Schemas,
}

impl Merger<'_> {
    /// The field of a struct; `None` within maps and in what has no type.
    fn field(&self, node: &Node, name: &str) -> Option<&Field> {
        match node {
            Node::Struct(id) => self.schemas.field(*id, name),
            _ => None,
        }
    }

    fn child_node(&self, node: &Node, name: &str) -> Node {
        match node {
            Node::Map(map) => map.value.clone(),
            _ => self
                .field(node, name)
                .map_or(Node::Raw, |field| field.node.clone()),
        }
    }

    /// Merges a patch into an object.
    pub(super) fn object(
        &self,
        node: &Node,
        mut original: Object,
        mut patch: Object,
    ) -> Result<Object, PatchError> {
        match patch
            .get(DIRECTIVE)
            .map(|directive| directive.as_str().unwrap_or_default().to_owned())
        {
            Some(directive) if directive == "replace" => {
                patch.remove(DIRECTIVE);
                return Ok(patch);
            }
            Some(directive) if directive == "delete" => return Ok(Object::new()),
            Some(directive) => return Err(unknown_directive(&directive, patch)),
            None => {}
        }
        retain_keys(&mut original, &mut patch)?;
        self.ordered_lists(node, &mut original, &mut patch)?;
        for (key, value) in patch {
            if let Some(list) = key.strip_prefix(DELETE_FROM_LIST) {
                let name = list
                    .strip_prefix('/')
                    .ok_or_else(|| malformed("primitive list"))?;
                lists::remove_scalars(&mut original, name, &value)?;
            } else {
                self.entry(node, &mut original, key, value)?;
            }
        }
        Ok(original)
    }

    fn entry(
        &self,
        node: &Node,
        original: &mut Object,
        key: String,
        value: Value,
    ) -> Result<(), PatchError> {
        let merged = match (original.remove(&key), value) {
            (_, Value::Null) => None,
            (Some(Value::Object(before)), Value::Object(patch)) => {
                let replace = self
                    .field(node, &key)
                    .is_some_and(|field| field.strategy.replace);
                Some(Value::Object(if replace {
                    patch
                } else {
                    self.object(&self.child_node(node, &key), before, patch)?
                }))
            }
            (Some(Value::Array(before)), Value::Array(patch)) => match self.field(node, &key) {
                Some(field) if field.strategy.merge => {
                    Some(Value::Array(lists::merge(self, field, before, patch)?))
                }
                _ => Some(Value::Array(patch)),
            },
            (_, mut value) => {
                discard_nulls(&mut value);
                without_directives(value)
            }
        };
        if let Some(merged) = merged {
            original.insert(key, merged);
        }
        Ok(())
    }

    /// Lists whose order the patch says with `$setElementOrder/<field>`.
    fn ordered_lists(
        &self,
        node: &Node,
        original: &mut Object,
        patch: &mut Object,
    ) -> Result<(), PatchError> {
        let directives: Vec<String> = patch
            .keys()
            .filter(|key| key.starts_with(ELEMENT_ORDER))
            .cloned()
            .collect();
        for directive in directives {
            let name = directive[ELEMENT_ORDER.len()..].strip_prefix('/');
            let name = name
                .ok_or_else(|| malformed("setElementOrder list"))?
                .to_owned();
            let Some(Value::Array(order)) = patch.remove(&directive) else {
                return Err(malformed("setElementOrder list"));
            };
            let (before, changes) = (take_list(original, &name)?, take_list(patch, &name)?);
            let field = self.field(node, &name);
            let merged = lists::merge_in_order(self, field, before, changes, &order)?;
            if let Some(merged) = merged {
                original.insert(name, Value::Array(merged));
            }
        }
        Ok(())
    }
}

fn take_list(object: &mut Object, name: &str) -> Result<Option<Vec<Value>>, PatchError> {
    match object.remove(name) {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items)),
        Some(_) => Err(malformed("setElementOrder list")),
    }
}

/// `$retainKeys`: only these keys stay, and the patch may name no other.
fn retain_keys(original: &mut Object, patch: &mut Object) -> Result<(), PatchError> {
    let keys = match patch.remove(RETAIN_KEYS) {
        None => return Ok(()),
        Some(Value::Array(keys)) => keys,
        Some(_) => return Err(malformed("retainKeys")),
    };
    let kept = |key: &str| keys.iter().any(|known| known == key);
    let strange = patch.iter().any(|(key, value)| {
        let directive = key.starts_with(DELETE_FROM_LIST) || key.starts_with(ELEMENT_ORDER);
        !value.is_null() && !directive && !kept(key)
    });
    if strange {
        return Err(malformed("retainKeys"));
    }
    original.retain(|key, _| kept(key));
    Ok(())
}

fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            entries.retain(|_, entry| !entry.is_null());
            entries.values_mut().for_each(discard_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// A new value without `$patch` objects in it; `None` when it is one.
pub(super) fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(entries) if entries.contains_key(DIRECTIVE) => None,
        Value::Object(entries) => Some(Value::Object(
            entries
                .into_iter()
                .filter_map(|(key, entry)| Some((key, without_directives(entry)?)))
                .collect(),
        )),
        Value::Array(items) => Some(Value::Array(
            items.into_iter().filter_map(without_directives).collect(),
        )),
        value => Some(value),
    }
}

pub(super) fn unknown_directive(directive: &str, patch: Object) -> PatchError {
    let patch = crate::go_print::value(&Value::Object(patch));
    PatchError::Unmergeable(format!("unknown patch type: {directive} in map: {patch}"))
}

pub(super) fn malformed(what: &str) -> PatchError {
    PatchError::Malformed(format!("invalid patch format of {what}"))
}
