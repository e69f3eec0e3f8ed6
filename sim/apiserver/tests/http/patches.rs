//! Patches of every kind, server-side apply, and who owns which field.

use crate::support::{CLAIMS, CONFIG_MAPS, PODS, Server, claim, config_map, pod, reserved};
use http::StatusCode;
use serde_json::{Value, json};

#[tokio::test]
async fn each_patch_type_does_what_its_name_says() {
    let server = Server::new();
    server.post(PODS, &pod("p")).await;
    let path = format!("{PODS}/p");
    let merged = server
        .patch(
            &path,
            "application/merge-patch+json",
            &json!({"metadata": {"labels": {"a": "b"}}}),
        )
        .await
        .json();
    assert_eq!(merged["metadata"]["labels"], json!({"app": "p", "a": "b"}));
    let ops = json!([{"op": "remove", "path": "/metadata/labels/a"}]);
    let patched = server
        .patch(&path, "application/json-patch+json", &ops)
        .await
        .json();
    assert_eq!(patched["metadata"]["labels"], json!({"app": "p"}));
    let strategic = json!({"spec": {"containers": [{"name": "main", "image": "other"}]}});
    let patched = server
        .patch(&path, "application/strategic-merge-patch+json", &strategic)
        .await
        .json();
    assert_eq!(
        patched["spec"]["containers"][0]["image"], "other",
        "{patched}"
    );
    assert_eq!(
        patched["spec"]["containers"][0]["imagePullPolicy"],
        "Always"
    );
    let stale = json!({"metadata": {"resourceVersion": "1", "labels": {"z": "y"}}});
    let refused = server
        .patch(&path, "application/merge-patch+json", &stale)
        .await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn an_apply_creates_then_changes_and_fights_only_over_fields_of_others() {
    let server = Server::new();
    let apply = |manager: &'static str, value: &'static str, force: bool| {
        let server = &server;
        async move {
            let mut object = config_map("a");
            object["data"]["k"] = json!(value);
            let path = format!("{CONFIG_MAPS}/a?fieldManager={manager}&force={force}");
            server
                .patch(&path, "application/apply-patch+yaml", &object)
                .await
        }
    };
    assert_eq!(apply("one", "v", false).await.status, StatusCode::CREATED);
    let again = apply("one", "w", false).await;
    assert_eq!(
        (again.status, &again.json()["data"]["k"]),
        (StatusCode::OK, &json!("w"))
    );
    let version = again.json()["metadata"]["resourceVersion"].clone();
    assert_eq!(
        apply("one", "w", false).await.json()["metadata"]["resourceVersion"],
        version
    );
    let conflict = apply("two", "x", false).await;
    assert_eq!(conflict.status, StatusCode::CONFLICT);
    assert_eq!(
        conflict.message(),
        "Apply failed with 1 conflict: conflict with \"one\": .data.k"
    );
    assert_eq!(
        conflict.json()["details"]["causes"][0]["reason"],
        "FieldManagerConflict"
    );
    let forced = apply("two", "x", true).await.json();
    assert_eq!(forced["data"]["k"], "x");
    let managers: Vec<_> = forced["metadata"]["managedFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["manager"].clone())
        .collect();
    assert_eq!(managers, ["two"]);
}

#[tokio::test]
async fn an_apply_without_a_manager_is_refused() {
    let server = Server::new();
    let reply = server
        .patch(
            &format!("{CONFIG_MAPS}/a"),
            "application/apply-patch+yaml",
            &config_map("a"),
        )
        .await;
    assert_eq!(
        reply.message(),
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"
    );
}

#[tokio::test]
async fn a_status_writer_owns_the_status_only() {
    let server = Server::new();
    server
        .post(&format!("{CLAIMS}?fieldManager=author"), &claim("c"))
        .await;
    let status = json!({"status": reserved()});
    let path = format!("{CLAIMS}/c/status?fieldManager=scheduler");
    let patched = server
        .patch(&path, "application/merge-patch+json", &status)
        .await
        .json();
    let owners: Vec<_> = patched["metadata"]["managedFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["manager"].clone(), m["subresource"].clone()))
        .collect();
    assert_eq!(
        owners,
        [
            (json!("author"), Value::Null),
            (json!("scheduler"), json!("status"))
        ]
    );
}
