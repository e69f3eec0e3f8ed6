//! A small API server in this process: slices and nodes, with the faults that
//! the tests need. Writes are counted, so that "no writes" can be asserted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::stream;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tower::ServiceExt;

#[derive(Default)]
pub(crate) struct Store {
    pub(crate) slices: BTreeMap<String, Value>,
    pub(crate) nodes: BTreeMap<String, String>,
    /// By `namespace/name`.
    pub(crate) claims: BTreeMap<String, Value>,
    pub(crate) classes: BTreeMap<String, Value>,
    pub(crate) creates: usize,
    pub(crate) updates: usize,
    pub(crate) deletes: usize,
    pub(crate) node_reads: usize,
    /// Claim reads that were answered 503.
    pub(crate) refused: usize,
    /// Answer 503 to everything.
    pub(crate) away: bool,
    /// Answer 409 to this many of the next updates.
    pub(crate) conflicts: usize,
    /// Leave away the taints of devices, as with the feature gate off.
    pub(crate) drop_taints: bool,
    /// Every event, because a watch that is opened again must see what it missed.
    history: Vec<Value>,
    version: u64,
    numbers: u64,
}

#[derive(Clone)]
pub(crate) struct Api {
    store: Arc<Mutex<Store>>,
    events: broadcast::Sender<Value>,
}

impl Api {
    pub(crate) fn with_nodes(nodes: &[&str]) -> Self {
        let nodes = nodes
            .iter()
            .map(|name| ((*name).to_owned(), format!("uid-of-{name}")))
            .collect();
        let store = Store {
            nodes,
            ..Store::default()
        };
        Self {
            store: Arc::new(Mutex::new(store)),
            events: broadcast::Sender::new(10_000),
        }
    }

    pub(crate) fn client(&self) -> kube::Client {
        let slices = "/apis/resource.k8s.io/v1/resourceslices";
        let router = Router::new()
            .route(slices, get(list_slices).post(create))
            .route(
                &format!("{slices}/{{name}}"),
                get(read).put(update).delete(delete),
            )
            .route(
                "/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims/{name}",
                get(read_claim),
            )
            .route("/apis/resource.k8s.io/v1/deviceclasses", post(create_class))
            .route("/api/v1/nodes", get(list_nodes))
            .route("/api/v1/nodes/{name}", get(read_node))
            .with_state(self.clone());
        let service = router
            .into_service::<kube::client::Body>()
            .map_err(|never| match never {});
        kube::Client::new(service, "default")
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap()
    }

    pub(crate) fn writes(&self) -> usize {
        let store = self.lock();
        store.creates + store.updates + store.deletes
    }

    /// All slices in the order of their names.
    pub(crate) fn slices(&self) -> Vec<Value> {
        self.lock().slices.values().cloned().collect()
    }

    /// Somebody else changes a slice.
    pub(crate) fn edit(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut store = self.lock();
        let version = store.next_version();
        let slice = store.slices.get_mut(name).unwrap();
        change(slice);
        slice["metadata"]["resourceVersion"] = version.into();
        let event = json!({"type": "MODIFIED", "object": slice});
        self.send(&mut store, event);
    }

    /// Somebody else deletes a slice.
    pub(crate) fn remove(&self, name: &str) {
        let mut store = self.lock();
        let version = store.next_version();
        let mut slice = store.slices.remove(name).unwrap();
        slice["metadata"]["resourceVersion"] = version.into();
        self.send(&mut store, json!({"type": "DELETED", "object": slice}));
    }

    /// Ends all watches, as an API server that restarts does.
    pub(crate) fn break_watches(&self) {
        // Without a watch nobody needs to know.
        let _ = self.events.send(json!({"type": "END"}));
    }

    fn send(&self, store: &mut Store, event: Value) {
        store.history.push(event.clone());
        let _ = self.events.send(event);
    }

    fn put(&self, store: &mut Store, name: &str, mut slice: Value, kind: &str) -> Response {
        if store.drop_taints {
            for device in slice["spec"]["devices"]
                .as_array_mut()
                .into_iter()
                .flatten()
            {
                device.as_object_mut().unwrap().remove("taints");
            }
        }
        let old = store.slices.get(name).cloned();
        let same = old.is_some_and(|old| {
            (&old["spec"], &old["metadata"]["ownerReferences"])
                == (&slice["spec"], &slice["metadata"]["ownerReferences"])
        });
        if !same {
            slice["metadata"]["resourceVersion"] = store.next_version().into();
            store.slices.insert(name.to_owned(), slice.clone());
            self.send(store, json!({"type": kind, "object": slice}));
        }
        answer(StatusCode::OK, &slice)
    }
}

impl Store {
    fn next_version(&mut self) -> String {
        self.version += 1;
        self.version.to_string()
    }
}

fn answer(code: StatusCode, body: &Value) -> Response {
    (
        code,
        [(header::CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}

fn refuse(code: StatusCode, reason: &str, message: &str) -> Response {
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "code": code.as_u16(), "reason": reason, "message": message,
    });
    answer(code, &body)
}

fn away() -> Response {
    refuse(
        StatusCode::SERVICE_UNAVAILABLE,
        "ServiceUnavailable",
        "the server is away",
    )
}

fn not_found() -> Response {
    refuse(StatusCode::NOT_FOUND, "NotFound", "not found")
}

async fn list_slices(
    State(api): State<Api>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let store = api.lock();
    if store.away {
        return away();
    }
    let selector = query["fieldSelector"].clone();
    assert!(selector.starts_with("spec.driver="), "{query:?}");
    if query.get("watch").is_some_and(|watch| watch == "true") {
        let since: u64 = query["resourceVersion"].parse().unwrap();
        let newer = |event: &&Value| {
            version(&event["object"]) > since && is_selected(&selector, &event["object"])
        };
        let missed: Vec<Value> = store.history.iter().filter(newer).cloned().collect();
        let events = api.events.subscribe();
        let stream = stream::unfold(
            (missed.into_iter(), events, selector),
            |(mut missed, mut events, selector)| async move {
                let event = match missed.next() {
                    Some(event) => event,
                    None => loop {
                        let event = events.recv().await.ok()?;
                        if event["type"] == "END" {
                            return None;
                        }
                        if is_selected(&selector, &event["object"]) {
                            break event;
                        }
                    },
                };
                let line = Bytes::from(format!("{event}\n"));
                Some((Ok::<_, std::io::Error>(line), (missed, events, selector)))
            },
        );
        return Response::new(Body::from_stream(stream));
    }
    let selected = |slice: &&Value| is_selected(&selector, slice);
    let items: Vec<Value> = store.slices.values().filter(selected).cloned().collect();
    let list = json!({
        "kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1",
        "metadata": {"resourceVersion": store.version.to_string()}, "items": items,
    });
    answer(StatusCode::OK, &list)
}

fn is_selected(selector: &str, slice: &Value) -> bool {
    selector.split(',').all(|term| match term.split_once('=') {
        Some(("spec.driver", driver)) => slice["spec"]["driver"] == driver,
        Some(("spec.nodeName", node)) => slice["spec"]["nodeName"] == node,
        _ => panic!("{term}"),
    })
}

fn version(slice: &Value) -> u64 {
    slice["metadata"]["resourceVersion"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

async fn create(State(api): State<Api>, body: Bytes) -> Response {
    let mut store = api.lock();
    if store.away {
        return away();
    }
    let mut slice: Value = serde_json::from_slice(&body).unwrap();
    store.creates += 1;
    store.numbers += 1;
    let number = store.numbers;
    let name = format!(
        "{}{number:05}",
        slice["metadata"]["generateName"].as_str().unwrap()
    );
    slice["metadata"]["name"] = name.as_str().into();
    slice["metadata"]["uid"] = format!("uid-{number}").into();
    slice["kind"] = "ResourceSlice".into();
    slice["apiVersion"] = "resource.k8s.io/v1".into();
    api.put(&mut store, &name, slice, "ADDED")
}

async fn read(State(api): State<Api>, Path(name): Path<String>) -> Response {
    let store = api.lock();
    match store.slices.get(&name) {
        _ if store.away => away(),
        Some(slice) => answer(StatusCode::OK, slice),
        None => not_found(),
    }
}

async fn update(State(api): State<Api>, Path(name): Path<String>, body: Bytes) -> Response {
    let mut store = api.lock();
    if store.away {
        return away();
    }
    let slice: Value = serde_json::from_slice(&body).unwrap();
    let Some(stored) = store.slices.get(&name) else {
        return not_found();
    };
    let stale = stored["metadata"]["resourceVersion"] != slice["metadata"]["resourceVersion"];
    if stale || store.conflicts > 0 {
        store.conflicts = store.conflicts.saturating_sub(1);
        return refuse(
            StatusCode::CONFLICT,
            "Conflict",
            "the object has been modified",
        );
    }
    store.updates += 1;
    api.put(&mut store, &name, slice, "MODIFIED")
}

async fn delete(State(api): State<Api>, Path(name): Path<String>, body: Bytes) -> Response {
    {
        let mut store = api.lock();
        let options: Value = serde_json::from_slice(&body).unwrap();
        let Some(stored) = store.slices.get(&name) else {
            return not_found();
        };
        let wanted = &options["preconditions"]["uid"];
        assert_eq!(
            wanted, &stored["metadata"]["uid"],
            "deletes name the exact object"
        );
        store.deletes += 1;
    }
    api.remove(&name);
    answer(
        StatusCode::OK,
        &json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
    )
}

async fn list_nodes(State(api): State<Api>) -> Response {
    let mut store = api.lock();
    store.node_reads += 1;
    let names: BTreeSet<String> = store.nodes.keys().cloned().collect();
    let items: Vec<Value> = names
        .iter()
        .map(|name| node(name, &store.nodes[name]))
        .collect();
    answer(
        StatusCode::OK,
        &json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "items": items}),
    )
}

async fn read_node(State(api): State<Api>, Path(name): Path<String>) -> Response {
    let mut store = api.lock();
    store.node_reads += 1;
    match store.nodes.get(&name) {
        Some(uid) => answer(StatusCode::OK, &node(&name, uid)),
        None => not_found(),
    }
}

fn node(name: &str, uid: &str) -> Value {
    json!({"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "uid": uid}})
}

async fn read_claim(
    State(api): State<Api>,
    Path((namespace, name)): Path<(String, String)>,
) -> Response {
    let mut store = api.lock();
    if store.away {
        store.refused += 1;
        return away();
    }
    match store.claims.get(&format!("{namespace}/{name}")) {
        Some(claim) => answer(StatusCode::OK, claim),
        None => not_found(),
    }
}

async fn create_class(State(api): State<Api>, body: Bytes) -> Response {
    let mut store = api.lock();
    let class: Value = serde_json::from_slice(&body).unwrap();
    let name = class["metadata"]["name"].as_str().unwrap().to_owned();
    if store.classes.contains_key(&name) {
        return refuse(StatusCode::CONFLICT, "AlreadyExists", "already exists");
    }
    store.classes.insert(name, class.clone());
    answer(StatusCode::CREATED, &class)
}
