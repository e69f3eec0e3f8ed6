//! Deleting one object and many.

use crate::support::{CONFIG_MAPS, PODS, Server, config_map, pod};
use http::StatusCode;
use serde_json::{Value, json};

#[tokio::test]
async fn a_delete_asks_what_its_options_say() {
    let server = Server::new();
    server.post(CONFIG_MAPS, &config_map("a")).await;
    let path = format!("{CONFIG_MAPS}/a");
    let other = json!({"preconditions": {"uid": "other"}}).to_string();
    let refused = server
        .send(
            "DELETE",
            &path,
            &[("content-type", "application/json")],
            other,
        )
        .await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let wrong = server
        .send(
            "DELETE",
            &format!("{path}?propagationPolicy=Never"),
            &[],
            "",
        )
        .await;
    assert_eq!(
        wrong.message(),
        "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"Never\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""
    );
    let foreground = server
        .send(
            "DELETE",
            &format!("{path}?propagationPolicy=Foreground"),
            &[],
            "",
        )
        .await;
    assert_eq!(
        foreground.json()["metadata"]["finalizers"],
        json!(["foregroundDeletion"])
    );
}

#[tokio::test]
async fn a_collection_is_deleted_by_label() {
    let server = Server::new();
    for name in ["a", "b"] {
        server.post(PODS, &pod(name)).await;
    }
    let deleted = server
        .send("DELETE", &format!("{PODS}?labelSelector=app%3Da"), &[], "")
        .await;
    assert_eq!(deleted.status, StatusCode::OK, "{}", deleted.text);
    let left: Vec<Value> = server.get(PODS).await.json()["items"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert_eq!(
        left.iter()
            .map(|p| p["metadata"]["name"].clone())
            .collect::<Vec<_>>(),
        ["b"]
    );
}

#[tokio::test]
async fn namespaces_that_every_cluster_has_cannot_be_deleted() {
    let server = Server::new();
    let refused = server
        .send("DELETE", "/api/v1/namespaces/default", &[], "")
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(
        refused.message(),
        "namespaces \"default\" is forbidden: this namespace may not be deleted"
    );
    assert_eq!(
        server.get("/api/v1/namespaces/default").await.status,
        StatusCode::OK
    );
}
