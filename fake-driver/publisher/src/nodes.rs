//! UIDs of Node objects: slices of a node are owned by it, so that they are
//! collected when it goes.

use std::collections::BTreeMap;
use std::sync::Mutex;

use drakit_api::k8s::api::core::v1::Node;
use kube::api::{Api, ListParams};

use crate::api::answered;
use crate::error::PublishError;
use crate::pool::PoolKey;

/// From this number of nodes on, one list costs less than single reads.
const LIST_FROM: usize = 8;
/// Page size of that list.
const PAGE: u32 = 500;

/// Reads and remembers UIDs.
pub(crate) struct NodeUids {
    api: Api<Node>,
    known: Mutex<BTreeMap<String, String>>,
}

impl NodeUids {
    pub(crate) fn new(client: kube::Client) -> Self {
        Self {
            api: Api::all(client),
            known: Mutex::default(),
        }
    }

    /// What is remembered.
    pub(crate) fn known(&self, node: &str) -> Option<String> {
        self.lock().get(node).cloned()
    }

    /// Forgets a node: it may have been replaced under the same name.
    pub(crate) fn forget(&self, node: &str) {
        self.lock().remove(node);
    }

    /// Fills the memory for many nodes at once. A failure is no harm: each
    /// node is read by itself then (a real node's permission is `get` only).
    pub(crate) async fn preload(&self, nodes: usize) {
        if nodes < LIST_FROM {
            return;
        }
        let mut params = ListParams::default().limit(PAGE);
        loop {
            let list =
                match answered("list", || "Nodes".into(), self.api.list_metadata(&params)).await {
                    Ok(list) => list,
                    Err(error) => {
                        tracing::debug!(%error, "nodes are read one by one");
                        return;
                    }
                };
            let mut known = self.lock();
            for meta in list.items.into_iter().map(|node| node.metadata) {
                if let (Some(name), Some(uid)) = (meta.name, meta.uid) {
                    known.insert(name, uid);
                }
            }
            drop(known);
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params = params.continue_token(&token),
                None => return,
            }
        }
    }

    /// The UID of the pool's node, read when it is not known.
    pub(crate) async fn get(&self, node: &str, key: &PoolKey) -> Result<String, PublishError> {
        if let Some(uid) = self.known(node) {
            return Ok(uid);
        }
        let found = answered("get", || format!("Node {node:?}"), self.api.get_opt(node)).await?;
        let uid = found
            .and_then(|node| node.metadata.uid)
            .ok_or_else(|| PublishError::NoNode { key: key.clone() })?;
        self.lock().insert(node.to_owned(), uid.clone());
        Ok(uid)
    }

    /// A poisoned lock still holds whole entries.
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.known
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
