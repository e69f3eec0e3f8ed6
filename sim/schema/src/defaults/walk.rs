//! Every struct of an object, each with its defaults.

use drakit_api::Quantity;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{Object, core, groups, pods, workloads};
use crate::{
    GroupVersionKind, Schemas,
    types::{Field, Node, Omit, TypeId},
};

impl Schemas {
    /// Fills in what Kubernetes fills in before it validates and stores an object. Idempotent,
    /// except that `now` goes into taints that have no `timeAdded`.
    ///
    /// Not done, because in Kubernetes it is not defaulting but the registry's or a plugin's
    /// work: a claim's status, a pod's tolerations, a job's selector, a service's cluster IP.
    pub fn default(&self, gvk: &GroupVersionKind, object: &mut Value, now: Timestamp) {
        if let (Some(id), Value::Object(object)) = (self.type_of(gvk), object) {
            Walk { schemas: self, now }.object(id, object);
        }
    }
}

struct Walk<'a> {
    schemas: &'a Schemas,
    now: Timestamp,
}

impl Walk<'_> {
    fn object(&self, id: TypeId, object: &mut Object) {
        let known = self.schemas.get(id);
        for (name, field) in &known.fields {
            if let Some(default) = &field.default
                && is_absent(object.get(name), field)
            {
                object.insert(name.clone(), default.clone());
            }
        }
        rules(&known.name, object, self.now);
        for (name, field) in &known.fields {
            self.field(name, field, object);
        }
    }

    fn field(&self, name: &str, field: &Field, object: &mut Object) {
        match (&field.node, object.get_mut(name)) {
            (Node::Struct(id), Some(Value::Object(inner))) => self.object(*id, inner),
            // A struct by value is always there in Go, and gets its defaults.
            (Node::Struct(id), None | Some(Value::Null))
                if !field.pointer && field.omit != Omit::Zero =>
            {
                let mut inner = Map::new();
                self.object(*id, &mut inner);
                if !inner.is_empty() {
                    object.insert(name.to_owned(), Value::Object(inner));
                }
            }
            (Node::List(list), Some(Value::Array(items))) => {
                if let Node::Struct(id) = list.item {
                    let objects = items.iter_mut().filter_map(Value::as_object_mut);
                    objects.for_each(|inner| self.object(id, inner));
                }
            }
            (Node::Map(map), Some(Value::Object(entries))) => match map.value {
                Node::Struct(id) => {
                    let objects = entries.values_mut().filter_map(Value::as_object_mut);
                    objects.for_each(|inner| self.object(id, inner));
                }
                Node::Quantity if field.go_type == "v1.ResourceList" => round_up(entries),
                _ => {}
            },
            _ => {}
        }
    }
}

fn is_absent(value: Option<&Value>, field: &Field) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(_) if field.pointer => false,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Number(number)) => number.as_i64() == Some(0),
        Some(_) => false,
    }
}

/// The rules that are Go code, by struct.
fn rules(name: &str, object: &mut Object, now: Timestamp) {
    let Some(name) = name.strip_prefix("io.k8s.api.") else {
        return;
    };
    match name.split_once('.') {
        Some(("core", name)) => {
            if !pods::rules(name, object) {
                core::rules(name, object);
            }
        }
        Some(("apps" | "batch", _)) => workloads::rules(name, object),
        _ => groups::rules(name, object, now),
    }
}

/// `SetDefaults_ResourceList`: no amount is finer than a thousandth.
fn round_up(amounts: &mut Object) {
    for amount in amounts.values_mut() {
        let Some(quantity) = amount
            .as_str()
            .and_then(|text| text.parse::<Quantity>().ok())
        else {
            continue;
        };
        let rounded = Quantity::from_milli(quantity.milli_value(), quantity.format());
        if rounded > quantity {
            *amount = Value::String(rounded.to_string());
        }
    }
}
