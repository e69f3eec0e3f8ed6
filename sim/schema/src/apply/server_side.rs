//! An apply request (apimachinery `managedfields`, structured-merge-diff `merge.Updater.Apply`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    ApplyError, Conflict, Manager,
    compare::compare,
    entries::{self, ManagerKey, Managers, Owned},
    field_set::{field_set, with_named_fields},
    fields_v1::print_path,
    merge::merge,
    remove::remove,
    reset::never_owned,
    set::Set,
    update::{FieldManager, empty_object, take_away, without_managed_fields},
    validate::validate,
};
use crate::{GroupVersionKind, Schemas, types::Node};

/// What kubectl's client-side apply leaves behind.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Kubernetes upgrades client-side apply for this manager only.
const KUBECTL: &str = "kubectl";
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

impl Schemas {
    /// Applies a configuration, the decoded body of an `application/apply-patch+yaml` request,
    /// to the stored object (`None`: it is created). The result has its managed fields
    /// recorded, and has to be checked, defaulted and canonicalized like any new object.
    ///
    /// # Errors
    /// Conflicts with other managers unless `force`; a configuration that does not fit.
    pub fn apply(
        &self,
        gvk: &GroupVersionKind,
        live: Option<&Value>,
        config: &Value,
        manager: &Manager<'_>,
        force: bool,
    ) -> Result<Value, ApplyError> {
        let id = self.type_of(gvk).ok_or_else(|| {
            ApplyError::BadRequest(format!("kind {:?} is not emulated", gvk.kind))
        })?;
        check_request(gvk, config)?;
        if let Some(cause) = validate(self, id, config) {
            return Err(ApplyError::Untyped(untyped(gvk, config, &cause)));
        }
        let stored = match live {
            Some(live) => entries::decode(live).map_err(|cause| {
                ApplyError::Untyped(format!("failed to decode managed fields: {cause}"))
            })?,
            None => Managers::new(),
        };
        let field_manager = FieldManager::new(self, gvk, Node::Struct(id), manager);
        let before = live.map_or_else(|| empty_object(self, gvk), without_managed_fields);
        let apply = Apply {
            field_manager,
            before,
            config,
            manager,
            key: ManagerKey::new(manager, true, ""),
        };
        let managers = apply.with_first_owner(gvk, stored);
        let (mut object, managers) = apply.run_as_kubectl(&managers, force)?;
        if manager.name == KUBECTL && !last_applied(&object).is_empty() {
            refresh_last_applied(&mut object, config);
        }
        entries::encode(&managers, &mut object);
        Ok(object)
    }
}

struct Apply<'a> {
    field_manager: FieldManager<'a>,
    /// The live object without managed fields.
    before: Value,
    config: &'a Value,
    manager: &'a Manager<'a>,
    key: ManagerKey,
}

/// Why one run failed: the owners and what of theirs it would take.
type Taken = BTreeMap<ManagerKey, Set>;

impl Apply<'_> {
    /// An object that was never tracked belongs to a manager of that name before it is applied to.
    fn with_first_owner(&self, gvk: &GroupVersionKind, mut managers: Managers) -> Managers {
        if managers.is_empty() {
            let manager = Manager {
                name: BEFORE_FIRST_APPLY,
                ..*self.manager
            };
            self.field_manager.update(
                &empty_object(self.field_manager.schemas, gvk),
                &self.before,
                &mut managers,
                &manager,
            );
        }
        managers
    }

    /// One run; conflicts that stem from kubectl's own client-side apply are no conflicts.
    fn run_as_kubectl(
        &self,
        managers: &Managers,
        force: bool,
    ) -> Result<(Value, Managers), ApplyError> {
        let taken = match self.run(managers, force) {
            Ok(done) => return Ok(done),
            Err(taken) => taken,
        };
        let allowed = if self.manager.name == KUBECTL {
            self.client_side_applied()
        } else {
            None
        };
        let conflicts: Vec<Conflict> = taken
            .iter()
            .flat_map(|(owner, set)| set.paths().into_iter().map(move |path| (owner, path)))
            .filter(|(_, path)| {
                !allowed
                    .as_ref()
                    .is_some_and(|allowed| allowed.contains(path))
            })
            .map(|(owner, path)| Conflict {
                manager: owner.print(),
                field: print_path(&path),
            })
            .collect();
        if conflicts.is_empty() {
            return self
                .run(managers, true)
                .map_err(|_| ApplyError::Conflicts(conflicts));
        }
        Err(ApplyError::Conflicts(conflicts))
    }

    fn run(&self, managers: &Managers, force: bool) -> Result<(Value, Managers), Taken> {
        let FieldManager {
            schemas,
            node,
            api_version,
            ignored,
        } = &self.field_manager;
        let mut managers = managers.clone();
        let last = managers.get(&self.key).cloned();
        let set = field_set(schemas, node, self.config).recursive_difference(ignored);
        let time = last
            .as_ref()
            .map(|last| last.time.clone())
            .unwrap_or_default();
        managers.insert(
            self.key.clone(),
            Owned {
                set,
                api_version: api_version.clone(),
                time,
            },
        );
        let merged = merge(schemas, node, &self.before, self.config);
        let merged = self.prune(merged, &managers, last.as_ref());
        let (changes, taken) =
            self.field_manager
                .conflicts(&self.before, &merged, &managers, &self.key);
        if !force && !taken.is_empty() {
            return Err(taken);
        }
        take_away(&mut managers, Some(&self.key), &changes);
        if let Some(owned) = managers.get_mut(&self.key) {
            owned.set = owned.set.difference(&never_owned());
            // A configuration that changes nothing leaves no new time, as in Kubernetes.
            if merged != self.before {
                self.manager.time.clone_into(&mut owned.time);
            }
        }
        managers.retain(|_, owned| !owned.set.is_empty());
        Ok((merged, managers))
    }

    /// Removes what this manager applied last time, does not apply now, and nobody else owns.
    fn prune(&self, merged: Value, managers: &Managers, last: Option<&Owned>) -> Value {
        let Some(last) = last.filter(|last| !last.set.is_empty()) else {
            return merged;
        };
        let FieldManager { schemas, node, .. } = &self.field_manager;
        let named = |set: &Set| with_named_fields(schemas, node, set);
        let paths = |value: &Value| named(&field_set(schemas, node, value));
        let last = named(&last.set);
        let all = paths(&merged);
        let pruned = remove(schemas, node, &merged, &last);
        let owned = managers
            .values()
            .fold(Set::default(), |all, owned| all.union(&owned.set));
        let keep = paths(&pruned).union(&named(&owned));
        let pruned = remove(schemas, node, &merged, &all.difference(&keep));
        // What is not this manager's to remove comes back.
        let gone = all.difference(&paths(&pruned)).intersection(&last);
        remove(schemas, node, &merged, &gone)
    }

    /// What client-side apply set and nobody changed since.
    fn client_side_applied(&self) -> Option<Set> {
        let FieldManager {
            schemas,
            node,
            api_version,
            ..
        } = &self.field_manager;
        let applied: Value = serde_json::from_str(last_applied(&self.before)).ok()?;
        if applied["apiVersion"].as_str()? != api_version.as_str() {
            return None;
        }
        let changes = compare(schemas, node, &applied, &self.before);
        let set = field_set(schemas, node, &applied);
        Some(
            set.difference(&changes.modified)
                .difference(&changes.added)
                .difference(&changes.removed),
        )
    }
}

fn check_request(gvk: &GroupVersionKind, config: &Value) -> Result<(), ApplyError> {
    let text = |key: &str| config[key].as_str().unwrap_or_default();
    let found = GroupVersionKind::parse(text("apiVersion"), text("kind"));
    if found.as_ref() != Some(gvk) {
        let (version, kind) = (text("apiVersion"), text("kind"));
        return Err(ApplyError::BadRequest(format!(
            "invalid object type: {version}, Kind={kind}"
        )));
    }
    if !config["metadata"]["managedFields"].is_null() {
        return Err(ApplyError::BadRequest(
            "metadata.managedFields must be nil".to_owned(),
        ));
    }
    Ok(())
}

fn untyped(gvk: &GroupVersionKind, config: &Value, cause: &str) -> String {
    let text = |key: &str| config["metadata"][key].as_str().unwrap_or_default();
    let (namespace, name) = (text("namespace"), text("name"));
    let (version, kind) = (gvk.api_version(), &gvk.kind);
    let version = if gvk.group.is_empty() {
        format!("/{version}")
    } else {
        version
    };
    format!(
        "failed to create typed patch object ({namespace}/{name}; {version}, Kind={kind}): {cause}"
    )
}

fn last_applied(object: &Value) -> &str {
    object["metadata"]["annotations"][LAST_APPLIED]
        .as_str()
        .unwrap_or_default()
}

/// kubectl keeps client-side apply usable: the annotation follows the configuration.
fn refresh_last_applied(object: &mut Value, config: &Value) {
    let mut applied = config.clone();
    if let Some(annotations) = annotations(&mut applied) {
        annotations.remove(LAST_APPLIED);
    }
    if let Some(annotations) = annotations(object) {
        annotations.insert(LAST_APPLIED.to_owned(), json!(format!("{applied}\n")));
    }
}

fn annotations(object: &mut Value) -> Option<&mut Map<String, Value>> {
    object
        .get_mut("metadata")?
        .get_mut("annotations")?
        .as_object_mut()
}
