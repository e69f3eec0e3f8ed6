//! Registration, start, stop, restart.

use std::os::unix::net::UnixListener;

use drakit_driver_plugin::{Folders, StartError};
use drakit_proto::dra_health_v1::NodeWatchResourcesRequest;
use drakit_proto::dra_health_v1::dra_resource_health_client::DraResourceHealthClient;
use drakit_proto::plugin_registration_v1::{InfoRequest, RegistrationStatus};

use crate::world::{DRIVER, Node, connect};

#[tokio::test]
async fn registration_may_be_repeated_and_lists_the_newest_version_first() {
    let node = Node::new();
    let running = node.start().await;
    for registered in [true, false, true] {
        let mut kubelet = node.registration();
        let info = kubelet.get_info(InfoRequest {}).await.unwrap().into_inner();
        assert_eq!(info.r#type, "DRAPlugin");
        assert_eq!(info.name, DRIVER);
        assert_eq!(info.endpoint, node.dra_socket().to_str().unwrap());
        assert_eq!(
            info.supported_versions,
            ["v1.DRAPlugin", "v1beta1.DRAPlugin"]
        );
        let status = RegistrationStatus {
            plugin_registered: registered,
            error: "reason".into(),
        };
        kubelet.notify_registration_status(status).await.unwrap();
        assert_eq!(running.handle.status().registered, registered);
    }
    assert!(running.handle.status().contacted);
    running.stop().await;
}

#[tokio::test]
async fn health_is_answered_as_unimplemented() {
    let node = Node::new();
    let running = node.start().await;
    let mut health = DraResourceHealthClient::new(connect(&node.dra_socket()));
    let error = health
        .node_watch_resources(NodeWatchResourcesRequest {})
        .await
        .unwrap_err();
    assert_eq!(error.code(), tonic::Code::Unimplemented);
    running.stop().await;
}

#[tokio::test]
async fn stopping_removes_the_sockets_and_keeps_what_is_prepared() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    let running = node.start().await;
    running.prepare("c", "uid-1").await.unwrap();
    running.stop().await;
    assert!(!node.registration_socket().exists());
    assert!(!node.dra_socket().exists());
    assert_eq!(node.cdi_files().len(), 1);
    assert!(node.record("uid-1").exists());
}

#[tokio::test]
async fn after_a_crash_everything_is_as_before() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    node.cluster.allocate("d", "uid-2", &["gpu-0"]);
    let running = node.start().await;
    running.prepare("c", "uid-1").await.unwrap();
    running.crash(&node).await;
    node.cluster.delete("c");

    let running = node.start().await;
    assert_eq!(running.handle.status().prepared, 1);
    let error = running.prepare("d", "uid-2").await.unwrap_err();
    assert!(error.contains("held by claim default/c"), "{error}");
    running.unprepare("c", "uid-1").await.unwrap();
    assert_eq!(running.prepare("d", "uid-2").await.unwrap(), ["gpu-0"]);
    running.stop().await;
}

#[tokio::test]
async fn a_second_instance_on_the_same_folders_does_not_start() {
    let node = Node::new();
    let running = node.start().await;
    let Err(error) = node.try_start(node.folders()).await else {
        panic!("it started");
    };
    assert!(matches!(error, StartError::Occupied { .. }), "{error}");
    assert!(node.dra_socket().exists());
    running.stop().await;
}

#[tokio::test]
async fn a_start_that_fails_leaves_no_socket_behind() {
    let node = Node::new();
    // Somebody answers on the second socket only.
    std::fs::create_dir_all(node.folders().registrar).unwrap();
    let _other = UnixListener::bind(node.registration_socket()).unwrap();
    assert!(node.try_start(node.folders()).await.is_err());
    assert!(!node.dra_socket().exists());
}

#[tokio::test]
async fn a_folder_that_is_missing_or_no_folder_is_named() {
    let node = Node::new();
    let missing = Folders {
        create: false,
        ..node.folders()
    };
    let Err(error) = node.try_start(missing).await else {
        panic!("it started");
    };
    let text = error.to_string();
    assert!(
        text.contains("plugin registration folder") && text.contains("plugins_registry"),
        "{text}"
    );

    std::fs::write(node.folders().cdi, "no folder").unwrap();
    let Err(error) = node.try_start(node.folders()).await else {
        panic!("it started");
    };
    assert!(matches!(error, StartError::Cdi { .. }), "{error}");
}
