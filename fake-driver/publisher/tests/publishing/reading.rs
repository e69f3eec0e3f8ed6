//! Claims and classes.

use std::time::Duration;

use drakit_api::k8s::api::resource::v1::DeviceClass;
use drakit_driver_publisher::{ClaimReadError, ClaimReader, create_missing_classes};
use serde_json::json;

use crate::api::Api;

#[tokio::test]
async fn a_claim_is_read_when_the_api_server_is_back() {
    let api = Api::with_nodes(&[]);
    let claim =
        json!({"metadata": {"namespace": "default", "name": "c", "uid": "uid-1"}, "spec": {}});
    api.lock().claims.insert("default/c".into(), claim);
    api.lock().away = true;
    let reader = ClaimReader::new(api.client());
    let back = async {
        // It comes back when it was asked in vain.
        while api.lock().refused == 0 {
            tokio::task::yield_now().await;
        }
        api.lock().away = false;
    };
    let (read, ()) = tokio::join!(reader.read("default", "c"), back);
    assert_eq!(read.unwrap().metadata.uid.as_deref(), Some("uid-1"));
}

#[tokio::test]
async fn reading_a_claim_ends_with_the_servers_words_when_patience_does() {
    let api = Api::with_nodes(&[]);
    api.lock().away = true;
    let reader = ClaimReader::new(api.client()).with_patience(Duration::from_millis(250));
    let error = reader.read("default", "c").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "retrieve claim default/c: the server is away"
    );
    assert!(api.lock().refused > 1, "it was asked again");
}

#[tokio::test]
async fn a_claim_that_does_not_exist_is_told_at_once() {
    let api = Api::with_nodes(&[]);
    let error = ClaimReader::new(api.client())
        .read("default", "c")
        .await
        .unwrap_err();
    assert!(matches!(error, ClaimReadError::NotFound { .. }), "{error}");
}

#[tokio::test]
async fn classes_are_created_once_and_those_of_others_are_left_alone() {
    let api = Api::with_nodes(&[]);
    let theirs = json!({"metadata": {"name": "gpu"}, "spec": {"config": []}});
    api.lock().classes.insert("gpu".into(), theirs.clone());
    let class = |name: &str| {
        let mut class = DeviceClass::default();
        class.metadata.name = Some(name.into());
        class
    };
    let classes = [class("gpu"), class("nic")];
    assert_eq!(
        create_missing_classes(api.client(), &classes)
            .await
            .unwrap(),
        ["nic"]
    );
    assert!(
        create_missing_classes(api.client(), &classes)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(api.lock().classes["gpu"], theirs);
}
