//! What Prepare and Unprepare answer.

use std::time::Duration;

use drakit_proto::dra_v1::NodePrepareResourcesRequest;
use drakit_proto::dra_v1beta1;
use drakit_proto::dra_v1beta1::dra_plugin_client::DraPluginClient as DraV1beta1Client;
use serde_json::json;

use crate::world::{Node, PATIENCE, claim, connect};

#[tokio::test]
async fn prepare_is_idempotent_and_reads_the_claim_once() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0", "gpu-1"]);
    let running = node.start().await;
    let first = running.prepare_all(vec![claim("c", "uid-1")]).await;
    let device = &first["uid-1"].devices[0];
    assert_eq!(
        (device.pool_name.as_str(), device.device_name.as_str()),
        ("n1", "gpu-0")
    );
    assert_eq!(device.request_names, ["gpu"]);
    assert_eq!(device.cdi_device_ids.len(), 1);
    for _ in 0..3 {
        assert_eq!(running.prepare_all(vec![claim("c", "uid-1")]).await, first);
    }
    assert_eq!(node.cluster.reads("c"), 1);
    running.stop().await;
}

#[tokio::test]
async fn both_versions_answer_the_same() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    let running = node.start().await;
    let new = running.prepare_all(vec![claim("c", "uid-1")]).await;
    let mut old = DraV1beta1Client::new(connect(&node.dra_socket()));
    let request = NodePrepareResourcesRequest {
        claims: vec![claim("c", "uid-1")],
    };
    let answer =
        old.node_prepare_resources(dra_v1beta1::NodePrepareResourcesRequest::from(request));
    let answer = answer.await.unwrap().into_inner().claims;
    assert_eq!(answer["uid-1"], new["uid-1"].clone().into());
    running.stop().await;
}

#[tokio::test]
async fn each_claim_has_its_own_answer() {
    let node = Node::new();
    node.cluster.allocate("good", "uid-1", &["gpu-0"]);
    node.cluster.allocate("replaced", "uid-other", &["gpu-1"]);
    node.cluster.put("pending", "uid-3", &json!({}));
    node.cluster.allocate("wrong", "uid-4", &["gpu-99"]);
    let running = node.start().await;
    let claims = running
        .prepare_all(vec![
            claim("good", "uid-1"),
            claim("replaced", "uid-2"),
            claim("pending", "uid-3"),
            claim("wrong", "uid-4"),
            claim("absent", "uid-5"),
            claim("evil", "../../uid"),
            claim("good", "uid-1"),
        ])
        .await;
    let errors: Vec<(&str, &str)> = claims
        .iter()
        .map(|(uid, answer)| (uid.as_str(), answer.error.as_str()))
        .collect();
    assert_eq!(errors.len(), 6);
    for (uid, words) in [
        ("uid-1", ""),
        ("uid-2", "got replaced"),
        ("uid-3", "not allocated"),
        ("uid-4", "gpu-99"),
        ("uid-5", "not found"),
        ("../../uid", "no UID"),
    ] {
        let (_, error) = errors.iter().find(|(found, _)| *found == uid).unwrap();
        assert!(
            error.contains(words) && error.is_empty() == words.is_empty(),
            "{uid}: {error}"
        );
    }
    let status = running.handle.status();
    assert_eq!(
        (status.prepared, status.prepares, status.prepare_failures),
        (1, 6, 5)
    );
    running.stop().await;
}

#[tokio::test]
async fn results_of_other_drivers_are_not_ours() {
    let node = Node::new();
    let foreign =
        json!({"request": "nic", "driver": "nic.example.com", "pool": "n1", "device": "gpu-0"});
    node.cluster.put(
        "c",
        "uid-1",
        &json!({"allocation": {"devices": {"results": [foreign]}}}),
    );
    let running = node.start().await;
    assert!(running.prepare("c", "uid-1").await.unwrap().is_empty());
    assert!(node.cdi_files().is_empty());
    running.unprepare("c", "uid-1").await.unwrap();
    running.stop().await;
}

#[tokio::test]
async fn a_device_goes_to_one_claim_at_a_time_and_is_free_after_unprepare() {
    let node = Node::new();
    node.cluster.allocate("a", "uid-a", &["gpu-0"]);
    node.cluster.allocate("b", "uid-b", &["gpu-0"]);
    let running = node.start().await;
    let both = running
        .prepare_all(vec![claim("a", "uid-a"), claim("b", "uid-b")])
        .await;
    let failed = both
        .values()
        .filter(|answer| !answer.error.is_empty())
        .count();
    assert_eq!(failed, 1, "{both:?}");
    let winner = if both["uid-a"].error.is_empty() {
        ("a", "uid-a")
    } else {
        ("b", "uid-b")
    };
    let loser = if winner.0 == "a" {
        ("b", "uid-b")
    } else {
        ("a", "uid-a")
    };
    running.unprepare(winner.0, winner.1).await.unwrap();
    assert_eq!(running.prepare(loser.0, loser.1).await.unwrap(), ["gpu-0"]);
    running.stop().await;
}

#[tokio::test]
async fn unprepare_needs_no_claim_object_and_no_earlier_prepare() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    let running = node.start().await;
    running.prepare("c", "uid-1").await.unwrap();
    node.cluster.delete("c");
    running.unprepare("c", "uid-1").await.unwrap();
    running.unprepare("c", "uid-1").await.unwrap();
    running.unprepare("never", "uid-2").await.unwrap();
    running.unprepare("evil", "../../uid").await.unwrap();
    assert_eq!(node.cluster.reads("c") + node.cluster.reads("never"), 1);
    assert!(node.cdi_files().is_empty());
    assert!(!node.record("uid-1").exists());
    running.stop().await;
}

#[tokio::test]
async fn a_claim_whose_read_hangs_does_not_hold_up_others() {
    let node = Node::new();
    node.cluster.allocate("slow", "uid-1", &["gpu-0"]);
    node.cluster.allocate("fast", "uid-2", &["gpu-1"]);
    node.cluster.hang("slow", true);
    let running = node.start().await;
    let slow = running.prepare("slow", "uid-1");
    let fast = async {
        node.cluster.read_begins("slow").await;
        running.prepare("fast", "uid-2").await.unwrap();
        node.cluster.hang("slow", false);
    };
    let (slow, ()) = tokio::join!(slow, fast);
    assert_eq!(slow.unwrap(), ["gpu-0"]);
    running.stop().await;
}

#[tokio::test]
async fn a_retry_after_a_time_out_joins_the_work_that_goes_on() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    node.cluster.hang("c", true);
    let running = node.start().await;
    let mut request = tonic::Request::new(NodePrepareResourcesRequest {
        claims: vec![claim("c", "uid-1")],
    });
    request.set_timeout(Duration::from_millis(50));
    let error = running
        .dra
        .clone()
        .node_prepare_resources(request)
        .await
        .unwrap_err();
    assert!(
        matches!(
            error.code(),
            tonic::Code::Cancelled | tonic::Code::DeadlineExceeded
        ),
        "{error}"
    );
    let retry = running.prepare("c", "uid-1");
    let release = async {
        node.cluster.read_begins("c").await;
        node.cluster.hang("c", false);
    };
    let (devices, ()) = tokio::join!(retry, release);
    assert_eq!(devices.unwrap(), ["gpu-0"]);
    assert_eq!(node.cluster.reads("c"), 1);
    running.stop().await;
}

#[tokio::test]
async fn unprepare_ends_a_prepare_that_still_waits_and_leaves_nothing() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    node.cluster.hang("c", true);
    let running = node.start().await;
    let unprepare = async {
        node.cluster.read_begins("c").await;
        running.unprepare("c", "uid-1").await
    };
    let (prepared, unprepared) = tokio::join!(running.prepare("c", "uid-1"), unprepare);
    unprepared.unwrap();
    assert!(prepared.unwrap_err().contains("unprepared while"));
    assert_eq!(running.handle.status().prepared, 0);
    assert!(node.cdi_files().is_empty());
    running.stop().await;
}

#[tokio::test]
async fn a_prepare_that_was_given_up_while_it_waited_for_unprepare_never_begins() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    let running = node.start().await;
    running.prepare("c", "uid-1").await.unwrap();
    // Unprepare is held up at the disk, and a late Prepare waits behind it.
    let disk = node.disk.acquire_many(4).await.unwrap();
    let unprepare = running.unprepare("c", "uid-1");
    let stale = async {
        let mut request = tonic::Request::new(NodePrepareResourcesRequest {
            claims: vec![claim("c", "uid-1")],
        });
        request.set_timeout(Duration::from_millis(50));
        running
            .dra
            .clone()
            .node_prepare_resources(request)
            .await
            .unwrap_err();
        drop(disk);
    };
    let (unprepared, ()) = tokio::join!(biased; unprepare, stale);
    unprepared.unwrap();
    running.stop().await;
    assert_eq!(node.cluster.reads("c"), 1);
    assert!(node.cdi_files().is_empty());
}

#[tokio::test]
async fn claims_that_vanished_are_unprepared_by_comparison() {
    let node = Node::new();
    node.cluster.allocate("gone", "uid-1", &["gpu-0"]);
    node.cluster.allocate("replaced", "uid-2", &["gpu-1"]);
    let running = node.start().await;
    running.prepare("gone", "uid-1").await.unwrap();
    running.prepare("replaced", "uid-2").await.unwrap();
    running.handle.reconcile().await.unwrap();
    assert_eq!(running.handle.status().prepared, 2, "both still exist");
    node.cluster.delete("gone");
    node.cluster.allocate("replaced", "uid-3", &["gpu-1"]);
    tokio::time::timeout(PATIENCE, running.handle.reconcile())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(running.handle.status().prepared, 0);
    assert!(node.cdi_files().is_empty());
    running.stop().await;
}
