//! What the server adds to objects and what it refuses in them.

use crate::support::{CLAIMS, CONFIG_MAPS, PODS, Server, claim, config_map, pod, reserved};
use http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn a_pod_gets_what_a_real_cluster_adds() {
    let server = Server::new();
    let created = server.post(PODS, &pod("p")).await.json();
    assert_eq!(created["spec"]["serviceAccountName"], "default");
    assert_eq!(
        created["spec"]["tolerations"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(created["spec"]["restartPolicy"], "Always");
    assert_eq!(created["spec"]["priority"], 0);
    assert_eq!(
        created["status"],
        json!({"phase": "Pending", "qosClass": "BestEffort"})
    );
}

#[tokio::test]
async fn a_generated_name_starts_with_what_was_asked_for() {
    let server = Server::new();
    let mut object = config_map("");
    object["metadata"] = json!({"generateName": "a-"});
    let name = server.post(CONFIG_MAPS, &object).await.json()["metadata"]["name"].clone();
    assert!(
        name.as_str()
            .is_some_and(|n| n.starts_with("a-") && n.len() == 7),
        "{name}"
    );
}

#[tokio::test]
async fn unknown_fields_are_refused_when_strict_and_warned_about_otherwise() {
    let server = Server::new();
    let mut wrong = claim("c");
    wrong["spec"]["selectableAttributes"] = json!({});
    let strict = server
        .post(&format!("{CLAIMS}?fieldValidation=Strict"), &wrong)
        .await;
    assert_eq!(strict.status, StatusCode::BAD_REQUEST);
    assert!(
        strict
            .message()
            .ends_with("strict decoding error: unknown field \"spec.selectableAttributes\""),
        "{}",
        strict.message()
    );
    let warned = server.post(CLAIMS, &wrong).await;
    assert_eq!(warned.status, StatusCode::CREATED);
    assert_eq!(
        warned.headers["warning"],
        "299 - \"unknown field \\\"spec.selectableAttributes\\\"\""
    );
    assert_eq!(warned.json()["spec"].get("selectableAttributes"), None);
    let ignored = server
        .post(&format!("{CLAIMS}?fieldValidation=Ignore"), &{
            wrong["metadata"]["name"] = json!("d");
            wrong
        })
        .await;
    assert!(!ignored.headers.contains_key("warning"));
}

#[tokio::test]
async fn a_client_cannot_set_the_status_of_a_new_claim_nor_through_a_plain_update() {
    let server = Server::new();
    let mut object = claim("c");
    object["status"] = reserved();
    let mut created = server.post(CLAIMS, &object).await.json();
    assert_eq!(created["status"], json!({}));
    created["status"] = object["status"].clone();
    let path = format!("{CLAIMS}/c");
    assert_eq!(
        server.put(&path, &created).await.json()["status"],
        json!({})
    );
    let reserved = server.put(&format!("{path}/status"), &created).await.json();
    assert_eq!(
        reserved["status"]["reservedFor"][0]["name"], "p",
        "{reserved}"
    );
}

#[tokio::test]
async fn admin_access_needs_the_label_on_the_namespace() {
    let server = Server::new();
    let mut object = claim("c");
    object["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] = json!(true);
    let refused = server.post(CLAIMS, &object).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        refused.message(),
        "ResourceClaim.resource.k8s.io \"c\" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"
    );
    let label = json!({"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}});
    server
        .patch(
            "/api/v1/namespaces/default",
            "application/merge-patch+json",
            &label,
        )
        .await;
    assert_eq!(
        server.post(CLAIMS, &object).await.status,
        StatusCode::CREATED
    );
}

#[tokio::test]
async fn kinds_that_nothing_would_act_on_are_refused_on_create() {
    let server = Server::new();
    let object = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s"}});
    let refused = server
        .post("/apis/apps/v1/namespaces/default/statefulsets", &object)
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(
        refused.message(),
        "statefulsets.apps \"s\" is forbidden: not emulated by drakit: no controller would act on it; use a Deployment"
    );
    let list = server.get("/apis/apps/v1/statefulsets").await.json();
    assert_eq!(
        (&list["kind"], &list["items"]),
        (&json!("StatefulSetList"), &json!([]))
    );
}

#[tokio::test]
async fn a_job_selects_its_pods_by_its_uid() {
    let server = Server::new();
    let job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}},
    });
    let job = server
        .post("/apis/batch/v1/namespaces/default/jobs", &job)
        .await
        .json();
    let uid = &job["metadata"]["uid"];
    assert_eq!(
        &job["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"],
        uid
    );
    assert_eq!(
        job["spec"]["template"]["metadata"]["labels"]["job-name"],
        "j"
    );
}

#[tokio::test]
async fn a_claim_that_breaks_rules_is_refused_with_every_cause() {
    let server = Server::new();
    let mut object = claim("c");
    object["spec"]["devices"]["requests"] = json!([
        {"name": "a", "exactly": {"deviceClassName": "Not Valid"}},
        {"name": "b", "exactly": {
            "deviceClassName": "gpu.example.com",
            "selectors": [{"cel": {"expression": "device.nope"}}],
        }},
    ]);
    let refused = server.post(CLAIMS, &object).await;
    assert_eq!(
        refused.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{}",
        refused.text
    );
    let status = refused.json();
    let causes = status["details"]["causes"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let fields: Vec<_> = causes
        .iter()
        .map(|c| c["field"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        fields,
        [
            "spec.devices.requests[0].exactly.deviceClassName",
            "spec.devices.requests[1].exactly.selectors[0].cel.expression",
        ]
    );
    let text = refused.message();
    assert!(
        text.starts_with("ResourceClaim.resource.k8s.io \"c\" is invalid: [spec."),
        "{text}"
    );
}

#[tokio::test]
async fn the_spec_of_a_claim_cannot_change() {
    let server = Server::new();
    server.post(CLAIMS, &claim("c")).await;
    let emptied = json!({"spec": {"devices": {"requests": []}}});
    let path = format!("{CLAIMS}/c");
    let refused = server
        .patch(&path, "application/merge-patch+json", &emptied)
        .await;
    assert_eq!(
        refused.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{}",
        refused.text
    );
    assert!(
        refused.message().contains("field is immutable"),
        "{}",
        refused.message()
    );
}
