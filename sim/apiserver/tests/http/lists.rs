//! Lists, tables and discovery.

use crate::support::{CLAIMS, CONFIG_MAPS, PODS, Server, claim, config_map, pod};
use http::StatusCode;
use serde_json::{Value, json};

async fn with_config_maps(count: usize) -> Server {
    let server = Server::new();
    for index in 0..count {
        server
            .post(CONFIG_MAPS, &config_map(&format!("c{index}")))
            .await;
    }
    server
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    items
        .iter()
        .map(|i| {
            i["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

#[tokio::test]
async fn a_list_names_its_kind_and_version() {
    let server = with_config_maps(2).await;
    let list = server.get(CONFIG_MAPS).await.json();
    assert_eq!(
        (&list["kind"], &list["apiVersion"]),
        (&json!("ConfigMapList"), &json!("v1"))
    );
    assert_eq!(
        list["metadata"]["resourceVersion"],
        json!(server.store.version().to_string())
    );
    assert_eq!(names(&list), ["c0", "c1"]);
}

#[tokio::test]
async fn pages_show_one_state_and_count_what_remains() {
    let server = with_config_maps(5).await;
    let first = server.get(&format!("{CONFIG_MAPS}?limit=2")).await.json();
    assert_eq!(
        (
            names(&first).len(),
            &first["metadata"]["remainingItemCount"]
        ),
        (2, &json!(3))
    );
    // What happens between the pages is not seen.
    server
        .send("DELETE", &format!("{CONFIG_MAPS}/c3"), &[], "")
        .await;
    server.post(CONFIG_MAPS, &config_map("c2b")).await;
    let mut token = first["metadata"]["continue"].as_str().unwrap().to_owned();
    let mut rest = Vec::new();
    loop {
        let page = server
            .get(&format!("{CONFIG_MAPS}?limit=2&continue={token}"))
            .await
            .json();
        assert_eq!(
            page["metadata"]["resourceVersion"],
            first["metadata"]["resourceVersion"]
        );
        rest.extend(names(&page));
        match page["metadata"]["continue"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(rest, ["c2", "c3", "c4"]);
    let wrong = server
        .get(&format!("{CONFIG_MAPS}?limit=2&continue=x"))
        .await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn selectors_choose_by_label_and_by_field() {
    let server = Server::new();
    for name in ["a", "b"] {
        server.post(PODS, &pod(name)).await;
    }
    assert_eq!(
        names(
            &server
                .get("/api/v1/pods?labelSelector=app+in+(b)")
                .await
                .json()
        ),
        ["b"]
    );
    assert_eq!(
        names(
            &server
                .get("/api/v1/pods?fieldSelector=metadata.name%3Da")
                .await
                .json()
        ),
        ["a"]
    );
    assert_eq!(
        names(
            &server
                .get("/api/v1/pods?fieldSelector=spec.nodeName%3Dx")
                .await
                .json()
        ),
        [""; 0]
    );
    let bad = server.get("/api/v1/pods?fieldSelector=spec.hat%3Dx").await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
    assert!(
        bad.message()
            .contains("field label not supported: spec.hat"),
        "{}",
        bad.message()
    );
}

#[tokio::test]
async fn kubectl_gets_a_table_with_the_columns_of_the_kind() {
    let server = Server::new();
    server.post(CLAIMS, &claim("c")).await;
    let accept = (
        "accept",
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    );
    let table = server.send("GET", CLAIMS, &[accept], "").await.json();
    let columns: Vec<_> = table["columnDefinitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].clone())
        .collect();
    assert_eq!(
        (&table["kind"], columns),
        (
            &json!("Table"),
            vec![json!("Name"), json!("State"), json!("Age")]
        )
    );
    assert_eq!(table["rows"][0]["cells"][1], "pending");
    assert_eq!(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
}

#[tokio::test]
async fn metadata_clients_get_metadata_alone() {
    let server = with_config_maps(1).await;
    let accept = (
        "accept",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    );
    let list = server.send("GET", CONFIG_MAPS, &[accept], "").await.json();
    assert_eq!(list["kind"], "PartialObjectMetadataList");
    assert_eq!(list["items"][0].get("data"), None);
    assert_eq!(names(&list), ["c0"]);
}

#[tokio::test]
async fn discovery_answers_in_both_forms() {
    let server = Server::new();
    let accept = (
        "accept",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
    );
    let aggregated = server.send("GET", "/apis", &[accept], "").await;
    assert_eq!(
        aggregated.headers["content-type"],
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    );
    let groups = aggregated.json();
    let resource = groups["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|g| g["metadata"]["name"] == "resource.k8s.io");
    let resources = resource
        .map(|g| g["versions"][0]["resources"].to_string())
        .unwrap_or_default();
    assert!(resources.contains("resourceclaims"), "{resources}");
    let legacy = server.get("/apis").await.json();
    assert_eq!(legacy["kind"], "APIGroupList");
    assert_eq!(server.get("/api").await.json()["versions"], json!(["v1"]));
    let list = server.get("/apis/resource.k8s.io/v1").await.json();
    assert_eq!(list["groupVersion"], "resource.k8s.io/v1");
    assert!(list.to_string().contains("resourceclaims/status"));
    assert_eq!(
        server.get("/apis/apps").await.json()["preferredVersion"]["version"],
        "v1"
    );
    assert_eq!(server.get("/version").await.json()["gitVersion"], "v1.37.2");
}

#[tokio::test]
async fn openapi_documents_are_where_the_index_says() {
    let server = Server::new();
    let index = server.get("/openapi/v3").await.json();
    let url = index["paths"]["apis/resource.k8s.io/v1"]["serverRelativeURL"]
        .as_str()
        .unwrap();
    let document = server.get(url).await.json();
    assert!(
        document["components"]["schemas"]
            .get("io.k8s.api.resource.v1.ResourceClaim")
            .is_some()
    );
    assert_eq!(
        server.get("/openapi/v2").await.status,
        StatusCode::NOT_FOUND
    );
}
