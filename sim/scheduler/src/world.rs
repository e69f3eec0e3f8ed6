//! Nodes, claims, slices and classes as the scheduler sees them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use drakit_allocator::{CelCache, Features, InUse, Inventory};
use drakit_api::k8s::api::core::v1::Node;
use drakit_api::k8s::api::resource::v1::{DeviceClass, ResourceClaim, ResourceSlice};
use drakit_sim_store::{Change, ChangeKind, Key, Object};
use serde_json::Value;

use crate::pod::{Requests, quantities, requests};

/// A node with what its pods use.
#[derive(Debug)]
pub(crate) struct NodeInfo {
    pub(crate) object: Arc<Object>,
    pub(crate) typed: Node,
    pub(crate) allocatable: Requests,
    pub(crate) max_pods: i64,
    pub(crate) used: Requests,
    pub(crate) pods: i64,
}

/// A claim at its newest version.
#[derive(Debug)]
pub(crate) struct ClaimInfo {
    pub(crate) object: Arc<Object>,
    pub(crate) typed: ResourceClaim,
}

/// Everything that a decision needs, kept up to date change by change.
pub(crate) struct World {
    pub(crate) nodes: BTreeMap<String, NodeInfo>,
    /// Nodes by number of pods, then name: the order in which they are tried.
    pub(crate) by_load: BTreeSet<(i64, String)>,
    pub(crate) claims: BTreeMap<Key, ClaimInfo>,
    pub(crate) classes: BTreeMap<String, Arc<DeviceClass>>,
    pub(crate) inventory: Inventory,
    pub(crate) in_use: InUse,
    pub(crate) features: Features,
    pub(crate) cel_cache: CelCache,
    /// Pods with a node: uid to node and requests.
    placed: BTreeMap<String, (String, Requests)>,
}

impl World {
    pub(crate) fn new(features: Features) -> Self {
        Self {
            nodes: BTreeMap::new(),
            by_load: BTreeSet::new(),
            claims: BTreeMap::new(),
            classes: BTreeMap::new(),
            inventory: Inventory::new(),
            in_use: InUse::new(),
            features,
            cel_cache: CelCache::new(),
            placed: BTreeMap::new(),
        }
    }

    /// Takes a node in; true when pods may fit now that did not before.
    pub(crate) fn node(&mut self, change: &Change) -> bool {
        let name = change.object.name().to_owned();
        if change.kind == ChangeKind::Deleted {
            if let Some(gone) = self.nodes.remove(&name) {
                self.by_load.remove(&(gone.pods, name));
            }
            return false;
        }
        let typed = match change.object.parse::<Node>() {
            Ok(typed) => typed,
            Err(error) => {
                tracing::warn!(node = name, %error, "node not understood, left out");
                return false;
            }
        };
        let allocatable = change.object.at(&["status", "allocatable"]);
        let pods = allocatable
            .get("pods")
            .and_then(Value::as_str)
            .and_then(|p| p.parse().ok())
            .unwrap_or(0);
        let object = change.object.clone();
        let allocatable = quantities(allocatable);
        if let Some(known) = self.nodes.get_mut(&name) {
            let matters = known.object.at(&["spec"]) != object.at(&["spec"])
                || known.object.at(&["metadata", "labels"]) != object.at(&["metadata", "labels"])
                || known.allocatable != allocatable
                || known.max_pods != pods;
            (known.object, known.typed, known.allocatable, known.max_pods) =
                (object, typed, allocatable, pods);
            return matters;
        }
        let mut info = NodeInfo {
            object,
            typed,
            allocatable,
            max_pods: pods,
            used: Requests::default(),
            pods: 0,
        };
        for (_, used) in self.placed.values().filter(|(node, _)| *node == name) {
            info.used.add(used);
            info.pods += 1;
        }
        self.by_load.insert((info.pods, name.clone()));
        self.nodes.insert(name, info);
        true
    }

    /// Takes a pod in; true when it freed something.
    pub(crate) fn pod(&mut self, change: &Change) -> bool {
        let pod = &change.object;
        let node = pod.str_at(&["spec", "nodeName"]);
        let terminal = matches!(pod.str_at(&["status", "phase"]), "Succeeded" | "Failed");
        if node.is_empty() || terminal || change.kind == ChangeKind::Deleted {
            return self.unplace(pod.uid());
        }
        self.place(pod, node);
        false
    }

    /// Counts a pod on a node.
    pub(crate) fn place(&mut self, pod: &Object, node: &str) {
        if self.placed.contains_key(pod.uid()) {
            return;
        }
        let needs = requests(pod);
        self.adjust(node, |info| {
            info.used.add(&needs);
            info.pods += 1;
        });
        self.placed
            .insert(pod.uid().to_owned(), (node.to_owned(), needs));
    }

    fn unplace(&mut self, uid: &str) -> bool {
        let Some((node, needs)) = self.placed.remove(uid) else {
            return false;
        };
        self.adjust(&node, |info| {
            info.used.subtract(&needs);
            info.pods -= 1;
        });
        true
    }

    fn adjust(&mut self, node: &str, change: impl FnOnce(&mut NodeInfo)) {
        if let Some(info) = self.nodes.get_mut(node) {
            self.by_load.remove(&(info.pods, node.to_owned()));
            change(info);
            self.by_load.insert((info.pods, node.to_owned()));
        }
    }

    /// Takes a claim in; true when devices became free. Older versions than the known one, which
    /// are echoes of our own writes, change nothing.
    pub(crate) fn claim(&mut self, object: &Arc<Object>, deleted: bool) -> bool {
        let key = object.key();
        if self
            .claims
            .get(&key)
            .is_some_and(|known| known.object.version() >= object.version())
        {
            return false;
        }
        let mut freed = false;
        if let Some(old) = self.claims.remove(&key) {
            self.in_use.remove(&old.typed);
            let allocation = |claim: &Object| claim.at(&["status", "allocation"]).is_null();
            freed = !allocation(&old.object) && (deleted || allocation(object));
        }
        if deleted {
            return freed;
        }
        match object.parse::<ResourceClaim>() {
            Ok(typed) => {
                self.in_use.add(&typed);
                self.claims.insert(
                    key,
                    ClaimInfo {
                        object: object.clone(),
                        typed,
                    },
                );
            }
            Err(error) => tracing::warn!(claim = %key, %error, "claim not understood, left out"),
        }
        freed
    }

    /// Takes a slice in.
    pub(crate) fn slice(&mut self, change: &Change) {
        let name = change.object.name();
        if change.kind == ChangeKind::Deleted {
            self.inventory.remove(name);
            return;
        }
        let taken = change
            .object
            .parse::<ResourceSlice>()
            .map_err(|e| e.to_string())
            .and_then(|slice| {
                self.inventory
                    .apply(Arc::new(slice))
                    .map_err(|e| e.to_string())
            });
        if let Err(error) = taken {
            tracing::warn!(slice = name, error, "slice not understood, left out");
            self.inventory.remove(name);
        }
    }

    /// Takes a class in.
    pub(crate) fn class(&mut self, change: &Change) {
        let name = change.object.name().to_owned();
        self.classes.remove(&name);
        if change.kind != ChangeKind::Deleted
            && let Ok(class) = change.object.parse::<DeviceClass>()
        {
            self.classes.insert(name, Arc::new(class));
        }
    }
}
