//! Single requests and what they answer, word for word where users see it.

use crate::support::{CLAIMS, CONFIG_MAPS, PODS, Server, claim, config, config_map, pod};
use http::StatusCode;
use serde_json::{Value, json};

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
    object["status"] = json!({"reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}]});
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
