//! What users of the store rely on.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use drakit_sim_store::resource::{
    CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, NODES, PODS, RESOURCE_CLAIMS,
};
use drakit_sim_store::{
    ChangeKind, Clock, DeleteOptions, EventRecorder, EventType, Expect, Filter, Key, Store,
    StoreError, WatchEvent,
};
use serde_json::{Value, json};

fn store() -> Store {
    let store = Store::new(1, Clock::fixed("2026-01-02T03:04:05Z".parse().unwrap()));
    store
        .create(&NAMESPACES, json!({"metadata": {"name": "ns"}}))
        .unwrap();
    store
}

fn config_map(name: &str, labels: &Value) -> Value {
    json!({"metadata": {"name": name, "namespace": "ns", "labels": labels}, "data": {"a": "1"}})
}

fn edit(
    change: impl Fn(&mut Value),
) -> impl FnMut(&drakit_sim_store::Object) -> Result<Value, StoreError> {
    move |old| {
        let mut new = old.value().clone();
        change(&mut new);
        Ok(new)
    }
}

#[test]
fn a_new_object_gets_uid_time_version_and_type() {
    let made = store()
        .create(&CONFIG_MAPS, config_map("a", &json!({})))
        .unwrap();
    assert_eq!(made.str_at(&["apiVersion"]), "v1");
    assert_eq!(made.str_at(&["kind"]), "ConfigMap");
    assert_eq!(
        made.str_at(&["metadata", "creationTimestamp"]),
        "2026-01-02T03:04:05Z"
    );
    assert_eq!(
        made.str_at(&["metadata", "resourceVersion"]),
        made.version().to_string()
    );
    assert_eq!(made.uid().len(), 36);
}

#[test]
fn equal_seeds_give_equal_uids_and_names() {
    let names = || {
        let store = store();
        let made = store
            .create(
                &CONFIG_MAPS,
                json!({"metadata": {"generateName": "x-", "namespace": "ns"}}),
            )
            .unwrap();
        (made.name().to_owned(), made.uid().to_owned())
    };
    assert_eq!(names(), names());
    assert!(names().0.starts_with("x-"));
}

#[test]
fn a_second_create_says_already_exists() {
    let store = store();
    store
        .create(&CONFIG_MAPS, config_map("a", &json!({})))
        .unwrap();
    let error = store
        .create(&CONFIG_MAPS, config_map("a", &json!({})))
        .unwrap_err();
    assert_eq!(error.to_string(), "configmaps \"a\" already exists");
}

#[test]
fn an_absent_namespace_is_named() {
    let error = store()
        .create(
            &RESOURCE_CLAIMS,
            json!({"metadata": {"name": "c", "namespace": "gone"}}),
        )
        .unwrap_err();
    assert_eq!(error.to_string(), "namespaces \"gone\" not found");
}

#[test]
fn a_terminating_namespace_takes_nothing_new() {
    let store = store();
    let (marked, gone) = store
        .delete(&NAMESPACES, &Key::cluster("ns"), &DeleteOptions::default())
        .unwrap();
    assert!(!gone);
    assert_eq!(marked.str_at(&["status", "phase"]), "Terminating");
    let error = store
        .create(&CONFIG_MAPS, config_map("a", &json!({})))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "configmaps \"a\" is forbidden: unable to create new content in namespace ns because it is being terminated"
    );
}

#[test]
fn a_stale_update_is_a_conflict_and_changes_nothing() {
    let store = store();
    let first = store
        .create(&CONFIG_MAPS, config_map("a", &json!({})))
        .unwrap();
    let key = first.key();
    store
        .update(
            &CONFIG_MAPS,
            &key,
            &Expect::any(),
            edit(|v| v["data"]["a"] = json!("2")),
        )
        .unwrap();
    let stale = store.update(
        &CONFIG_MAPS,
        &key,
        &Expect::version_of(&first),
        edit(|v| v["data"]["a"] = json!("3")),
    );
    assert!(stale.unwrap_err().is_conflict());
    assert_eq!(
        store
            .get(&CONFIG_MAPS, &key)
            .unwrap()
            .str_at(&["data", "a"]),
        "2"
    );
}

#[test]
fn an_update_without_a_difference_writes_nothing() {
    let store = store();
    let first = store
        .create(&CONFIG_MAPS, config_map("a", &json!({})))
        .unwrap();
    let again = store
        .update(&CONFIG_MAPS, &first.key(), &Expect::any(), edit(|_| ()))
        .unwrap();
    assert_eq!(again.version(), first.version());
    assert_eq!(store.version(), first.version());
}

#[test]
fn a_plain_update_leaves_the_status_and_a_status_update_leaves_the_spec() {
    let store = store();
    let made = store
        .create(&DEPLOYMENTS, json!({"metadata": {"name": "d", "namespace": "ns"}, "spec": {"replicas": 1}, "status": {"replicas": 1}}))
        .unwrap();
    let both = |v: &mut Value| {
        v["spec"]["replicas"] = json!(5);
        v["status"]["replicas"] = json!(5);
    };
    let spec = store
        .update(&DEPLOYMENTS, &made.key(), &Expect::any(), edit(both))
        .unwrap();
    assert_eq!(
        (
            spec.at(&["spec", "replicas"]),
            spec.at(&["status", "replicas"])
        ),
        (&json!(5), &json!(1))
    );
    assert_eq!(spec.at(&["metadata", "generation"]), &json!(2));
    let status = |v: &mut Value| {
        v["spec"]["replicas"] = json!(9);
        v["status"]["replicas"] = json!(9);
    };
    let after = store
        .update_status(&DEPLOYMENTS, &made.key(), &Expect::any(), edit(status))
        .unwrap();
    assert_eq!(
        (
            after.at(&["spec", "replicas"]),
            after.at(&["status", "replicas"])
        ),
        (&json!(5), &json!(9))
    );
    assert_eq!(after.at(&["metadata", "generation"]), &json!(2));
}

#[test]
fn finalizers_hold_a_deleted_object_until_they_are_gone() {
    let store = store();
    let claim = json!({"metadata": {"name": "c", "namespace": "ns", "finalizers": ["resource.kubernetes.io/delete-protection"]}});
    let key = store.create(&RESOURCE_CLAIMS, claim).unwrap().key();
    let (marked, gone) = store
        .delete(&RESOURCE_CLAIMS, &key, &DeleteOptions::default())
        .unwrap();
    assert!(marked.is_deleting() && !gone);
    store
        .update(
            &RESOURCE_CLAIMS,
            &key,
            &Expect::any(),
            edit(|v| v["metadata"]["finalizers"] = json!([])),
        )
        .unwrap();
    assert!(
        store
            .get(&RESOURCE_CLAIMS, &key)
            .unwrap_err()
            .is_not_found()
    );
}

#[test]
fn a_pod_on_a_node_waits_for_its_kubelet() {
    let store = store();
    let pod = json!({"metadata": {"name": "p", "namespace": "ns"}, "spec": {"nodeName": "n", "terminationGracePeriodSeconds": 7}});
    let made = store.create(&PODS, pod).unwrap();
    let (marked, gone) = store
        .delete(&PODS, &made.key(), &DeleteOptions::default())
        .unwrap();
    assert!(!gone);
    assert_eq!(
        marked.str_at(&["metadata", "deletionTimestamp"]),
        "2026-01-02T03:04:12Z"
    );
    assert_eq!(
        marked.at(&["metadata", "deletionGracePeriodSeconds"]),
        &json!(7)
    );
    let (_, gone) = store
        .delete(&PODS, &made.key(), &DeleteOptions::now(made.uid()))
        .unwrap();
    assert!(gone);
}

#[test]
fn a_pod_without_a_node_goes_at_once() {
    let store = store();
    let made = store
        .create(
            &PODS,
            json!({"metadata": {"name": "p", "namespace": "ns"}, "spec": {}}),
        )
        .unwrap();
    assert!(
        store
            .delete(&PODS, &made.key(), &DeleteOptions::default())
            .unwrap()
            .1
    );
}

#[test]
fn a_delete_for_another_incarnation_is_a_conflict() {
    let store = store();
    let made = store
        .create(
            &PODS,
            json!({"metadata": {"name": "p", "namespace": "ns"}, "spec": {}}),
        )
        .unwrap();
    assert!(
        store
            .delete(&PODS, &made.key(), &DeleteOptions::now("other"))
            .unwrap_err()
            .is_conflict()
    );
    assert!(store.get(&PODS, &made.key()).is_ok());
}

#[tokio::test]
async fn a_watch_replays_what_happened_since_its_version() {
    let store = store();
    let made = store
        .create(&CONFIG_MAPS, config_map("a", &json!({})))
        .unwrap();
    let from = made.version();
    store
        .update(
            &CONFIG_MAPS,
            &made.key(),
            &Expect::any(),
            edit(|v| v["data"]["a"] = json!("2")),
        )
        .unwrap();
    let mut watch = store.watch(&CONFIG_MAPS, &Filter::all(), from).unwrap();
    store
        .delete(&CONFIG_MAPS, &made.key(), &DeleteOptions::default())
        .unwrap();
    let kinds = [
        watch.next_change().await.unwrap().kind,
        watch.next_change().await.unwrap().kind,
    ];
    assert_eq!(kinds, [ChangeKind::Modified, ChangeKind::Deleted]);
}

#[tokio::test]
async fn an_object_that_stops_matching_is_deleted_for_that_watch() {
    let store = store();
    let selected = Filter::matching(|v| v["metadata"]["labels"]["on"] == "yes");
    let mut watch = store
        .watch(&CONFIG_MAPS, &selected, store.version())
        .unwrap();
    let key = store
        .create(&CONFIG_MAPS, config_map("a", &json!({"on": "yes"})))
        .unwrap()
        .key();
    store
        .update(
            &CONFIG_MAPS,
            &key,
            &Expect::any(),
            edit(|v| v["metadata"]["labels"]["on"] = json!("no")),
        )
        .unwrap();
    store
        .update(
            &CONFIG_MAPS,
            &key,
            &Expect::any(),
            edit(|v| v["data"]["a"] = json!("unseen")),
        )
        .unwrap();
    store
        .update(
            &CONFIG_MAPS,
            &key,
            &Expect::any(),
            edit(|v| v["metadata"]["labels"]["on"] = json!("yes")),
        )
        .unwrap();
    let mut kinds = Vec::new();
    for _ in 0..3 {
        kinds.push(watch.next_change().await.unwrap().kind);
    }
    assert_eq!(
        kinds,
        [ChangeKind::Added, ChangeKind::Deleted, ChangeKind::Added]
    );
}

#[tokio::test]
async fn an_idle_watch_hears_how_far_the_store_is() {
    let store = store();
    let mut watch = store
        .watch(&CONFIG_MAPS, &Filter::all(), store.version())
        .unwrap();
    store
        .create(&NODES, json!({"metadata": {"name": "n"}}))
        .unwrap();
    store.announce_progress(&CONFIG_MAPS);
    match watch.next().await.unwrap() {
        WatchEvent::Progress(version) => assert_eq!(version, store.version()),
        WatchEvent::Change(change) => panic!("unexpected {change:?}"),
    }
}

#[test]
fn a_watch_from_before_the_log_is_expired() {
    let store = store();
    let key = store
        .create(&CONFIG_MAPS, config_map("a", &json!({})))
        .unwrap()
        .key();
    let from = store.version();
    for round in 0..40_000 {
        store
            .update(
                &CONFIG_MAPS,
                &key,
                &Expect::any(),
                edit(|v| v["data"]["a"] = json!(round)),
            )
            .unwrap();
    }
    let error = store.watch(&CONFIG_MAPS, &Filter::all(), from).unwrap_err();
    assert!(
        error.to_string().starts_with("too old resource version: "),
        "{error}"
    );
}

#[test]
fn an_equal_event_raises_the_count() {
    let store = store();
    let pod = store
        .create(
            &PODS,
            json!({"metadata": {"name": "p", "namespace": "ns"}, "spec": {}}),
        )
        .unwrap();
    let recorder = EventRecorder::new(store.clone(), "kubelet", Some("n".into()));
    recorder.record(&pod, EventType::Warning, "Failed", "no");
    recorder.record(&pod, EventType::Warning, "Failed", "no");
    recorder.record(&pod, EventType::Warning, "Failed", "other");
    let (events, _) = store.list(
        &drakit_sim_store::resource::EVENTS,
        &Filter::namespace("ns"),
    );
    let mut counts: Vec<_> = events
        .iter()
        .map(|e| (e.str_at(&["message"]), e.at(&["count"]).as_i64()))
        .collect();
    counts.sort_unstable();
    assert_eq!(counts, [("no", Some(2)), ("other", Some(1))]);
}
