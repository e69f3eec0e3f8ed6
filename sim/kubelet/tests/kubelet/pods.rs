//! Pods from binding to deletion.

use drakit_sim_kubelet::LogError;
use drakit_sim_store::DeleteOptions;
use drakit_sim_store::resource::PODS;
use serde_json::json;

use crate::driver::{Setup, TestDriver, prepared};
use crate::world::{DRIVER, NODE, World, fast};

#[tokio::test]
async fn a_pod_with_a_claim_runs_and_sees_its_device() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    world.pod_with_claims("p", &["c"]);
    let pod = world.pod_phase("p", "Running").await;
    assert_eq!(driver.log()[2..], ["v1 Prepare c"]);
    let status = pod.at(&["status"]);
    assert_eq!(status["podIP"], "10.244.0.2");
    assert_eq!(status["hostIP"], "172.18.0.2");
    assert_eq!(status["containerStatuses"][0]["ready"], true);
    assert_eq!(
        *world.kubelets.pod_logs("ns", "p", None).unwrap(),
        *"# emulated container ctr of pod ns/p on node node-0: nothing was executed, this is what it would find\n\
          device /dev/drakit/c c 1:3 rwm\n\
          env GPU_DEVICE_0=c\n"
    );
    assert_eq!(
        world.events(),
        [
            "Created Container created",
            "Pulled Container image \"busybox\" already present on machine and can be accessed by the pod",
            "Started Container started",
        ]
    );
    // Bound, and one write to Running.
    assert_eq!(
        world.store.get(&PODS, &pod.key()).unwrap().version(),
        pod.version()
    );
    world.end().await;
}

#[tokio::test]
async fn a_pod_without_claims_needs_no_driver() {
    let world = World::new(fast()).await;
    let pod = world.unbound_pod("p", &[], &json!({}));
    world.bind(&pod);
    world.pod_phase("p", "Running").await;
    let unknown = world.kubelets.pod_logs("ns", "p", Some("x")).unwrap_err();
    assert_eq!(unknown.to_string(), "container x is not valid for pod p");
    let missing = world.kubelets.pod_logs("ns", "q", None).unwrap_err();
    assert_eq!(missing, LogError::NoPod("q".into()));
}

#[tokio::test]
async fn a_container_gets_only_the_devices_of_the_requests_that_it_lists() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    driver.on_prepare(|request| {
        let claim = &request.claims[0];
        let mut answer = prepared(claim, &["a"]);
        let mut other = prepared(claim, &["b"]);
        other.devices[0].cdi_device_ids = vec!["example.com/gpu=other".into()];
        answer.devices.append(&mut other.devices);
        Ok([(claim.uid.clone(), answer)].into())
    });
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    world.cdi_file("other");
    let container = |name: &str, claims: serde_json::Value| json!({"name": name, "image": "x", "resources": {"claims": claims}});
    let containers = json!({"spec": {"containers": [
        container("one", json!([{"name": "c", "request": "a"}])),
        container("all", json!([{"name": "c"}])),
        container("none", json!([])),
    ]}});
    let pod = world.unbound_pod("p", &["c"], &containers);
    world.reserve("c", &pod);
    world.bind(&pod);
    world.pod_phase("p", "Running").await;
    let devices = |container| {
        let log = world.kubelets.pod_logs("ns", "p", Some(container)).unwrap();
        log.lines().filter(|l| l.starts_with("device")).count()
    };
    assert_eq!(["one", "all", "none"].map(devices), [1, 2, 0]);
}

#[tokio::test]
async fn a_device_that_cannot_be_resolved_holds_up_its_container_until_it_can() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.pod_with_claims("p", &["c"]);
    let message = world.event("Failed").await;
    assert_eq!(
        message,
        "Error: failed to create containerd container: CDI device injection failed: unresolvable CDI devices example.com/gpu=c"
    );
    let waiting = world
        .until("the container waits", &PODS, |pods| {
            let state = pods[0].at(&["status", "containerStatuses"]).get(0)?.clone();
            let state = state["state"]["waiting"].clone();
            (!state.is_null()).then_some(state)
        })
        .await;
    assert_eq!(waiting["reason"], "CreateContainerError");
    assert_eq!(
        Some(waiting["message"].as_str().unwrap()),
        message.strip_prefix("Error: ")
    );
    world.cdi_file("c");
    world.pod_phase("p", "Running").await;
    // The sandbox is there: the claim is not prepared again.
    assert_eq!(driver.log()[2..], ["v1 Prepare c"]);
}

#[tokio::test]
async fn a_deleted_pod_is_unprepared_before_it_is_finished() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    let pod = world.pod_with_claims("p", &["c"]);
    world.pod_phase("p", "Running").await;
    let (store, key) = (world.store.clone(), pod.key());
    let seen = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let note = seen.clone();
    driver.on_unprepare(move |_| {
        let pod = store.get(&PODS, &key).unwrap();
        *note.lock().unwrap() = pod.str_at(&["status", "phase"]).to_owned();
        String::new()
    });
    let mut watch = world
        .store
        .watch(
            &PODS,
            &drakit_sim_store::Filter::all(),
            world.store.version(),
        )
        .unwrap();
    world
        .store
        .delete(&PODS, &pod.key(), &DeleteOptions::default())
        .unwrap();
    world.pod_gone("p").await;
    assert_eq!(driver.log().last().unwrap(), "v1 Unprepare c");
    assert_eq!(*seen.lock().unwrap(), "Running");
    let mut phases = Vec::new();
    while let Some(drakit_sim_store::WatchEvent::Change(change)) = watch.try_next() {
        phases.push(change.object.str_at(&["status", "phase"]).to_owned());
    }
    assert_eq!(phases, ["Running", "Succeeded", "Succeeded"]);
    assert!(
        world
            .events()
            .contains(&"Killing Stopping container ctr".to_owned())
    );
    assert!(world.kubelets.pod_logs("ns", "p", None).is_err());
}

#[tokio::test]
async fn pods_of_jobs_and_pods_with_a_run_time_succeed() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    for claim in ["c1", "c2"] {
        world.claim(claim, &[DRIVER]);
        world.cdi_file(claim);
    }
    let of_job = json!({
        "metadata": {"ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "j", "controller": true}]},
        "spec": {"restartPolicy": "Never"},
    });
    let timed = json!({
        "metadata": {"annotations": {"drakit/run-for": "20ms"}},
        "spec": {"restartPolicy": "OnFailure"},
    });
    for (name, claim, extra) in [("job", "c1", &of_job), ("timed", "c2", &timed)] {
        let pod = world.unbound_pod(name, &[claim], extra);
        world.reserve(claim, &pod);
        world.bind(&pod);
        let pod = world.pod_phase(name, "Succeeded").await;
        let state = &pod.at(&["status", "containerStatuses"])[0]["state"];
        assert_eq!(state["terminated"]["reason"], "Completed");
        assert!(driver.log().contains(&format!("v1 Unprepare {claim}")));
        assert!(world.kubelets.pod_logs("ns", name, None).is_ok());
        world
            .store
            .delete(&PODS, &pod.key(), &DeleteOptions::default())
            .unwrap();
        world.pod_gone(name).await;
    }
}

#[tokio::test]
async fn init_containers_end_before_the_others_start() {
    let world = World::new(fast()).await;
    let extra = json!({"spec": {"initContainers": [
        {"name": "first", "image": "a"},
        {"name": "sidecar", "image": "b", "restartPolicy": "Always"},
    ]}});
    let pod = world.unbound_pod("p", &[], &extra);
    world.bind(&pod);
    let pod = world.pod_phase("p", "Running").await;
    let init = pod.at(&["status", "initContainerStatuses"]);
    assert_eq!(init[0]["state"]["terminated"]["reason"], "Completed");
    assert!(init[1]["state"]["running"].is_object());
}

#[tokio::test]
async fn a_pod_that_was_bound_before_its_node_came_is_taken_up() {
    let world = World::new(fast()).await;
    let extra = json!({"spec": {"nodeName": "late"}});
    world.unbound_pod("p", &[], &extra);
    let late = drakit_sim_kubelet::NodeConfig::new("late");
    world.kubelets.add_node(late).await.unwrap();
    world.pod_phase("p", "Running").await;
    assert_eq!(world.kubelets.nodes(), ["late", NODE]);
}
