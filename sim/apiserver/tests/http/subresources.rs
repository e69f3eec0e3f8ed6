//! Bindings, logs, scale, tokens and reviews.

use crate::support::{PODS, Server, pod};
use http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn a_binding_gives_a_pod_its_node_once() {
    let server = Server::new();
    server.post(PODS, &pod("p")).await;
    let binding = json!({
        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"},
        "target": {"kind": "Node", "name": "n"},
    });
    let bound = server.post(&format!("{PODS}/p/binding"), &binding).await;
    assert_eq!(bound.status, StatusCode::CREATED, "{}", bound.text);
    let pod = server.get(&format!("{PODS}/p")).await.json();
    assert_eq!(pod["spec"]["nodeName"], "n");
    assert_eq!(pod["status"]["conditions"][0]["type"], "PodScheduled");
    let again = server.post(&format!("{PODS}/p/binding"), &binding).await;
    assert_eq!(
        again.message(),
        "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n\""
    );
    let log = server.get(&format!("{PODS}/p/log?tailLines=2")).await;
    assert_eq!(log.text, "two\nmain\n");
    assert_eq!(
        server
            .get(&format!("{PODS}/p/log?container=x"))
            .await
            .message(),
        "container x is not valid for pod p"
    );
}

#[tokio::test]
async fn scale_reads_and_changes_the_size_of_a_deployment() {
    let server = Server::new();
    let labels = json!({"app": "d"});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {
            "replicas": 2, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
        },
    });
    let path = "/apis/apps/v1/namespaces/default/deployments";
    assert_eq!(
        server.post(path, &deployment).await.status,
        StatusCode::CREATED
    );
    let scale = server.get(&format!("{path}/d/scale")).await.json();
    assert_eq!(
        (&scale["spec"]["replicas"], &scale["status"]["selector"]),
        (&json!(2), &json!("app=d"))
    );
    let five = json!({"spec": {"replicas": 5}});
    let changed = server
        .patch(
            &format!("{path}/d/scale"),
            "application/merge-patch+json",
            &five,
        )
        .await;
    assert_eq!(changed.json()["spec"]["replicas"], 5, "{}", changed.text);
    assert_eq!(
        server.get(&format!("{path}/d")).await.json()["spec"]["replicas"],
        5
    );
}

#[tokio::test]
async fn an_access_review_is_allowed_and_a_token_has_three_parts() {
    let server = Server::new();
    let review = json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    let answer = server
        .post(
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            &review,
        )
        .await;
    assert_eq!(answer.json()["status"]["allowed"], true, "{}", answer.text);
    let account = json!({"metadata": {"name": "default"}});
    server
        .post("/api/v1/namespaces/default/serviceaccounts", &account)
        .await;
    let request = json!({"spec": {"expirationSeconds": 600}});
    let token = server
        .post(
            "/api/v1/namespaces/default/serviceaccounts/default/token",
            &request,
        )
        .await
        .json();
    assert_eq!(
        token["status"]["token"]
            .as_str()
            .map(|t| t.split('.').count()),
        Some(3),
        "{token}"
    );
}
