//! Which pods get which node and devices, and what the others are told.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use drakit_allocator::Features;
use drakit_sim_scheduler::{SchedulerConfig, start};
use drakit_sim_store::resource::{
    DEVICE_CLASSES, EVENTS, NAMESPACES, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES,
};
use drakit_sim_store::{Clock, DeleteOptions, Expect, Filter, Key, Object, Store, StoreError};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The most that a loaded machine needs; every wait ends as soon as its condition holds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Three nodes with two GPUs each, and the class `gpu`.
async fn with_cluster<F: Future<Output = ()>>(test: impl FnOnce(Store) -> F) {
    let store = Store::new(1, Clock::system());
    store
        .create(&NAMESPACES, json!({"metadata": {"name": "ns"}}))
        .unwrap();
    let selector = json!([{"cel": {"expression": "device.driver == \"gpu.example.com\""}}]);
    store
        .create(
            &DEVICE_CLASSES,
            json!({"metadata": {"name": "gpu"}, "spec": {"selectors": selector}}),
        )
        .unwrap();
    for node in ["a", "b", "c"] {
        store.create(&NODES, node_object(node)).unwrap();
        store.create(&RESOURCE_SLICES, slice(node)).unwrap();
    }
    let shutdown = CancellationToken::new();
    let features = Features::for_version("1.37").unwrap();
    let task = start(
        store.clone(),
        SchedulerConfig {
            features,
            time_scale: 0.01,
        },
        shutdown.clone(),
    );
    test(store).await;
    shutdown.cancel();
    task.await.unwrap();
}

fn node_object(name: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}},
    })
}

fn slice(node: &str) -> Value {
    json!({"metadata": {"name": format!("00000-gpu-{node}")}, "spec": {
        "driver": "gpu.example.com", "nodeName": node,
        "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0"}, {"name": "gpu-1"}],
    }})
}

fn claim(name: &str, exactly: &Value) -> Value {
    let mut request = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1});
    for (field, value) in exactly.as_object().unwrap() {
        request[field] = value.clone();
    }
    json!({"metadata": {"name": name, "namespace": "ns"}, "spec": {"devices": {"requests": [{"name": "r", "exactly": request}]}}})
}

fn pod(name: &str, claim: &str, spec: &Value) -> Value {
    let mut pod = json!({
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {"containers": [{"name": "c"}], "schedulerName": "default-scheduler"},
        "status": {"phase": "Pending"},
    });
    if !claim.is_empty() {
        pod["spec"]["resourceClaims"] = json!([{"name": "gpu", "resourceClaimName": claim}]);
    }
    for (field, value) in spec.as_object().unwrap() {
        pod["spec"][field] = value.clone();
    }
    pod
}

async fn eventually<T>(store: &Store, what: &str, look: impl Fn(&Store) -> Option<T>) -> T {
    let (_, mut watch) = store.watch_everything();
    let wait = async {
        loop {
            if let Some(seen) = look(store) {
                return seen;
            }
            watch.next().await.expect("the store stays");
        }
    };
    tokio::time::timeout(PATIENCE, wait)
        .await
        .unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

async fn bound(store: &Store, name: &str) -> Arc<Object> {
    eventually(store, "a node", |s| {
        s.get(&PODS, &Key::new("ns", name))
            .ok()
            .filter(|p| !p.str_at(&["spec", "nodeName"]).is_empty())
    })
    .await
}

async fn refused(store: &Store, name: &str) -> String {
    eventually(store, "a reason", |s| {
        let pod = s.get(&PODS, &Key::new("ns", name)).ok()?;
        let condition = pod
            .at(&["status", "conditions"])
            .as_array()?
            .first()?
            .clone();
        (condition["status"] == "False")
            .then(|| condition["message"].as_str().unwrap_or("").to_owned())
    })
    .await
}

#[tokio::test]
async fn a_claim_is_allocated_reserved_and_protected_before_its_pod_is_bound() {
    with_cluster(|store| async move {
        store
            .create(&RESOURCE_CLAIMS, claim("c", &json!({})))
            .unwrap();
        let made = store.create(&PODS, pod("p", "c", &json!({}))).unwrap();
        let pod = bound(&store, "p").await;
        assert_eq!(pod.str_at(&["spec", "nodeName"]), "a");
        let claim = store.get(&RESOURCE_CLAIMS, &Key::new("ns", "c")).unwrap();
        let result = &claim.value()["status"]["allocation"]["devices"]["results"][0];
        assert_eq!(
            (&result["pool"], &result["device"]),
            (&json!("a"), &json!("gpu-0"))
        );
        assert_eq!(
            claim.at(&["status", "reservedFor"]),
            &json!([{"resource": "pods", "name": "p", "uid": made.uid()}])
        );
        assert_eq!(
            claim.at(&["metadata", "finalizers"]),
            &json!(["resource.kubernetes.io/delete-protection"])
        );
        let told = |s: &Store| {
            s.list(&EVENTS, &Filter::all())
                .0
                .iter()
                .any(|e| e.str_at(&["message"]) == "Successfully assigned ns/p to a")
        };
        eventually(&store, "the event", |s| told(s).then_some(())).await;
    })
    .await;
}

#[tokio::test]
async fn pods_spread_and_share_nothing() {
    with_cluster(|store| async move {
        for i in 0..6 {
            store
                .create(&RESOURCE_CLAIMS, claim(&format!("c{i}"), &json!({})))
                .unwrap();
            store
                .create(&PODS, pod(&format!("p{i}"), &format!("c{i}"), &json!({})))
                .unwrap();
        }
        let mut devices = std::collections::BTreeSet::new();
        for i in 0..6 {
            bound(&store, &format!("p{i}")).await;
            let claim = store
                .get(&RESOURCE_CLAIMS, &Key::new("ns", format!("c{i}")))
                .unwrap();
            let result = claim.value()["status"]["allocation"]["devices"]["results"][0].clone();
            devices.insert((result["pool"].to_string(), result["device"].to_string()));
        }
        assert_eq!(devices.len(), 6);
    })
    .await;
}

#[tokio::test]
async fn a_pod_that_fits_nowhere_is_told_so_and_runs_when_devices_come() {
    with_cluster(|store| async move {
        store.create(&RESOURCE_CLAIMS, claim("c", &json!({"count": 3}))).unwrap();
        store.create(&PODS, pod("p", "c", &json!({}))).unwrap();
        assert_eq!(
            refused(&store, "p").await,
            "0/3 nodes are available: 3 cannot allocate all claims. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
        );
        let three = json!([{"name": "gpu-0"}, {"name": "gpu-1"}, {"name": "gpu-2"}]);
        store
            .update(&RESOURCE_SLICES, &Key::cluster("00000-gpu-b"), &Expect::any(), |old| {
                let mut new = old.value().clone();
                new["spec"]["devices"] = three.clone();
                Ok::<_, StoreError>(new)
            })
            .unwrap();
        assert_eq!(bound(&store, "p").await.str_at(&["spec", "nodeName"]), "b");
    })
    .await;
}

#[tokio::test]
async fn a_missing_class_is_named() {
    with_cluster(|store| async move {
        store
            .create(
                &RESOURCE_CLAIMS,
                claim("c", &json!({"deviceClassName": "absent"})),
            )
            .unwrap();
        store.create(&PODS, pod("p", "c", &json!({}))).unwrap();
        let told = refused(&store, "p").await;
        assert!(
            told.starts_with(
                "0/3 nodes are available: request r: device class absent does not exist."
            ),
            "{told}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_selector_that_fails_on_a_device_is_an_error_of_the_scheduler() {
    with_cluster(|store| async move {
        let bad = json!({"selectors": [{"cel": {"expression": "device.attributes[\"gpu.example.com\"].absent == 1"}}]});
        store.create(&RESOURCE_CLAIMS, claim("c", &bad)).unwrap();
        store.create(&PODS, pod("p", "c", &json!({}))).unwrap();
        let told = refused(&store, "p").await;
        assert!(told.contains("claim ns/c: selector #0") && told.contains("no such key: absent"), "{told}");
    })
    .await;
}

#[tokio::test]
async fn a_pod_waits_for_its_claim_without_an_event() {
    with_cluster(|store| async move {
        store.create(&PODS, pod("p", "c", &json!({}))).unwrap();
        store.create(&PODS, pod("other", "", &json!({}))).unwrap();
        bound(&store, "other").await;
        assert!(
            store
                .get(&PODS, &Key::new("ns", "p"))
                .unwrap()
                .at(&["status", "conditions"])
                .is_null()
        );
        store
            .create(&RESOURCE_CLAIMS, claim("c", &json!({})))
            .unwrap();
        bound(&store, "p").await;
    })
    .await;
}

#[tokio::test]
async fn a_shared_claim_keeps_its_pods_on_one_node() {
    with_cluster(|store| async move {
        store
            .create(&RESOURCE_CLAIMS, claim("c", &json!({})))
            .unwrap();
        for name in ["p", "q", "r"] {
            store.create(&PODS, pod(name, "c", &json!({}))).unwrap();
        }
        for name in ["p", "q", "r"] {
            assert_eq!(bound(&store, name).await.str_at(&["spec", "nodeName"]), "a");
        }
        let claim = store.get(&RESOURCE_CLAIMS, &Key::new("ns", "c")).unwrap();
        assert_eq!(
            claim
                .at(&["status", "reservedFor"])
                .as_array()
                .unwrap()
                .len(),
            3
        );
    })
    .await;
}

#[tokio::test]
async fn freed_devices_go_to_the_pod_that_waits() {
    with_cluster(|store| async move {
        for name in ["a", "b", "c"] {
            store
                .create(&RESOURCE_CLAIMS, claim(name, &json!({"count": 2})))
                .unwrap();
            store.create(&PODS, pod(name, name, &json!({}))).unwrap();
            bound(&store, name).await;
        }
        store
            .create(&RESOURCE_CLAIMS, claim("late", &json!({})))
            .unwrap();
        store
            .create(&PODS, pod("late", "late", &json!({})))
            .unwrap();
        refused(&store, "late").await;
        let freed = store.get(&PODS, &Key::new("ns", "b")).unwrap();
        let node = freed.str_at(&["spec", "nodeName"]).to_owned();
        store
            .delete(&PODS, &freed.key(), &DeleteOptions::now(freed.uid()))
            .unwrap();
        store
            .update_all(
                &RESOURCE_CLAIMS,
                &Key::new("ns", "b"),
                &Expect::any(),
                |old| {
                    let mut new = old.value().clone();
                    new["status"] = json!({});
                    Ok::<_, StoreError>(new)
                },
            )
            .unwrap();
        assert_eq!(
            bound(&store, "late").await.str_at(&["spec", "nodeName"]),
            node
        );
    })
    .await;
}

#[tokio::test]
async fn selectors_taints_and_resources_are_heeded() {
    with_cluster(|store| async move {
        let cordon = |old: &Object| {
            let mut new = old.value().clone();
            new["spec"]["unschedulable"] = json!(true);
            Ok::<_, StoreError>(new)
        };
        store
            .update(&NODES, &Key::cluster("a"), &Expect::any(), cordon)
            .unwrap();
        store.create(&PODS, pod("plain", "", &json!({}))).unwrap();
        assert_eq!(
            bound(&store, "plain").await.str_at(&["spec", "nodeName"]),
            "b"
        );
        store
            .create(
                &PODS,
                pod(
                    "picky",
                    "",
                    &json!({"nodeSelector": {"kubernetes.io/hostname": "c"}}),
                ),
            )
            .unwrap();
        assert_eq!(
            bound(&store, "picky").await.str_at(&["spec", "nodeName"]),
            "c"
        );
        let greedy =
            json!({"containers": [{"name": "c", "resources": {"requests": {"cpu": "9"}}}]});
        store.create(&PODS, pod("greedy", "", &greedy)).unwrap();
        let told = refused(&store, "greedy").await;
        assert!(
            told.starts_with(
                "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu."
            ),
            "{told}"
        );
    })
    .await;
}

#[tokio::test]
async fn the_first_alternative_that_any_node_has_wins() {
    with_cluster(|store| async move {
        let special = json!([{"name": "gpu-0"}, {"name": "gpu-1", "attributes": {"model": {"string": "big"}}}]);
        store
            .update(&RESOURCE_SLICES, &Key::cluster("00000-gpu-c"), &Expect::any(), |old| {
                let mut new = old.value().clone();
                new["spec"]["devices"] = special.clone();
                Ok::<_, StoreError>(new)
            })
            .unwrap();
        let big = "device.attributes[\"gpu.example.com\"].?model.orValue(\"\") == \"big\"";
        let sub = |name: &str, selectors: Value| json!({"name": name, "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1, "selectors": selectors});
        let alternatives = json!([sub("big", json!([{"cel": {"expression": big}}])), sub("any", json!([]))]);
        let claim = json!({"metadata": {"name": "c", "namespace": "ns"}, "spec": {"devices": {"requests": [{"name": "r", "firstAvailable": alternatives}]}}});
        store.create(&RESOURCE_CLAIMS, claim).unwrap();
        store.create(&PODS, pod("p", "c", &json!({}))).unwrap();
        assert_eq!(bound(&store, "p").await.str_at(&["spec", "nodeName"]), "c");
        let claim = store.get(&RESOURCE_CLAIMS, &Key::new("ns", "c")).unwrap();
        assert_eq!(claim.value()["status"]["allocation"]["devices"]["results"][0]["request"], "r/big");
    })
    .await;
}

#[tokio::test]
async fn what_is_not_emulated_is_refused_by_name() {
    with_cluster(|store| async move {
        let affinity = json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}});
        store.create(&PODS, pod("p", "", &affinity)).unwrap();
        let told = refused(&store, "p").await;
        assert!(told.contains("spec.affinity.podAntiAffinity is not emulated by the simulation"), "{told}");
    })
    .await;
}
