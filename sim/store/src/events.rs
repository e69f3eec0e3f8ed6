//! `v1` Events, counted as client-go's recorder counts them.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::error::StoreError;
use crate::expect::Expect;
use crate::object::{Key, Object};
use crate::resource::EVENTS;
use crate::store::Store;

/// Events that are remembered for counting; the recorder's own cache has this size.
const REMEMBERED: usize = 4_096;

/// `type` of an Event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventType {
    /// Something went as planned.
    Normal,
    /// Somebody should look.
    Warning,
}

impl EventType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// What makes two events equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    uid: String,
    part: String,
    kind: EventType,
    reason: String,
    message: String,
}

/// Writes Events about objects for one component, raising `count` of an equal one instead of
/// writing it again (`client-go/tools/record/events_cache.go`).
#[derive(Debug, Clone)]
pub struct EventRecorder {
    store: Store,
    component: String,
    host: Option<String>,
    seen: Arc<Mutex<BTreeMap<Identity, Key>>>,
}

impl EventRecorder {
    /// A recorder for `component` (`kubelet`, `default-scheduler`), on `host` where it has one.
    pub fn new(store: Store, component: impl Into<String>, host: Option<String>) -> Self {
        Self {
            store,
            component: component.into(),
            host,
            seen: Arc::default(),
        }
    }

    /// Records that `reason` happened to `object`. A namespace that is gone is no error: nobody
    /// could read the event.
    pub fn record(&self, object: &Object, kind: EventType, reason: &str, message: &str) {
        self.record_for_part(object, "", kind, reason, message);
    }

    /// As [`EventRecorder::record`], about a part of the object such as `spec.containers{main}`.
    pub fn record_for_part(
        &self,
        object: &Object,
        part: &str,
        kind: EventType,
        reason: &str,
        message: &str,
    ) {
        let id = Identity {
            uid: object.uid().to_owned(),
            part: part.to_owned(),
            kind,
            reason: reason.to_owned(),
            message: message.to_owned(),
        };
        let known = self.seen.lock().get(&id).cloned();
        if let Some(key) = known
            && self.count_up(&key).is_ok()
        {
            return;
        }
        match self.store.create(&EVENTS, self.event(object, &id)) {
            Ok(event) => {
                let mut seen = self.seen.lock();
                if seen.len() >= REMEMBERED {
                    seen.clear();
                }
                seen.insert(id, event.key());
            }
            Err(error) => {
                tracing::debug!(%error, reason, object = %object.key(), "event not recorded");
            }
        }
    }

    fn count_up(&self, key: &Key) -> Result<Arc<Object>, StoreError> {
        let now = self.store.clock().now_seconds();
        self.store.update(&EVENTS, key, &Expect::any(), |old| {
            let mut event = old.value().clone();
            event["count"] = json!(old.at(&["count"]).as_i64().unwrap_or(1) + 1);
            event["lastTimestamp"] = json!(now);
            Ok(event)
        })
    }

    fn event(&self, object: &Object, id: &Identity) -> Value {
        let now = self.store.clock().now_seconds();
        let namespace = if object.namespace().is_empty() {
            "default"
        } else {
            object.namespace()
        };
        let mut source = json!({"component": self.component});
        if let Some(host) = &self.host {
            source["host"] = json!(host);
        }
        // client-go names an event after its object and the time in hexadecimal nanoseconds; the
        // store's version keeps two events of one instant apart.
        let nanos = self.store.clock().now().as_nanosecond() + i128::from(self.store.version());
        let mut involved = json!({
            "apiVersion": object.str_at(&["apiVersion"]),
            "kind": object.str_at(&["kind"]),
            "name": object.name(),
            "uid": object.uid(),
            "resourceVersion": object.version().to_string(),
        });
        if !object.namespace().is_empty() {
            involved["namespace"] = json!(object.namespace());
        }
        if !id.part.is_empty() {
            involved["fieldPath"] = json!(id.part);
        }
        json!({
            "metadata": {"name": format!("{}.{nanos:x}", object.name()), "namespace": namespace},
            "involvedObject": involved,
            "reason": id.reason,
            "message": id.message,
            "type": id.kind.as_str(),
            "source": source,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "eventTime": null,
            "reportingComponent": self.component,
            "reportingInstance": self.host.clone().unwrap_or_default(),
        })
    }
}
