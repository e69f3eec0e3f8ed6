//! Create, update, delete.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::error::StoreError;
use crate::expect::Expect;
use crate::object::{Key, Object};
use crate::resource::{NAMESPACES, Resource};
use crate::rules::{self, DeleteOptions, Deletion};
use crate::store::{State, Store};
use crate::table::{Change, ChangeKind};

/// Attempts before a write that keeps losing to others gives up. Each loss means that somebody
/// else succeeded, so this is far above what any test reaches.
const MAX_ATTEMPTS: usize = 1_000;

impl Store {
    /// Stores a new object: uid, creation time, generation and a generated name are filled in, the
    /// status of kinds with a status subresource is kept as given, and so is a uid (callers that serve
    /// users clear both).
    ///
    /// # Errors
    /// [`StoreError::AlreadyExists`]; [`StoreError::NotFound`] or [`StoreError::Forbidden`] for a namespace that
    /// is absent or being deleted; [`StoreError::BadRequest`] without a name.
    pub fn create(&self, resource: &Resource, mut value: Value) -> Result<Arc<Object>, StoreError> {
        let uid = rules::given_uid(&value).unwrap_or_else(|| self.new_uid());
        rules::stamp_new(resource, &mut value, &uid, &self.clock().now_seconds());
        let generated = self.fill_name(&mut value)?;
        loop {
            let key = key_of(resource, &value);
            let mut state = self.state.lock();
            Self::check_namespace(&mut state, resource, &key)?;
            if state.table(resource).get(&key).is_some() {
                drop(state);
                if let Some(base) = &generated {
                    // Kubernetes retries a colliding generated name (`Store.Create`, 1.30 and later).
                    value["metadata"]["name"] = json!(self.generate_name(base));
                    continue;
                }
                return Err(StoreError::AlreadyExists {
                    resource: resource.qualified(),
                    name: key.name,
                });
            }
            return Ok(self.insert(&mut state, resource, value, ChangeKind::Added, None));
        }
    }

    fn fill_name(&self, value: &mut Value) -> Result<Option<String>, StoreError> {
        let text = |v: &Value, field: &str| {
            v.pointer(&format!("/metadata/{field}"))
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned()
        };
        if !text(value, "name").is_empty() {
            return Ok(None);
        }
        let base = text(value, "generateName");
        if base.is_empty() {
            return Err(StoreError::BadRequest(
                "name or generateName is required".into(),
            ));
        }
        value["metadata"]["name"] = json!(self.generate_name(&base));
        Ok(Some(base))
    }

    /// `NamespaceLifecycle` admission.
    fn check_namespace(
        state: &mut State,
        resource: &Resource,
        key: &Key,
    ) -> Result<(), StoreError> {
        if !resource.namespaced {
            return Ok(());
        }
        let Some(namespace) = state
            .table(&NAMESPACES)
            .get(&Key::cluster(key.namespace.as_str()))
        else {
            return Err(StoreError::not_found(&NAMESPACES, &key.namespace));
        };
        // Events about a namespace's end may still be written (`lifecycle/admission.go`).
        if namespace.is_deleting() && resource.kind != "Event" {
            return Err(StoreError::Forbidden {
                resource: resource.qualified(),
                name: key.name.clone(),
                message: format!(
                    "unable to create new content in namespace {} because it is being terminated",
                    key.namespace
                ),
            });
        }
        Ok(())
    }

    fn insert(
        &self,
        state: &mut State,
        resource: &Resource,
        mut value: Value,
        kind: ChangeKind,
        previous: Option<Arc<Object>>,
    ) -> Arc<Object> {
        if self.dry {
            return Object::new(value, previous.map_or(0, |p| p.version()));
        }
        state.version += 1;
        let version = state.version;
        if let Some(meta) = rules::metadata(&mut value) {
            meta.insert("resourceVersion".into(), json!(version.to_string()));
        }
        let object = Object::new(value, version);
        state.commit(
            resource,
            Change {
                kind,
                object: object.clone(),
                previous,
            },
        );
        object
    }

    /// Replaces an object by what `change` makes of it (everything but status for kinds that have a
    /// status subresource). `change` may run several times when others write in between; returning the
    /// value unchanged writes nothing.
    ///
    /// # Errors
    /// What `change` returns, or a [`StoreError`] of the read and write.
    pub fn update<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        expect: &Expect,
        mut change: impl FnMut(&Object) -> Result<Value, E>,
    ) -> Result<Arc<Object>, E> {
        self.modify(resource, key, expect, |old| {
            let mut new = change(old)?;
            if resource.has_status {
                rules::keep_old_status(old, &mut new);
            }
            rules::keep_old_metadata(resource, old, &mut new);
            rules::bump_generation(resource, old, &mut new);
            Ok(new)
        })
    }

    /// Replaces the status of an object by the status of what `change` returns.
    ///
    /// # Errors
    /// As [`Store::update`].
    pub fn update_status<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        expect: &Expect,
        mut change: impl FnMut(&Object) -> Result<Value, E>,
    ) -> Result<Arc<Object>, E> {
        self.modify(resource, key, expect, |old| {
            Ok(rules::keep_all_but_status(old, &change(old)?))
        })
    }

    /// Replaces metadata, spec and status in one write. For writes that Kubernetes makes through
    /// other subresources (`pods/binding`) or that need both parts to change at once.
    ///
    /// # Errors
    /// As [`Store::update`].
    pub fn update_all<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        expect: &Expect,
        mut change: impl FnMut(&Object) -> Result<Value, E>,
    ) -> Result<Arc<Object>, E> {
        self.modify(resource, key, expect, |old| {
            let mut new = change(old)?;
            rules::keep_old_metadata(resource, old, &mut new);
            rules::bump_generation(resource, old, &mut new);
            Ok(new)
        })
    }

    fn modify<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        expect: &Expect,
        mut change: impl FnMut(&Object) -> Result<Value, E>,
    ) -> Result<Arc<Object>, E> {
        for _ in 0..MAX_ATTEMPTS {
            let old = self.get(resource, key)?;
            expect.check(resource, &old)?;
            let mut new = change(&old)?;
            if let Some(meta) = rules::metadata(&mut new) {
                meta.insert("resourceVersion".into(), json!(old.version().to_string()));
            }
            if new == *old.value() {
                return Ok(old);
            }
            let mut state = self.state.lock();
            match state.table(resource).get(key) {
                Some(current) if current.version() == old.version() => {}
                Some(_) => continue,
                None => return Err(StoreError::not_found(resource, &key.name).into()),
            }
            if rules::may_go(resource, &new) {
                return Ok(self.insert(&mut state, resource, new, ChangeKind::Deleted, Some(old)));
            }
            return Ok(self.insert(&mut state, resource, new, ChangeKind::Modified, Some(old)));
        }
        Err(StoreError::conflict(
            resource,
            &key.name,
            "the object keeps changing; please try again",
        )
        .into())
    }

    /// Deletes an object, or marks it when a grace period or finalizers hold it.
    ///
    /// Returns the last state and whether it is gone.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or [`StoreError::Conflict`] for an unmet precondition.
    pub fn delete(
        &self,
        resource: &Resource,
        key: &Key,
        options: &DeleteOptions,
    ) -> Result<(Arc<Object>, bool), StoreError> {
        let mut state = self.state.lock();
        let Some(old) = state.table(resource).get(key).cloned() else {
            return Err(StoreError::not_found(resource, &key.name));
        };
        Expect {
            uid: options.uid.clone(),
            resource_version: options.resource_version.clone(),
        }
        .check(resource, &old)?;
        match rules::decide_deletion(resource, &old, options) {
            Deletion::Unchanged => Ok((old, false)),
            Deletion::Remove => {
                let last = old.value().clone();
                Ok((
                    self.insert(&mut state, resource, last, ChangeKind::Deleted, Some(old)),
                    true,
                ))
            }
            Deletion::Mark {
                grace_seconds,
                finalizers,
            } => {
                let mut marked = old.value().clone();
                let at = self.clock().now() + jiff::SignedDuration::from_secs(grace_seconds);
                let at = at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
                rules::mark_deleted(resource, &mut marked, &at, grace_seconds, &finalizers);
                Ok((
                    self.insert(
                        &mut state,
                        resource,
                        marked,
                        ChangeKind::Modified,
                        Some(old),
                    ),
                    false,
                ))
            }
        }
    }
}

fn key_of(resource: &Resource, value: &Value) -> Key {
    let text = |field: &str| {
        value
            .pointer(&format!("/metadata/{field}"))
            .and_then(Value::as_str)
            .unwrap_or("")
    };
    Key::new(
        if resource.namespaced {
            text("namespace")
        } else {
            ""
        },
        text("name"),
    )
}
