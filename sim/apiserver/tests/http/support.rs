//! A server without sockets, and requests to it.

use axum::Router;
use axum::body::Body;
use drakit_sim_apiserver::{ApiConfig, ApiServer, LogError, PodLogs};
use drakit_sim_store::resource::NAMESPACES;
use drakit_sim_store::{Clock, Store};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

pub(crate) const CLAIMS: &str = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
pub(crate) const PODS: &str = "/api/v1/namespaces/default/pods";
pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

struct ThreeLines;

impl PodLogs for ThreeLines {
    fn log(&self, _: &str, _: &str, container: &str) -> Result<String, LogError> {
        Ok(format!("one\ntwo\n{container}\n"))
    }
}

pub(crate) struct Server {
    pub(crate) store: Store,
    pub(crate) router: Router,
    pub(crate) shutdown: CancellationToken,
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn message(&self) -> String {
        self.json()["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// The configuration of tests: a namespace, no token, three lines of log.
pub(crate) fn config() -> ApiConfig {
    let store = Store::new(7, Clock::system());
    store
        .create(&NAMESPACES, json!({"metadata": {"name": "default"}}))
        .unwrap();
    let mut config = ApiConfig::new(store);
    config.token = None;
    config.logs = Arc::new(ThreeLines);
    config
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::with(&config())
    }

    pub(crate) fn with(config: &ApiConfig) -> Self {
        let shutdown = CancellationToken::new();
        let server = ApiServer::new(config, shutdown.clone()).unwrap();
        Self {
            store: config.store.clone(),
            router: server.router(),
            shutdown,
        }
    }

    /// Sends a request and returns the response as soon as its head is there.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> http::Response<Body> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.router
            .clone()
            .oneshot(request.body(body.into()).unwrap())
            .await
            .unwrap()
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Reply {
        let response = self.open(method, path, headers, body).await;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Reply {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(
            "POST",
            path,
            &[("content-type", "application/json")],
            body.to_string(),
        )
        .await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Reply {
        self.send(
            "PUT",
            path,
            &[("content-type", "application/json")],
            body.to_string(),
        )
        .await
    }

    pub(crate) async fn patch(&self, path: &str, media: &str, body: &Value) -> Reply {
        self.send("PATCH", path, &[("content-type", media)], body.to_string())
            .await
    }

    /// Opens a watch.
    pub(crate) async fn watch(&self, path: &str) -> Events {
        let response = self.open("GET", path, &[], "").await;
        assert_eq!(response.status(), StatusCode::OK);
        Events {
            body: response.into_body(),
            buffer: String::new(),
        }
    }
}

/// The events of a watch.
pub(crate) struct Events {
    body: Body,
    buffer: String,
}

impl Events {
    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        const LIMIT: std::time::Duration = std::time::Duration::from_secs(10);
        loop {
            if let Some((line, rest)) = self.buffer.split_once('\n') {
                let event = serde_json::from_str(line).unwrap();
                self.buffer = String::from(rest);
                return Some(event);
            }
            let frame = tokio::time::timeout(LIMIT, self.body.frame())
                .await
                .unwrap_or_else(|_| panic!("no event in time"));
            let bytes = frame?.unwrap().into_data().unwrap();
            self.buffer.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }
}

pub(crate) fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"containers": [{"name": "main", "image": "busybox"}]},
    })
}

pub(crate) fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v"}})
}

pub(crate) fn claim(name: &str) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": [
            {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}},
        ]}},
    })
}

/// The status of a claim that is allocated and reserved.
pub(crate) fn reserved() -> Value {
    json!({
        "allocation": {"devices": {"results": [
            {"request": "gpu", "driver": "gpu.example.com", "pool": "n", "device": "gpu-0"},
        ]}},
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
    })
}
