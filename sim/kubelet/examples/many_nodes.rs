//! How long many nodes and pods take: `cargo run --release --example many_nodes -- <nodes>`.
//!
//! Every node has a driver with its own sockets and one pod with one claim. Needs about six file
//! descriptors for each node (`ulimit -n`).
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement for developers, which prints its result"
)]
#![expect(dead_code, reason = "the tests' driver can do more")]

#[path = "../tests/kubelet/driver.rs"]
mod driver;

use std::sync::Arc;
use std::time::Instant;

use drakit_sim_kubelet::{KubeletConfig, Kubelets, NodeConfig, Timing};
use drakit_sim_store::resource::{NAMESPACES, PODS, RESOURCE_CLAIMS};
use drakit_sim_store::{Clock, Expect, Filter, Object, Store, StoreError};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use driver::{Setup, TestDriver};

const DRIVER: &str = "gpu.example.com";

#[tokio::main]
async fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(100);
    let store = Store::new(1, Clock::system());
    let namespace = json!({"metadata": {"name": "ns"}});
    store.create(&NAMESPACES, namespace).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = KubeletConfig {
        store: store.clone(),
        state_dir: folder.path().to_owned(),
        timing: Timing::real(),
    };
    let stop = CancellationToken::new();
    let kubelets = Kubelets::start(config, stop.clone()).unwrap();

    let begin = Instant::now();
    let nodes = (0..count).map(|i| NodeConfig::new(format!("node-{i}")));
    kubelets.add_nodes(nodes.collect()).await.unwrap();
    report("nodes added", begin);

    let begin = Instant::now();
    let mut drivers = Vec::new();
    for name in kubelets.nodes() {
        let dirs = kubelets.dirs(&name).unwrap();
        drivers.push(TestDriver::start(&dirs, Setup::new(DRIVER)));
    }
    for driver in &drivers {
        driver.logged("Notify true").await;
    }
    report("drivers registered", begin);

    let mut pods = Vec::new();
    for (index, node) in kubelets.nodes().iter().enumerate() {
        write_cdi_file(&kubelets, node, index);
        pods.push(pod_with_claim(&store, index));
    }
    let begin = Instant::now();
    for (pod, node) in pods.iter().zip(kubelets.nodes()) {
        bind(&store, pod, &node);
    }
    running(&store, count).await;
    report("pods running", begin);

    let mut times = Vec::new();
    for index in count..count + 21 {
        write_cdi_file(&kubelets, "node-0", index);
        let pod = pod_with_claim(&store, index);
        let begin = Instant::now();
        bind(&store, &pod, "node-0");
        running(&store, index + 1).await;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    println!("one pod at a time: median {:?}", times[times.len() / 2]);
    stop.cancel();
    kubelets.stopped().await;
}

fn bind(store: &Store, pod: &Object, node: &str) {
    store
        .update_all(&PODS, &pod.key(), &Expect::any(), |old| {
            let mut pod = old.value().clone();
            pod["spec"]["nodeName"] = json!(node);
            Ok::<_, StoreError>(pod)
        })
        .unwrap();
}

async fn running(store: &Store, count: usize) {
    let running = Filter::matching(|pod| pod["status"]["phase"] == "Running");
    let (already, mut watch) = store.list_and_watch(&PODS, &running);
    let mut left = count - already.len();
    while left > 0 {
        watch.next_change().await.unwrap();
        left -= 1;
    }
}

fn report(what: &str, begin: Instant) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let memory = status.lines().find(|line| line.starts_with("VmRSS"));
    println!("{what}: {:?}, {}", begin.elapsed(), memory.unwrap_or(""));
}

fn write_cdi_file(kubelets: &Kubelets, node: &str, index: usize) {
    let device =
        json!({"name": format!("c{index}"), "containerEdits": {"env": ["GPU_DEVICE_0=gpu-0"]}});
    let spec = json!({"cdiVersion": "0.3.0", "kind": "example.com/gpu", "devices": [device]});
    let name = format!("c{index}.json");
    let file = kubelets.dirs(node).unwrap().cdi.join(name);
    std::fs::write(file, spec.to_string()).unwrap();
}

fn pod_with_claim(store: &Store, index: usize) -> Arc<Object> {
    let claim = format!("c{index}");
    let pod: Value = json!({
        "metadata": {"name": format!("p{index}"), "namespace": "ns"},
        "spec": {
            "containers": [{"name": "ctr", "image": "busybox", "resources": {"claims": [{"name": "gpu"}]}}],
            "resourceClaims": [{"name": "gpu", "resourceClaimName": claim}],
        },
        "status": {"phase": "Pending"},
    });
    let pod = store.create(&PODS, pod).unwrap();
    let claim = json!({
        "metadata": {"name": claim, "namespace": "ns"},
        "status": {
            "allocation": {"devices": {"results": [{"driver": DRIVER}]}},
            "reservedFor": [{"resource": "pods", "name": pod.name(), "uid": pod.uid()}],
        },
    });
    store.create(&RESOURCE_CLAIMS, claim).unwrap();
    pod
}
