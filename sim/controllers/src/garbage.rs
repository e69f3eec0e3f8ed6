//! Objects whose owners are gone (`pkg/controller/garbagecollector`).

use drakit_sim_store::{Change, ChangeKind, DeleteOptions, Expect, Object, Resource, StoreError};
use serde_json::{Value, json};

use crate::work::{Item, ReconcileError, Work, gone_is_fine};
use crate::world::{Ref, World};

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

pub(crate) fn notice(world: &World, me: &Ref, change: &Change, work: &mut Work) {
    let object = &change.object;
    if change.kind == ChangeKind::Deleted {
        world
            .dependents(object.uid())
            .into_iter()
            .for_each(|d| work.add(Item::Garbage(d)));
        // An owner that waits for its dependents may go now.
        for owner in owner_references(object) {
            if let Some(of) = world.owner(&owner) {
                work.add(Item::Garbage(of));
            }
        }
    } else if has_finalizer(object, FOREGROUND) || has_finalizer(object, ORPHAN) {
        work.add(Item::Garbage(me.clone()));
    } else if change.kind == ChangeKind::Added && !owner_references(object).is_empty() {
        // Made by somebody whose owner went in the meantime.
        work.add(Item::Garbage(me.clone()));
    }
}

pub(crate) fn sync(world: &World, of: &Ref) -> Result<(), ReconcileError> {
    let Some(resource) = world.resource(of).cloned() else {
        return Ok(());
    };
    let Some(object) = world.get(&resource, &of.key)? else {
        return Ok(());
    };
    if object.is_deleting() && has_finalizer(&object, ORPHAN) {
        return orphan_dependents(world, &resource, &object);
    }
    if object.is_deleting() && has_finalizer(&object, FOREGROUND) {
        return delete_dependents_first(world, &resource, &object);
    }
    let owners = owner_references(&object);
    let absent = |o: &Value| !world.is_alive(o["uid"].as_str().unwrap_or(""));
    if owners.is_empty() || object.is_deleting() {
        return Ok(());
    }
    if owners.iter().all(absent) {
        return gone_is_fine(world.store.delete(&resource, &of.key, &background(&object)));
    }
    if owners.iter().any(absent) {
        return without_owners(world, &resource, &object, absent);
    }
    Ok(())
}

fn background(object: &Object) -> DeleteOptions {
    DeleteOptions {
        uid: Some(object.uid().to_owned()),
        propagation_policy: Some("Background".into()),
        ..DeleteOptions::default()
    }
}

fn delete_dependents_first(
    world: &World,
    resource: &Resource,
    object: &Object,
) -> Result<(), ReconcileError> {
    let mut blocked = false;
    for dependent in world.dependents(object.uid()) {
        let Some(kind) = world.resource(&dependent).cloned() else {
            continue;
        };
        let Some(found) = world.get(&kind, &dependent.key)? else {
            continue;
        };
        let blocks = owner_references(&found)
            .iter()
            .any(|o| o["uid"].as_str() == Some(object.uid()) && o["blockOwnerDeletion"] == true);
        blocked |= blocks;
        if !found.is_deleting() {
            let mut options = background(&found);
            options.propagation_policy = Some("Foreground".into());
            gone_is_fine(world.store.delete(&kind, &dependent.key, &options))?;
        }
    }
    if blocked && !world.dependents(object.uid()).is_empty() {
        return Ok(());
    }
    drop_finalizer(world, resource, object, FOREGROUND)
}

fn orphan_dependents(
    world: &World,
    resource: &Resource,
    object: &Object,
) -> Result<(), ReconcileError> {
    for dependent in world.dependents(object.uid()) {
        let Some(kind) = world.resource(&dependent).cloned() else {
            continue;
        };
        let Some(found) = world.get(&kind, &dependent.key)? else {
            continue;
        };
        without_owners(world, &kind, &found, |o| {
            o["uid"].as_str() == Some(object.uid())
        })?;
    }
    drop_finalizer(world, resource, object, ORPHAN)
}

fn without_owners(
    world: &World,
    resource: &Resource,
    object: &Object,
    drop: impl Fn(&Value) -> bool,
) -> Result<(), ReconcileError> {
    gone_is_fine(
        world
            .store
            .update(resource, &object.key(), &Expect::uid(object.uid()), |old| {
                let mut new = old.value().clone();
                let kept: Vec<Value> = owner_references(old)
                    .into_iter()
                    .filter(|o| !drop(o))
                    .collect();
                new["metadata"]["ownerReferences"] = json!(kept);
                Ok::<_, StoreError>(new)
            }),
    )
}

fn drop_finalizer(
    world: &World,
    resource: &Resource,
    object: &Object,
    name: &str,
) -> Result<(), ReconcileError> {
    gone_is_fine(
        world
            .store
            .update(resource, &object.key(), &Expect::uid(object.uid()), |old| {
                let mut new = old.value().clone();
                if let Some(list) = new["metadata"]["finalizers"].as_array_mut() {
                    list.retain(|f| f != name);
                }
                Ok::<_, StoreError>(new)
            }),
    )
}

fn has_finalizer(object: &Object, name: &str) -> bool {
    object
        .at(&["metadata", "finalizers"])
        .as_array()
        .into_iter()
        .flatten()
        .any(|f| f == name)
}

pub(crate) fn owner_references(object: &Object) -> Vec<Value> {
    object
        .at(&["metadata", "ownerReferences"])
        .as_array()
        .cloned()
        .unwrap_or_default()
}
