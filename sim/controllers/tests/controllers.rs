//! What the controllers make of the objects that people write.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::future::Future;
use std::time::Duration;

use drakit_sim_controllers::{ControllersConfig, start};
use drakit_sim_store::resource::{
    CONFIG_MAPS, DAEMON_SETS, DEPLOYMENTS, EVENTS, JOBS, NAMESPACES, NODES, PODS, REPLICA_SETS,
    RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS, SERVICE_ACCOUNTS,
};
use drakit_sim_store::{Clock, DeleteOptions, Expect, Filter, Key, Resource, Store, StoreError};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The most that a loaded machine needs; every wait ends as soon as its condition holds.
const PATIENCE: Duration = Duration::from_secs(20);

async fn with_cluster<F: Future<Output = ()>>(test: impl FnOnce(Store) -> F) {
    let store = Store::new(1, Clock::system());
    let shutdown = CancellationToken::new();
    let task = start(
        store.clone(),
        ControllersConfig::default(),
        shutdown.clone(),
    );
    test(store).await;
    shutdown.cancel();
    task.await.unwrap();
}

async fn eventually(store: &Store, what: &str, holds: impl Fn(&Store) -> bool) {
    let (_, mut watch) = store.watch_everything();
    let wait = async {
        while !holds(store) {
            watch.next().await.expect("the store stays");
        }
    };
    tokio::time::timeout(PATIENCE, wait)
        .await
        .unwrap_or_else(|_| panic!("waited in vain for {what}"));
}

fn all(store: &Store, resource: &Resource) -> Vec<std::sync::Arc<drakit_sim_store::Object>> {
    store.list(resource, &Filter::namespace("default")).0
}

fn set_phase(store: &Store, key: &Key, phase: &str) {
    store
        .update_status(&PODS, key, &Expect::any(), |old| {
            let mut new = old.value().clone();
            new["status"]["phase"] = json!(phase);
            new["status"]["conditions"] = json!([{"type": "Ready", "status": if phase == "Running" { "True" } else { "False" }}]);
            Ok::<_, StoreError>(new)
        })
        .unwrap();
}

fn pod_template() -> Value {
    json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
}

fn deployment(replicas: u64) -> Value {
    json!({
        "metadata": {"name": "d", "namespace": "default"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "a"}}, "template": pod_template(),
                 "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}},
    })
}

fn claim_pod(entry: &Value) -> Value {
    json!({"metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [], "resourceClaims": [entry]}})
}

#[tokio::test]
async fn every_namespace_gets_its_default_account() {
    with_cluster(|store| async move {
        eventually(&store, "accounts", |s| s.count(&SERVICE_ACCOUNTS) == 4).await;
        store
            .create(&NAMESPACES, json!({"metadata": {"name": "new"}}))
            .unwrap();
        eventually(&store, "an account", |s| {
            s.get(&SERVICE_ACCOUNTS, &Key::new("new", "default"))
                .is_ok()
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_claim_is_made_from_the_template_and_named_in_the_pod() {
    with_cluster(|store| async move {
        let template = json!({"metadata": {"name": "t", "namespace": "default"}, "spec": {"metadata": {"labels": {"l": "1"}}, "spec": {"devices": {"requests": [{"name": "r"}]}}}});
        store.create(&RESOURCE_CLAIM_TEMPLATES, template).unwrap();
        let entry = json!({"name": "gpu", "resourceClaimTemplateName": "t"});
        let pod = store.create(&PODS, claim_pod(&entry)).unwrap();
        eventually(&store, "the status", |s| {
            !s.get(&PODS, &pod.key()).unwrap().at(&["status", "resourceClaimStatuses"]).is_null()
        })
        .await;
        let claim = &all(&store, &RESOURCE_CLAIMS)[0];
        let status = store.get(&PODS, &pod.key()).unwrap();
        assert_eq!(status.at(&["status", "resourceClaimStatuses"]), &json!([{"name": "gpu", "resourceClaimName": claim.name()}]));
        assert!(claim.name().starts_with("p-gpu-"));
        assert_eq!(claim.at(&["metadata", "annotations", "resource.kubernetes.io/pod-claim-name"]), "gpu");
        assert_eq!(claim.label("l"), Some("1"));
        assert_eq!(claim.at(&["spec", "devices", "requests", ]), &json!([{"name": "r"}]));
        assert_eq!(claim.controller().unwrap()["uid"], pod.uid());
    })
    .await;
}

#[tokio::test]
async fn a_missing_template_is_told_and_waited_for() {
    with_cluster(|store| async move {
        let entry = json!({"name": "gpu", "resourceClaimTemplateName": "t"});
        store.create(&PODS, claim_pod(&entry)).unwrap();
        let told = "PodResourceClaim gpu: resource claim template \"t\": resourceclaimtemplate.resource.k8s.io \"t\" not found";
        eventually(&store, "the event", |s| all(s, &EVENTS).iter().any(|e| e.str_at(&["message"]) == told)).await;
        store.create(&RESOURCE_CLAIM_TEMPLATES, json!({"metadata": {"name": "t", "namespace": "default"}, "spec": {"spec": {}}})).unwrap();
        eventually(&store, "the claim", |s| s.count(&RESOURCE_CLAIMS) == 1).await;
    })
    .await;
}

fn allocated_claim(users: &Value, finalizers: &Value) -> Value {
    json!({
        "metadata": {"name": "c", "namespace": "default", "finalizers": finalizers},
        "spec": {},
        "status": {"allocation": {"devices": {}}, "reservedFor": users},
    })
}

#[tokio::test]
async fn the_last_user_takes_the_allocation_with_it() {
    with_cluster(|store| async move {
        let entry = json!({"name": "gpu", "resourceClaimName": "c"});
        let pod = store.create(&PODS, claim_pod(&entry)).unwrap();
        let users = json!([{"resource": "pods", "name": "p", "uid": pod.uid()}]);
        let claim = allocated_claim(
            &users,
            &json!(["resource.kubernetes.io/delete-protection", "other"]),
        );
        let key = store.create(&RESOURCE_CLAIMS, claim).unwrap().key();
        store
            .delete(&PODS, &pod.key(), &DeleteOptions::default())
            .unwrap();
        eventually(&store, "deallocation", |s| {
            s.get(&RESOURCE_CLAIMS, &key)
                .unwrap()
                .at(&["status", "allocation"])
                .is_null()
        })
        .await;
        let after = store.get(&RESOURCE_CLAIMS, &key).unwrap();
        assert!(after.at(&["status", "reservedFor"]).is_null());
        assert_eq!(after.at(&["metadata", "finalizers"]), &json!(["other"]));
    })
    .await;
}

#[tokio::test]
async fn a_running_user_keeps_the_allocation() {
    with_cluster(|store| async move {
        let entry = json!({"name": "gpu", "resourceClaimName": "c"});
        let pod = store.create(&PODS, claim_pod(&entry)).unwrap();
        let users = json!([
            {"resource": "pods", "name": "p", "uid": pod.uid()},
            {"resource": "pods", "name": "p", "uid": "an earlier p"},
            {"resource": "things", "apiGroup": "example.com", "name": "x", "uid": "y"},
        ]);
        let key = store
            .create(&RESOURCE_CLAIMS, allocated_claim(&users, &json!([])))
            .unwrap()
            .key();
        eventually(&store, "the stale user to go", |s| {
            s.get(&RESOURCE_CLAIMS, &key)
                .unwrap()
                .at(&["status", "reservedFor"])
                .as_array()
                .unwrap()
                .len()
                == 2
        })
        .await;
        assert!(
            !store
                .get(&RESOURCE_CLAIMS, &key)
                .unwrap()
                .at(&["status", "allocation"])
                .is_null()
        );
    })
    .await;
}

#[tokio::test]
async fn a_generated_claim_goes_when_its_pod_has_finished() {
    with_cluster(|store| async move {
        store
            .create(
                &RESOURCE_CLAIM_TEMPLATES,
                json!({"metadata": {"name": "t", "namespace": "default"}, "spec": {"spec": {}}}),
            )
            .unwrap();
        let pod = store
            .create(
                &PODS,
                claim_pod(&json!({"name": "gpu", "resourceClaimTemplateName": "t"})),
            )
            .unwrap();
        eventually(&store, "the claim", |s| s.count(&RESOURCE_CLAIMS) == 1).await;
        set_phase(&store, &pod.key(), "Succeeded");
        eventually(&store, "no claim", |s| s.count(&RESOURCE_CLAIMS) == 0).await;
    })
    .await;
}

#[tokio::test]
async fn a_deployment_has_its_replicas_and_replaces_a_deleted_one() {
    with_cluster(|store| async move {
        store.create(&DEPLOYMENTS, deployment(3)).unwrap();
        eventually(&store, "three pods", |s| s.count(&PODS) == 3).await;
        let first = all(&store, &PODS)[0].clone();
        assert_eq!(first.str_at(&["spec", "serviceAccountName"]), "default");
        store
            .delete(&PODS, &first.key(), &DeleteOptions::default())
            .unwrap();
        eventually(&store, "its successor", |s| {
            s.count(&PODS) == 3 && s.get(&PODS, &first.key()).is_err()
        })
        .await;
        for pod in all(&store, &PODS) {
            set_phase(&store, &pod.key(), "Running");
        }
        eventually(&store, "availability", |s| {
            all(s, &DEPLOYMENTS)[0].at(&["status", "availableReplicas"]) == &json!(3)
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_new_template_rolls_without_going_below_what_must_be_available() {
    with_cluster(|store| async move {
        let key = store.create(&DEPLOYMENTS, deployment(4)).unwrap().key();
        eventually(&store, "four pods", |s| s.count(&PODS) == 4).await;
        for pod in all(&store, &PODS) {
            set_phase(&store, &pod.key(), "Running");
        }
        eventually(&store, "availability", |s| {
            all(s, &DEPLOYMENTS)[0].at(&["status", "availableReplicas"]) == &json!(4)
        })
        .await;
        store
            .update(&DEPLOYMENTS, &key, &Expect::any(), |old| {
                let mut new = old.value().clone();
                new["spec"]["template"]["spec"]["containers"][0]["image"] = json!("j");
                Ok::<_, StoreError>(new)
            })
            .unwrap();
        let image =
            |p: &drakit_sim_store::Object| p.value()["spec"]["containers"][0]["image"].clone();
        let done = |s: &Store| {
            for pod in all(s, &PODS) {
                if pod.str_at(&["status", "phase"]) == "Pending" {
                    set_phase(s, &pod.key(), "Running");
                }
            }
            let running = all(s, &PODS)
                .iter()
                .filter(|p| p.str_at(&["status", "phase"]) == "Running")
                .count();
            assert!(running >= 3, "only {running} of four run");
            let pods = all(s, &PODS);
            pods.len() == 4 && pods.iter().all(|p| image(p) == "j")
        };
        eventually(&store, "four new pods", done).await;
        assert_eq!(all(&store, &REPLICA_SETS).len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_daemon_runs_on_every_fitting_node() {
    with_cluster(|store| async move {
        for (name, zone) in [("a", "x"), ("b", "y"), ("c", "x")] {
            store.create(&NODES, json!({"metadata": {"name": name, "labels": {"zone": zone}}})).unwrap();
        }
        let mut template = pod_template();
        template["spec"]["nodeSelector"] = json!({"zone": "x"});
        store.create(&DAEMON_SETS, json!({"metadata": {"name": "d", "namespace": "default"}, "spec": {"selector": {}, "template": template}})).unwrap();
        eventually(&store, "two pods", |s| s.count(&PODS) == 2).await;
        store.create(&NODES, json!({"metadata": {"name": "d", "labels": {"zone": "x"}}})).unwrap();
        eventually(&store, "a third", |s| s.count(&PODS) == 3).await;
        eventually(&store, "the status", |s| all(s, &DAEMON_SETS)[0].at(&["status", "desiredNumberScheduled"]) == &json!(3)).await;
    })
    .await;
}

#[tokio::test]
async fn a_job_is_complete_when_its_pods_have_succeeded() {
    with_cluster(|store| async move {
        let job = json!({"metadata": {"name": "j", "namespace": "default"}, "spec": {"parallelism": 2, "completions": 3, "template": pod_template()}});
        store.create(&JOBS, job).unwrap();
        let done = |s: &Store| {
            for pod in all(s, &PODS) {
                if pod.str_at(&["status", "phase"]) == "Pending" {
                    set_phase(s, &pod.key(), "Succeeded");
                }
            }
            all(s, &JOBS)[0].value()["status"]["conditions"][0]["type"] == "Complete"
        };
        eventually(&store, "completion", done).await;
        assert_eq!(all(&store, &PODS).len(), 3);
        assert_eq!(all(&store, &JOBS)[0].at(&["status", "succeeded"]), &json!(3));
    })
    .await;
}

#[tokio::test]
async fn dependents_go_with_their_owner_and_orphans_stay() {
    with_cluster(|store| async move {
        let owner = store.create(&CONFIG_MAPS, json!({"metadata": {"name": "owner", "namespace": "default"}})).unwrap();
        let child = json!({"metadata": {"name": "child", "namespace": "default", "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.uid()}]}});
        let child = store.create(&CONFIG_MAPS, child).unwrap();
        let orphaned = DeleteOptions { propagation_policy: Some("Orphan".into()), ..DeleteOptions::default() };
        store.delete(&CONFIG_MAPS, &owner.key(), &orphaned).unwrap();
        eventually(&store, "the owner to go", |s| s.get(&CONFIG_MAPS, &owner.key()).is_err()).await;
        assert_eq!(store.get(&CONFIG_MAPS, &child.key()).unwrap().at(&["metadata", "ownerReferences"]), &json!([]));

        store.create(&DEPLOYMENTS, deployment(2)).unwrap();
        eventually(&store, "two pods", |s| s.count(&PODS) == 2).await;
        store.delete(&DEPLOYMENTS, &Key::new("default", "d"), &DeleteOptions::default()).unwrap();
        eventually(&store, "nothing left", |s| s.count(&PODS) == 0 && s.count(&REPLICA_SETS) == 0).await;
    })
    .await;
}

#[tokio::test]
async fn a_foreground_deletion_waits_for_the_dependents() {
    with_cluster(|store| async move {
        store.create(&DEPLOYMENTS, deployment(2)).unwrap();
        eventually(&store, "two pods", |s| s.count(&PODS) == 2).await;
        let foreground = DeleteOptions {
            propagation_policy: Some("Foreground".into()),
            ..DeleteOptions::default()
        };
        let (_, gone) = store
            .delete(&DEPLOYMENTS, &Key::new("default", "d"), &foreground)
            .unwrap();
        assert!(!gone);
        eventually(&store, "the deployment to go", |s| {
            s.count(&DEPLOYMENTS) == 0
        })
        .await;
        assert_eq!((store.count(&PODS), store.count(&REPLICA_SETS)), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn a_deleted_namespace_takes_everything_with_it() {
    with_cluster(|store| async move {
        store
            .create(&NAMESPACES, json!({"metadata": {"name": "ns"}}))
            .unwrap();
        store
            .create(
                &CONFIG_MAPS,
                json!({"metadata": {"name": "m", "namespace": "ns"}}),
            )
            .unwrap();
        store
            .delete(&NAMESPACES, &Key::cluster("ns"), &DeleteOptions::default())
            .unwrap();
        eventually(&store, "the namespace to go", |s| {
            s.get(&NAMESPACES, &Key::cluster("ns")).is_err()
        })
        .await;
        assert!(store.get(&CONFIG_MAPS, &Key::new("ns", "m")).is_err());
    })
    .await;
}
