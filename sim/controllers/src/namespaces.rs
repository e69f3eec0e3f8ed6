//! Default namespaces and accounts, and the end of a namespace.

use drakit_sim_store::resource::{CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS};
use drakit_sim_store::{DeleteOptions, Expect, Key, Store, StoreError};
use serde_json::{Value, json};

use crate::work::{ReconcileError, gone_is_fine};
use crate::world::World;

/// Namespaces that every cluster has.
const DEFAULTS: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

pub(crate) fn create_defaults(store: &Store) {
    for name in DEFAULTS {
        let namespace =
            json!({"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}});
        if let Err(error) = store.create(&NAMESPACES, namespace)
            && !error.is_already_exists()
        {
            tracing::warn!(%error, name, "default namespace not created");
        }
    }
}

pub(crate) fn is_terminating(store: &Store, name: &str) -> bool {
    store
        .get(&NAMESPACES, &Key::cluster(name))
        .is_ok_and(|n| n.is_deleting())
}

pub(crate) fn sync(world: &World, name: &str) -> Result<(), ReconcileError> {
    let Some(namespace) = world.get(&NAMESPACES, &Key::cluster(name))? else {
        return Ok(());
    };
    if namespace.is_deleting() {
        return end(world, name);
    }
    let account = json!({"metadata": {"name": "default", "namespace": name}});
    ignore_existing(world.store.create(&SERVICE_ACCOUNTS, account))?;
    let root = json!({"metadata": {"name": "kube-root-ca.crt", "namespace": name}, "data": {"ca.crt": ""}});
    ignore_existing(world.store.create(&CONFIG_MAPS, root))?;
    Ok(())
}

fn ignore_existing<T>(result: Result<T, StoreError>) -> Result<(), StoreError> {
    match result {
        Err(error) if !error.is_already_exists() => Err(error),
        _ => Ok(()),
    }
}

/// Deletes everything in the namespace; when nothing is left, lets it go
/// (`namespacedResourcesDeleter`).
fn end(world: &World, name: &str) -> Result<(), ReconcileError> {
    let mut left = 0;
    for resource in world.kinds().iter().filter(|r| r.namespaced) {
        for object in world.store.snapshot(resource, Some(name), None).0 {
            match world
                .store
                .delete(resource, &object.key(), &DeleteOptions::default())
            {
                Ok((_, true)) => {}
                Err(error) if error.is_not_found() => {}
                Ok((_, false)) => left += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
    if left > 0 {
        // The deletion of the last of them brings us back.
        return Ok(());
    }
    let done = world
        .store
        .update(&NAMESPACES, &Key::cluster(name), &Expect::any(), |old| {
            let mut new: Value = old.value().clone();
            new["spec"]["finalizers"] = json!([]);
            Ok::<_, StoreError>(new)
        });
    gone_is_fine(done)
}
