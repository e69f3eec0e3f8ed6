//! An API server alone, for trying clients by hand:
//! `cargo run -p drakit-sim-apiserver --example serve -- /tmp/kubeconfig`, then
//! `kubectl --kubeconfig /tmp/kubeconfig get namespaces`. Ctrl-C ends it.

use std::error::Error;

use drakit_sim_apiserver::{ApiConfig, ApiServer};
use drakit_sim_store::resource::{NAMESPACES, NODES};
use drakit_sim_store::{Clock, Store};
use serde_json::json;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: serve KUBECONFIG")?;
    let store = Store::new(1, Clock::system());
    for name in ["default", "kube-system"] {
        let labels = json!({"kubernetes.io/metadata.name": name});
        store.create(
            &NAMESPACES,
            json!({"metadata": {"name": name, "labels": labels}}),
        )?;
    }
    store.create(
        &NODES,
        json!({"metadata": {"name": "node-0"}, "status": {}}),
    )?;
    let shutdown = CancellationToken::new();
    let api = ApiServer::start(ApiConfig::new(store), shutdown.clone()).await?;
    std::fs::write(path, &api.kubeconfig)?;
    tokio::signal::ctrl_c().await?;
    shutdown.cancel();
    api.task.await?;
    Ok(())
}
