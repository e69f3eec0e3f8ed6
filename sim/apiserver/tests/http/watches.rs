//! Watches: where they begin, what they say, how they end.

use crate::support::{CONFIG_MAPS, PODS, Server, config_map, pod};
use http::StatusCode;
use serde_json::{Value, json};

fn kind_and_name(event: &Value) -> (String, String) {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    (
        text(&event["type"]),
        text(&event["object"]["metadata"]["name"]),
    )
}

#[tokio::test]
async fn a_watch_from_a_list_says_what_came_after_it() {
    let server = Server::new();
    server.post(CONFIG_MAPS, &config_map("a")).await;
    let list = server.get(CONFIG_MAPS).await.json();
    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
    server.post(CONFIG_MAPS, &config_map("b")).await;
    let mut events = server
        .watch(&format!(
            "{CONFIG_MAPS}?watch=true&resourceVersion={version}"
        ))
        .await;
    assert_eq!(
        kind_and_name(&events.next().await.unwrap()),
        ("ADDED".into(), "b".into())
    );
    server
        .send("DELETE", &format!("{CONFIG_MAPS}/a"), &[], "")
        .await;
    let deleted = events.next().await.unwrap();
    assert_eq!(kind_and_name(&deleted), ("DELETED".into(), "a".into()));
    assert_ne!(
        deleted["object"]["metadata"]["resourceVersion"].as_str(),
        Some(version)
    );
}

#[tokio::test]
async fn a_watch_without_a_version_begins_with_the_state() {
    let server = Server::new();
    server.post(CONFIG_MAPS, &config_map("a")).await;
    for query in ["watch=1", "watch=1&resourceVersion=0"] {
        let mut events = server.watch(&format!("{CONFIG_MAPS}?{query}")).await;
        assert_eq!(
            kind_and_name(&events.next().await.unwrap()),
            ("ADDED".into(), "a".into())
        );
    }
}

#[tokio::test]
async fn a_list_through_a_watch_ends_with_a_marked_bookmark() {
    let server = Server::new();
    server.post(CONFIG_MAPS, &config_map("a")).await;
    let query =
        "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut events = server.watch(&format!("{CONFIG_MAPS}?{query}")).await;
    assert_eq!(
        kind_and_name(&events.next().await.unwrap()),
        ("ADDED".into(), "a".into())
    );
    let mark = events.next().await.unwrap();
    assert_eq!(mark["type"], "BOOKMARK");
    assert_eq!(mark["object"]["kind"], "ConfigMap");
    assert_eq!(
        mark["object"]["metadata"]["annotations"],
        json!({"k8s.io/initial-events-end": "true"})
    );
    assert_eq!(
        mark["object"]["metadata"]["resourceVersion"],
        json!(server.store.version().to_string())
    );
    server.post(CONFIG_MAPS, &config_map("b")).await;
    assert_eq!(
        kind_and_name(&events.next().await.unwrap()),
        ("ADDED".into(), "b".into())
    );
}

#[tokio::test]
async fn a_watch_ends_after_its_time_with_a_bookmark_for_clients_that_take_one() {
    let server = Server::new();
    let mut events = server
        .watch(&format!(
            "{CONFIG_MAPS}?watch=1&resourceVersion=1&timeoutSeconds=1&allowWatchBookmarks=true"
        ))
        .await;
    assert_eq!(events.next().await.unwrap()["type"], "BOOKMARK");
    assert_eq!(events.next().await, None);
    let mut plain = server
        .watch(&format!(
            "{CONFIG_MAPS}?watch=1&resourceVersion=1&timeoutSeconds=1"
        ))
        .await;
    assert_eq!(plain.next().await, None);
}

#[tokio::test]
async fn a_watch_ends_when_the_server_stops() {
    let server = Server::new();
    let mut events = server
        .watch(&format!("{CONFIG_MAPS}?watch=1&resourceVersion=1"))
        .await;
    server.shutdown.cancel();
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_watch_from_a_forgotten_version_says_expired() {
    let server = Server::new();
    let created = server.post(CONFIG_MAPS, &config_map("a")).await.json();
    let version = created["metadata"]["resourceVersion"].clone();
    let key = drakit_sim_store::Key::new("default", "a");
    for turn in 0..33_000 {
        let expect = drakit_sim_store::Expect::any();
        server
            .store
            .update::<drakit_sim_store::StoreError>(
                &drakit_sim_store::resource::CONFIG_MAPS,
                &key,
                &expect,
                |old| {
                    let mut new = old.value().clone();
                    new["data"]["turn"] = json!(turn.to_string());
                    Ok(new)
                },
            )
            .unwrap();
    }
    let version = version.as_str().unwrap();
    let mut events = server
        .watch(&format!("{CONFIG_MAPS}?watch=1&resourceVersion={version}"))
        .await;
    let event = events.next().await.unwrap();
    assert_eq!(
        (&event["type"], &event["object"]["code"]),
        (&json!("ERROR"), &json!(410))
    );
    assert_eq!(event["object"]["reason"], "Expired");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn an_object_that_no_longer_matches_is_deleted_for_the_watch() {
    let server = Server::new();
    server.post(PODS, &pod("p")).await;
    let mut events = server
        .watch(&format!("{PODS}?watch=1&labelSelector=app%3Dp"))
        .await;
    assert_eq!(
        kind_and_name(&events.next().await.unwrap()),
        ("ADDED".into(), "p".into())
    );
    let patch = json!({"metadata": {"labels": {"app": "q"}}});
    server
        .patch(&format!("{PODS}/p"), "application/merge-patch+json", &patch)
        .await;
    assert_eq!(
        kind_and_name(&events.next().await.unwrap()),
        ("DELETED".into(), "p".into())
    );
}

#[tokio::test]
async fn a_table_watch_sends_its_columns_once() {
    let server = Server::new();
    for name in ["a", "b"] {
        server.post(PODS, &pod(name)).await;
    }
    let accept = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")];
    let reply = server
        .send(
            "GET",
            &format!("{PODS}?watch=1&timeoutSeconds=1"),
            &accept,
            "",
        )
        .await;
    assert_eq!(reply.status, StatusCode::OK);
    let events: Vec<Value> = reply
        .text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(events.len(), 2);
    assert!(events[0]["object"]["columnDefinitions"].is_array());
    assert!(events[1]["object"]["columnDefinitions"].is_null());
    assert_eq!(events[1]["object"]["rows"][0]["cells"][0], "b");
}
