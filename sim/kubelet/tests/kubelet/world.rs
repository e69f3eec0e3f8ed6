//! A store, kubelets and the objects that tests need.

use std::sync::Arc;

use drakit_sim_kubelet::{KubeletConfig, Kubelets, NodeConfig, NodeDirs, Timing};
use drakit_sim_store::resource::{EVENTS, NAMESPACES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES};
use drakit_sim_store::{Clock, Expect, Filter, Key, Object, Resource, Store, StoreError};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::driver::PATIENCE;

pub(crate) const NODE: &str = "node-0";
pub(crate) const DRIVER: &str = "gpu.example.com";

pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) kubelets: Kubelets,
    pub(crate) stop: CancellationToken,
    pub(crate) folder: Arc<TempDir>,
}

/// Delays a hundred times faster than real.
pub(crate) fn fast() -> Timing {
    Timing::real().with_delays_scaled(0.01)
}

impl World {
    /// One node and one namespace.
    pub(crate) async fn new(timing: Timing) -> Self {
        let store = Store::new(1, Clock::system());
        store
            .create(&NAMESPACES, json!({"metadata": {"name": "ns"}}))
            .unwrap();
        let folder = Arc::new(TempDir::new().unwrap());
        Self::over(store, folder, timing).await
    }

    /// Kubelets over what is there already.
    pub(crate) async fn over(store: Store, folder: Arc<TempDir>, timing: Timing) -> Self {
        let stop = CancellationToken::new();
        let config = KubeletConfig {
            store: store.clone(),
            state_dir: folder.path().to_owned(),
            timing,
        };
        let kubelets = Kubelets::start(config, stop.clone()).unwrap();
        kubelets.add_node(NodeConfig::new(NODE)).await.unwrap();
        Self {
            store,
            kubelets,
            stop,
            folder,
        }
    }

    pub(crate) async fn end(&self) {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.kubelets.stopped())
            .await
            .unwrap();
    }

    pub(crate) fn dirs(&self) -> NodeDirs {
        self.kubelets.dirs(NODE).unwrap()
    }

    /// A claim that is allocated from the drivers and reserved for pods with these UIDs.
    pub(crate) fn claim(&self, name: &str, drivers: &[&str]) -> Arc<Object> {
        let results: Vec<_> = drivers
            .iter()
            .map(|driver| json!({"request": "gpu", "driver": driver, "pool": "pool", "device": "dev"}))
            .collect();
        let claim = json!({
            "metadata": {"name": name, "namespace": "ns"},
            "spec": {},
            "status": {"allocation": {"devices": {"results": results}}},
        });
        self.store.create(&RESOURCE_CLAIMS, claim).unwrap()
    }

    pub(crate) fn reserve(&self, claim: &str, pod: &Object) {
        let key = Key::new("ns", claim);
        self.store
            .update_status(&RESOURCE_CLAIMS, &key, &Expect::any(), |old| {
                let mut claim = old.value().clone();
                let consumer = json!({"resource": "pods", "name": pod.name(), "uid": pod.uid()});
                match claim["status"]["reservedFor"].as_array_mut() {
                    Some(list) => list.push(consumer),
                    None => claim["status"]["reservedFor"] = json!([consumer]),
                }
                Ok::<_, StoreError>(claim)
            })
            .unwrap();
    }

    /// Writes the CDI file of the device that the test driver names for a claim.
    pub(crate) fn cdi_file(&self, claim: &str) {
        let spec = json!({
            "cdiVersion": "0.3.0",
            "kind": "example.com/gpu",
            "devices": [{"name": claim, "containerEdits": {
                "env": [format!("GPU_DEVICE_0={claim}")],
                "deviceNodes": [{"path": format!("/dev/drakit/{claim}"), "type": "c", "major": 1, "minor": 3}],
            }}],
        });
        let file = self.dirs().cdi.join(format!("{claim}.json"));
        std::fs::write(file, spec.to_string()).unwrap();
    }

    /// A pod whose containers use the claims, reserved and bound to the node.
    pub(crate) fn pod_with_claims(&self, name: &str, claims: &[&str]) -> Arc<Object> {
        let pod = self.unbound_pod(name, claims, &json!({}));
        for claim in claims {
            self.reserve(claim, &pod);
        }
        self.bind(&pod)
    }

    pub(crate) fn unbound_pod(&self, name: &str, claims: &[&str], extra: &Value) -> Arc<Object> {
        let used: Vec<_> = claims.iter().map(|c| json!({"name": c})).collect();
        let listed: Vec<_> = claims
            .iter()
            .map(|c| json!({"name": c, "resourceClaimName": c}))
            .collect();
        let mut pod = json!({
            "metadata": {"name": name, "namespace": "ns"},
            "spec": {
                "restartPolicy": "Always",
                "terminationGracePeriodSeconds": 30,
                "containers": [{"name": "ctr", "image": "busybox", "resources": {"claims": used}}],
                "resourceClaims": listed,
            },
            "status": {"phase": "Pending"},
        });
        merge(&mut pod, extra);
        self.store.create(&PODS, pod).unwrap()
    }

    pub(crate) fn bind(&self, pod: &Object) -> Arc<Object> {
        self.store
            .update_all(&PODS, &pod.key(), &Expect::any(), |old| {
                let mut pod = old.value().clone();
                pod["spec"]["nodeName"] = json!(NODE);
                Ok::<_, StoreError>(pod)
            })
            .unwrap()
    }

    pub(crate) fn slice(&self, name: &str, node: &str, driver: &str) {
        let slice = json!({
            "metadata": {"name": name},
            "spec": {"driver": driver, "nodeName": node, "pool": {"name": node}},
        });
        self.store.create(&RESOURCE_SLICES, slice).unwrap();
    }

    pub(crate) fn slices(&self) -> Vec<String> {
        let (slices, _) = self.store.list(&RESOURCE_SLICES, &Filter::all());
        slices.iter().map(|s| s.name().to_owned()).collect()
    }

    /// Waits until the objects of a kind are as `test` wants them.
    pub(crate) async fn until<T>(
        &self,
        what: &str,
        resource: &Resource,
        test: impl Fn(&[Arc<Object>]) -> Option<T>,
    ) -> T {
        let waiting = async {
            loop {
                let (objects, mut watch) = self.store.list_and_watch(resource, &Filter::all());
                if let Some(found) = test(&objects) {
                    return found;
                }
                watch.next().await;
            }
        };
        if let Ok(found) = tokio::time::timeout(PATIENCE, waiting).await {
            return found;
        }
        let (objects, _) = self.store.list(resource, &Filter::all());
        let shown: Vec<_> = objects.iter().map(|o| o.value()).collect();
        panic!(
            "waited in vain until {what}: {shown:#?}; events {:#?}",
            self.events()
        );
    }

    pub(crate) async fn pod_phase(&self, name: &str, phase: &str) -> Arc<Object> {
        self.until(&format!("{name} is {phase}"), &PODS, |pods| {
            let pod = pods.iter().find(|p| p.name() == name)?;
            (pod.str_at(&["status", "phase"]) == phase).then(|| pod.clone())
        })
        .await
    }

    pub(crate) async fn pod_gone(&self, name: &str) {
        self.until(&format!("{name} is gone"), &PODS, |pods| {
            pods.iter().all(|p| p.name() != name).then_some(())
        })
        .await;
    }

    /// Waits for an event with this reason and returns its message.
    pub(crate) async fn event(&self, reason: &str) -> String {
        self.until(&format!("event {reason}"), &EVENTS, |events| {
            let event = events.iter().find(|e| e.str_at(&["reason"]) == reason)?;
            Some(event.str_at(&["message"]).to_owned())
        })
        .await
    }

    pub(crate) fn events(&self) -> Vec<String> {
        let (events, _) = self.store.list(&EVENTS, &Filter::all());
        let mut lines: Vec<_> = events
            .iter()
            .map(|e| format!("{} {}", e.str_at(&["reason"]), e.str_at(&["message"])))
            .collect();
        lines.sort();
        lines
    }

    /// Waits until this many plugins are registered and connected.
    pub(crate) async fn connected(&self, count: usize) {
        let mut changes = self.kubelets.plugin_changes(NODE).unwrap();
        let waiting = async {
            loop {
                changes.mark_unchanged();
                let plugins = self.kubelets.plugins(NODE).unwrap();
                if plugins.len() == count && plugins.iter().all(|p| p.is_connected()) {
                    return;
                }
                changes.changed().await.unwrap();
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        let plugins = self.kubelets.plugins(NODE).unwrap();
        assert!(waited.is_ok(), "{count} plugins expected: {plugins:#?}");
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn merge(into: &mut Value, extra: &Value) {
    match (into, extra) {
        (Value::Object(into), Value::Object(extra)) => {
            for (key, value) in extra {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, extra) => *into = extra.clone(),
    }
}
