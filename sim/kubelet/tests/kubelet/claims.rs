//! Prepare and unprepare, and what goes wrong with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use drakit_proto::dra_v1::NodePrepareResourceResponse;
use drakit_sim_store::DeleteOptions;
use drakit_sim_store::resource::{PODS, RESOURCE_CLAIMS};
use serde_json::json;
use tonic::Status;

use crate::driver::{Setup, TestDriver, prepare_all, prepared};
use crate::world::{DRIVER, World, fast};

const FAILED: &str = "FailedPrepareDynamicResources";
const PREFIX: &str = "Failed to prepare dynamic resources: prepare dynamic resources: ";

async fn failure(world: &World) -> String {
    let message = world.event(FAILED).await;
    message.strip_prefix(PREFIX).unwrap().to_owned()
}

#[tokio::test]
async fn a_pod_waits_for_its_driver_to_register() {
    let world = World::new(drakit_sim_kubelet::Timing::real()).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    world.pod_with_claims("p", &["c"]);
    assert_eq!(
        failure(&world).await,
        "DRA driver gpu.example.com is not registered"
    );
    let pod = world.pod_phase("p", "Pending").await;
    let waiting = &pod.at(&["status", "containerStatuses"])[0]["state"]["waiting"];
    assert_eq!(waiting["reason"], "ContainerCreating");
    let _driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.pod_phase("p", "Running").await;
}

#[tokio::test]
async fn claims_that_may_not_be_used_are_reported_in_the_kubelets_words() {
    let cases = [
        (
            json!(null),
            "fetch ResourceClaim c: resourceclaims.resource.k8s.io \"c\" not found",
        ),
        (
            json!({"allocation": {"devices": {"results": []}}}),
            "pod p (UID) is not allowed to use ResourceClaim c (CLAIM)",
        ),
        (
            json!({"reservedFor": true}),
            "ResourceClaim c: not allocated",
        ),
    ];
    for (status, expected) in cases {
        let world = World::new(fast()).await;
        let pod = world.unbound_pod("p", &["c"], &json!({}));
        let mut claim_uid = String::new();
        if !status.is_null() {
            let reserve = status["reservedFor"] == true;
            let status = if reserve { json!({}) } else { status };
            let claim = json!({"metadata": {"name": "c", "namespace": "ns"}, "status": status});
            let claim = world.store.create(&RESOURCE_CLAIMS, claim).unwrap();
            claim_uid = claim.uid().to_owned();
            if reserve {
                world.reserve("c", &pod);
            }
        }
        world.bind(&pod);
        let expected = expected
            .replace("UID", pod.uid())
            .replace("CLAIM", &claim_uid);
        assert_eq!(failure(&world).await, expected);
    }
}

#[tokio::test]
async fn a_template_whose_claim_is_not_made_yet_is_reported_and_used_once_made() {
    let world = World::new(fast()).await;
    let _driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    let extra =
        json!({"spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]}});
    let pod = world.unbound_pod("p", &[], &extra);
    world.bind(&pod);
    assert_eq!(
        failure(&world).await,
        "pod \"ns/p\": ResourceClaim not created yet"
    );
    let owner = json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": pod.uid(), "controller": true}]);
    let claim = json!({
        "metadata": {"name": "p-gpu", "namespace": "ns", "ownerReferences": owner},
        "status": {"allocation": {"devices": {"results": [{"driver": DRIVER}]}}},
    });
    world.store.create(&RESOURCE_CLAIMS, claim).unwrap();
    world.reserve("p-gpu", &pod);
    world.cdi_file("p-gpu");
    let any = drakit_sim_store::Expect::any();
    world
        .store
        .update_status(&PODS, &pod.key(), &any, |old| {
            let mut pod = old.value().clone();
            pod["status"]["resourceClaimStatuses"] =
                json!([{"name": "gpu", "resourceClaimName": "p-gpu"}]);
            Ok::<_, drakit_sim_store::StoreError>(pod)
        })
        .unwrap();
    world.pod_phase("p", "Running").await;
}

#[tokio::test]
async fn answers_that_break_the_contract_are_reported_and_asked_for_again() {
    type Prepare = fn(
        &drakit_proto::dra_v1::NodePrepareResourcesRequest,
    ) -> Result<crate::driver::Answer, Status>;
    let cases: [(Prepare, &str); 4] = [
        (
            |_| Ok([].into()),
            "NodePrepareResources skipped 1 ResourceClaims",
        ),
        (
            |request| {
                let mut answer = prepare_all(request)?;
                answer.insert("stranger".into(), prepared(&request.claims[0], &[]));
                answer.retain(|uid, _| uid == "stranger");
                Ok(answer)
            },
            "NodePrepareResources returned result for unknown claim UID stranger",
        ),
        (
            |request| {
                let mut answer = prepare_all(request)?;
                for entry in answer.values_mut() {
                    entry.error = "device is on fire".into();
                }
                Ok(answer)
            },
            "NodePrepareResources failed for ResourceClaim c: device is on fire",
        ),
        (
            |_| Err(Status::failed_precondition("not now")),
            "NodePrepareResources: rpc error: code = FailedPrecondition desc = not now",
        ),
    ];
    for (prepare, expected) in cases {
        let world = World::new(fast()).await;
        let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
        let well = Arc::new(AtomicBool::new(false));
        let now_well = well.clone();
        driver.on_prepare(move |request| {
            if now_well.load(Ordering::Relaxed) {
                prepare_all(request)
            } else {
                prepare(request)
            }
        });
        world.connected(1).await;
        world.claim("c", &[DRIVER]);
        world.cdi_file("c");
        world.pod_with_claims("p", &["c"]);
        assert_eq!(failure(&world).await, expected);
        well.store(true, Ordering::Relaxed);
        world.pod_phase("p", "Running").await;
    }
}

#[tokio::test]
async fn a_driver_that_hangs_is_given_up_at_the_deadline() {
    let world = World::new(drakit_sim_kubelet::Timing {
        call: std::time::Duration::from_millis(400),
        ..fast()
    })
    .await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    driver.hang(true);
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    world.pod_with_claims("p", &["c"]);
    // Before the deadline the status says what is going on.
    world
        .until("the pod is being created", &PODS, |pods| {
            let state = &pods[0].at(&["status", "containerStatuses"]).get(0)?["state"];
            (state["waiting"]["reason"] == "ContainerCreating").then_some(())
        })
        .await;
    assert_eq!(
        failure(&world).await,
        "NodePrepareResources: rpc error: code = DeadlineExceeded desc = context deadline exceeded"
    );
    driver.hang(false);
    world.pod_phase("p", "Running").await;
}

#[tokio::test]
async fn a_pod_that_is_deleted_while_its_driver_hangs_is_unprepared_and_goes() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    driver.hang(true);
    world.claim("c", &[DRIVER]);
    let pod = world.pod_with_claims("p", &["c"]);
    driver.logged("v1 Prepare c").await;
    let deletion = DeleteOptions::default();
    world.store.delete(&PODS, &pod.key(), &deletion).unwrap();
    world.pod_gone("p").await;
    driver.logged("v1 Unprepare c").await;
}

#[tokio::test]
async fn one_call_carries_all_claims_of_a_driver_and_each_driver_gets_its_own() {
    let world = World::new(fast()).await;
    let gpu = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    let nic = TestDriver::start(&world.dirs(), Setup::new("nic.example.com"));
    nic.on_prepare(|request| {
        let claims = request.claims.iter();
        Ok(claims
            .map(|c| (c.uid.clone(), NodePrepareResourceResponse::default()))
            .collect())
    });
    world.connected(2).await;
    world.claim("c1", &[DRIVER]);
    world.claim("c2", &[DRIVER, "nic.example.com"]);
    world.cdi_file("c1");
    world.cdi_file("c2");
    let pod = world.pod_with_claims("p", &["c1", "c2"]);
    world.pod_phase("p", "Running").await;
    assert_eq!(gpu.log()[2..], ["v1 Prepare c1 c2"]);
    assert_eq!(nic.log()[2..], ["v1 Prepare c2"]);
    let deletion = DeleteOptions::default();
    world.store.delete(&PODS, &pod.key(), &deletion).unwrap();
    world.pod_gone("p").await;
    assert_eq!(gpu.log()[3..], ["v1 Unprepare c1 c2"]);
    assert_eq!(nic.log()[3..], ["v1 Unprepare c2"]);
}

#[tokio::test]
async fn a_shared_claim_is_prepared_once_and_unprepared_after_its_last_pod() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    let first = world.pod_with_claims("p1", &["c"]);
    world.pod_phase("p1", "Running").await;
    let second = world.pod_with_claims("p2", &["c"]);
    world.pod_phase("p2", "Running").await;
    let deletion = DeleteOptions::default();
    world.store.delete(&PODS, &first.key(), &deletion).unwrap();
    world.pod_gone("p1").await;
    assert_eq!(driver.log()[2..], ["v1 Prepare c"]);
    world.store.delete(&PODS, &second.key(), &deletion).unwrap();
    world.pod_gone("p2").await;
    assert_eq!(driver.log()[2..], ["v1 Prepare c", "v1 Unprepare c"]);
}

#[tokio::test]
async fn a_force_deleted_pod_whose_claim_is_gone_too_is_unprepared() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    let claim = world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    let pod = world.pod_with_claims("p", &["c"]);
    world.pod_phase("p", "Running").await;
    let now = DeleteOptions::now(claim.uid());
    world
        .store
        .delete(&RESOURCE_CLAIMS, &claim.key(), &now)
        .unwrap();
    let now = DeleteOptions::now(pod.uid());
    world.store.delete(&PODS, &pod.key(), &now).unwrap();
    driver.logged("v1 Unprepare c").await;
}

#[tokio::test]
async fn a_failed_unprepare_holds_the_pod_without_an_event_and_is_tried_again() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    let pod = world.pod_with_claims("p", &["c"]);
    world.pod_phase("p", "Running").await;
    let well = Arc::new(AtomicBool::new(false));
    let now_well = well.clone();
    driver.on_unprepare(move |_| {
        if now_well.load(Ordering::Relaxed) {
            String::new()
        } else {
            "still busy".into()
        }
    });
    let before = world.events().len();
    let deletion = DeleteOptions::default();
    world.store.delete(&PODS, &pod.key(), &deletion).unwrap();
    driver.logged_times("v1 Unprepare c", 3).await;
    assert!(world.store.get(&PODS, &pod.key()).unwrap().is_deleting());
    assert_eq!(world.events().len(), before + 1, "only the Killing event");
    well.store(true, Ordering::Relaxed);
    world.pod_gone("p").await;
}

#[tokio::test]
async fn a_pod_that_was_never_prepared_goes_without_its_driver() {
    let world = World::new(fast()).await;
    world.claim("c", &[DRIVER]);
    let pod = world.pod_with_claims("p", &["c"]);
    failure(&world).await;
    let deletion = DeleteOptions::default();
    world.store.delete(&PODS, &pod.key(), &deletion).unwrap();
    world.pod_gone("p").await;
}

#[tokio::test]
async fn a_new_claim_of_an_old_name_waits_for_the_old_one() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    let old = world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    let pod = world.pod_with_claims("p1", &["c"]);
    world.pod_phase("p1", "Running").await;
    let well = Arc::new(AtomicBool::new(false));
    let now_well = well.clone();
    driver.on_unprepare(move |_| {
        if now_well.load(Ordering::Relaxed) {
            String::new()
        } else {
            "still busy".into()
        }
    });
    let now = DeleteOptions::now(pod.uid());
    world.store.delete(&PODS, &pod.key(), &now).unwrap();
    let now = DeleteOptions::now(old.uid());
    world
        .store
        .delete(&RESOURCE_CLAIMS, &old.key(), &now)
        .unwrap();
    world.claim("c", &[DRIVER]);
    world.pod_with_claims("p2", &["c"]);
    assert_eq!(
        failure(&world).await,
        format!(
            "old ResourceClaim with same name c and different UID {} still exists (previous pod force-deleted?!)",
            old.uid()
        )
    );
    well.store(true, Ordering::Relaxed);
    world.pod_phase("p2", "Running").await;
}
