//! Single requests and what they answer, word for word where users see it.

use crate::support::{CONFIG_MAPS, PODS, Server, config, config_map};
use http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn an_object_is_created_read_replaced_and_deleted() {
    let server = Server::new();
    let created = server.post(CONFIG_MAPS, &config_map("a")).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    let path = format!("{CONFIG_MAPS}/a");
    let mut object = server.get(&path).await.json();
    assert_eq!(object["kind"], "ConfigMap");
    object["data"]["k"] = json!("w");
    assert_eq!(server.put(&path, &object).await.json()["data"]["k"], "w");
    let stale = server
        .put(&path, &{
            object["data"]["k"] = json!("x");
            object
        })
        .await;
    assert_eq!(stale.status, StatusCode::CONFLICT);
    assert_eq!(
        stale.message(),
        "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes to the latest version and try again"
    );
    let deleted = server.send("DELETE", &path, &[], "").await.json();
    assert_eq!(
        (&deleted["kind"], &deleted["status"]),
        (&json!("Status"), &json!("Success"))
    );
    let gone = server.get(&path).await;
    assert_eq!(
        (gone.status, gone.message()),
        (StatusCode::NOT_FOUND, "configmaps \"a\" not found".into())
    );
}

#[tokio::test]
async fn every_refusal_is_a_status() {
    let server = Server::new();
    for (method, path, headers, body, code, reason) in [
        (
            "GET",
            "/apis/none/v1/things",
            ("accept", "*/*"),
            "",
            404,
            "NotFound",
        ),
        ("GET", "/nowhere", ("accept", "*/*"), "", 404, "NotFound"),
        (
            "GET",
            "/api/v1/nodes/x/pods",
            ("accept", "*/*"),
            "",
            404,
            "NotFound",
        ),
        (
            "POST",
            "/version",
            ("accept", "*/*"),
            "",
            405,
            "MethodNotAllowed",
        ),
        ("PUT", PODS, ("accept", "*/*"), "", 405, "MethodNotAllowed"),
        (
            "GET",
            PODS,
            ("accept", "application/cbor"),
            "",
            406,
            "NotAcceptable",
        ),
        (
            "POST",
            PODS,
            ("content-type", "text/csv"),
            "a,b",
            415,
            "UnsupportedMediaType",
        ),
        (
            "PATCH",
            "/api/v1/namespaces/default",
            ("content-type", "application/json"),
            "{}",
            415,
            "UnsupportedMediaType",
        ),
        (
            "POST",
            PODS,
            ("content-type", "application/json"),
            "{",
            400,
            "BadRequest",
        ),
        (
            "GET",
            "/api/v1/pods?labelSelector=a==(",
            ("accept", "*/*"),
            "",
            400,
            "BadRequest",
        ),
        (
            "GET",
            "/api/v1/pods?resourceVersion=x",
            ("accept", "*/*"),
            "",
            400,
            "BadRequest",
        ),
        (
            "GET",
            "/api/v1/pods?resourceVersion=999",
            ("accept", "*/*"),
            "",
            504,
            "Timeout",
        ),
        (
            "GET",
            "/api/v1/pods?watch=1&sendInitialEvents=true",
            ("accept", "*/*"),
            "",
            422,
            "Invalid",
        ),
    ] {
        let reply = server.send(method, path, &[headers], body).await;
        let status = reply.json();
        assert_eq!(reply.status.as_u16(), code, "{method} {path}: {status}");
        assert_eq!(status["kind"], "Status", "{method} {path}");
        assert_eq!(
            (&status["reason"], &status["code"]),
            (&json!(reason), &json!(code)),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn a_wrong_or_missing_token_is_unauthorized_and_health_needs_none() {
    let mut config = config();
    config.token = Some("secret".into());
    let server = Server::with(&config);
    let pods = |value: &'static str| {
        let server = &server;
        async move {
            server
                .send("GET", "/api/v1/pods", &[("authorization", value)], "")
                .await
                .status
        }
    };
    assert_eq!(pods("Bearer secret").await, StatusCode::OK);
    assert_eq!(pods("Bearer other").await, StatusCode::UNAUTHORIZED);
    assert_eq!(server.get("/version").await.message(), "Unauthorized");
    assert_eq!(server.get("/readyz").await.text, "ok");
}

#[tokio::test]
async fn a_dry_run_answers_and_keeps_nothing() {
    let server = Server::new();
    let reply = server
        .post(&format!("{CONFIG_MAPS}?dryRun=All"), &config_map("a"))
        .await;
    assert_eq!(reply.status, StatusCode::CREATED);
    assert_eq!(
        server.get(&format!("{CONFIG_MAPS}/a")).await.status,
        StatusCode::NOT_FOUND
    );
    server.post(CONFIG_MAPS, &config_map("a")).await;
    let again = server
        .post(&format!("{CONFIG_MAPS}?dryRun=All"), &config_map("a"))
        .await;
    assert_eq!(again.message(), "configmaps \"a\" already exists");
    server
        .send("DELETE", &format!("{CONFIG_MAPS}/a?dryRun=All"), &[], "")
        .await;
    assert_eq!(
        server.get(&format!("{CONFIG_MAPS}/a")).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn an_event_is_the_same_through_both_of_its_apis() {
    let server = Server::new();
    let event = json!({
        "metadata": {"name": "e"}, "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "note": "started", "reason": "Started", "type": "Normal", "action": "Start",
        "reportingController": "kubelet", "reportingInstance": "n",
        "eventTime": "2026-01-02T03:04:05.000000Z",
    });
    let newer = "/apis/events.k8s.io/v1/namespaces/default/events";
    let created = server.post(newer, &event).await;
    assert_eq!(created.json()["note"], "started", "{}", created.text);
    let older = server
        .get("/api/v1/namespaces/default/events/e")
        .await
        .json();
    assert_eq!(
        (&older["message"], &older["involvedObject"]["name"]),
        (&json!("started"), &json!("p"))
    );
    assert_eq!(
        (&older["apiVersion"], older.get("note")),
        (&json!("v1"), None)
    );
    let patch = json!({"note": "stopped"});
    let patched = server
        .patch(
            &format!("{newer}/e"),
            "application/merge-patch+json",
            &patch,
        )
        .await
        .json();
    assert_eq!(
        (&patched["note"], &patched["apiVersion"]),
        (&json!("stopped"), &json!("events.k8s.io/v1"))
    );
    let selector = "fieldSelector=regarding.name%3Dp";
    let listed = server.get(&format!("{newer}?{selector}")).await.json();
    assert_eq!(listed["items"][0]["note"], "stopped", "{listed}");
}
