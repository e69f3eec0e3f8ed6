//! How long a thousand claims and pods take over one TLS connection:
//! `cargo run -p drakit-sim-apiserver --example load -- 1000`.

#![expect(clippy::print_stdout, reason = "a report for a person")]

use std::error::Error;
use std::time::Instant;

use drakit_api::k8s::api::core::v1::Pod;
use drakit_api::k8s::api::resource::v1::ResourceClaim;
use drakit_sim_apiserver::{ApiConfig, ApiServer};
use drakit_sim_store::resource::NAMESPACES;
use drakit_sim_store::{Clock, Store};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Requests in flight at one time.
const AT_ONCE: usize = 32;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let count: usize = std::env::args()
        .nth(1)
        .map_or(Ok(1000), |text| text.parse())?;
    let store = Store::new(1, Clock::system());
    store.create(&NAMESPACES, json!({"metadata": {"name": "default"}}))?;
    let shutdown = CancellationToken::new();
    let api = ApiServer::start(ApiConfig::new(store), shutdown.clone()).await?;
    let kubeconfig = Kubeconfig::from_yaml(&api.kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;
    let claims: Api<ResourceClaim> = Api::default_namespaced(client.clone());
    let pods: Api<Pod> = Api::default_namespaced(client);

    let mut report = Report::default();
    let create = PostParams::default();
    let all = || stream::iter(0..count).map(Ok::<_, kube::Error>);
    all()
        .try_for_each_concurrent(AT_ONCE, |n| {
            let (claims, create) = (&claims, &create);
            async move { claims.create(create, &claim(n)).await.map(drop) }
        })
        .await?;
    report.step("create claims");
    all()
        .try_for_each_concurrent(AT_ONCE, |n| {
            let (pods, create) = (&pods, &create);
            async move { pods.create(create, &pod(n)).await.map(drop) }
        })
        .await?;
    report.step("create pods");
    let running = Patch::Strategic(json!({"status": {"phase": "Running"}}));
    all()
        .try_for_each_concurrent(AT_ONCE, |n| {
            let (pods, running) = (&pods, &running);
            let name = format!("pod-{n}");
            async move {
                pods.patch_status(&name, &PatchParams::default(), running)
                    .await
                    .map(drop)
            }
        })
        .await?;
    report.step("patch pod status");
    all()
        .try_for_each_concurrent(AT_ONCE, |n| {
            let claims = &claims;
            async move { claims.get(&format!("claim-{n}")).await.map(drop) }
        })
        .await?;
    report.step("get claims");
    let listed = pods.list(&ListParams::default()).await?.items.len();
    report.step("list pods");
    println!(
        "{listed} pods, {AT_ONCE} requests at once:\n{}",
        report.lines.join("\n")
    );
    shutdown.cancel();
    api.task.await?;
    Ok(())
}

struct Report {
    since: Instant,
    lines: Vec<String>,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            lines: Vec::new(),
        }
    }
}

impl Report {
    fn step(&mut self, what: &str) {
        self.lines
            .push(format!("{what:<18} {:>8.1?}", self.since.elapsed()));
        self.since = Instant::now();
    }
}

fn claim(n: usize) -> ResourceClaim {
    let request = json!({"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}});
    let claim = json!({
        "metadata": {"name": format!("claim-{n}")},
        "spec": {"devices": {"requests": [request]}},
    });
    serde_json::from_value(claim).unwrap_or_default()
}

fn pod(n: usize) -> Pod {
    let pod = json!({
        "metadata": {"name": format!("pod-{n}")},
        "spec": {
            "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "gpu"}]}}],
            "resourceClaims": [{"name": "gpu", "resourceClaimName": format!("claim-{n}")}],
        },
    });
    serde_json::from_value(pod).unwrap_or_default()
}
