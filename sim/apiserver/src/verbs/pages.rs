//! Snapshots behind `continue` tokens, so that the pages of one list fit together.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use drakit_sim_store::Object;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Lists that can be continued at one time; the oldest is forgotten, as etcd forgets by compaction.
const KEPT: usize = 64;

/// `NewResourceExpired` of `k8s.io/apiserver/pkg/storage/etcd3/errors.go`.
const TOO_OLD: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.";

/// What a `continue` token says.
#[derive(Debug, Serialize, Deserialize)]
struct Token {
    /// As in Kubernetes' own tokens.
    v: String,
    /// Which list.
    rv: u64,
    id: u64,
    /// How many objects have been sent.
    start: usize,
}

/// The rest of a list.
#[derive(Debug)]
pub(crate) struct Rest {
    pub(crate) objects: Arc<[Arc<Object>]>,
    pub(crate) version: u64,
    pub(crate) start: usize,
    id: u64,
}

/// Identity, scope, objects.
type List = (u64, String, Arc<[Arc<Object>]>);

#[derive(Debug, Default)]
struct Kept {
    next: u64,
    lists: VecDeque<List>,
}

/// Lists that are being read in pages. An object is an `Arc`, so a list costs a pointer per object.
#[derive(Debug, Default)]
pub(crate) struct Pages(Mutex<Kept>);

impl Pages {
    /// Keeps a list that needs more than one page; `scope` is what was listed.
    pub(crate) fn keep(&self, objects: Vec<Arc<Object>>, version: u64, scope: String) -> Rest {
        let objects: Arc<[Arc<Object>]> = objects.into();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.next += 1;
        let id = kept.next;
        if kept.lists.len() == KEPT {
            kept.lists.pop_front();
        }
        kept.lists.push_back((id, scope, objects.clone()));
        Rest {
            objects,
            version,
            start: 0,
            id,
        }
    }

    /// The list that a token continues.
    pub(crate) fn resume(&self, token: &str, scope: &str) -> Result<Rest, Failure> {
        let bad = || Failure::bad_request(format!("continue key is not valid: {token:?}"));
        let text = URL_SAFE_NO_PAD.decode(token).map_err(|_| bad())?;
        let token: Token = serde_json::from_slice(&text).map_err(|_| bad())?;
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, of, objects) = kept
            .lists
            .iter()
            .find(|(id, ..)| *id == token.id)
            .ok_or_else(|| Failure::expired(TOO_OLD))?;
        if of != scope || token.start > objects.len() {
            return Err(bad());
        }
        Ok(Rest {
            objects: objects.clone(),
            version: token.rv,
            start: token.start,
            id: token.id,
        })
    }
}

impl Rest {
    /// The token for what follows `end`.
    pub(crate) fn token(&self, end: usize) -> String {
        let token = Token {
            v: "meta.k8s.io/v1".into(),
            rv: self.version,
            id: self.id,
            start: end,
        };
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&token).unwrap_or_default())
    }
}
