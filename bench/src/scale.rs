//! A thousand nodes with eight GPUs each, every node with its own sockets.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use drakit_api::k8s::api::core::v1::Pod;
use drakit_api::k8s::api::resource::v1::ResourceClaimTemplate;
use drakit_kit::Cluster;
use futures::{StreamExt, TryStreamExt, stream};
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::Figure;
use crate::process::{megabytes, memory};
use crate::world::World;

const PODS: usize = 1_000;
/// Requests of the client under way at once.
const AT_ONCE: usize = 64;
/// Pause between two looks at how many pods run.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// The most that is waited for pods.
const GIVE_UP: Duration = Duration::from_secs(120);

const FLEET: &str = "
apiVersion: drakit/v1alpha1
kind: Fleet
metadata: {name: scale}
seed: 7
nodes:
- name: 'node-{index}'
  count: 1000
  drivers:
  - name: gpu.example.com
    devices:
    - name: 'gpu-{index}'
      count: 8
      attributes:
        uuid: {string: '{uuid}'}
        model: {string: NVIDIA H100 80GB HBM3}
        index: {int: '{index}'}
        driverVersion: {version: 580.126.20}
      capacity: {memory: 80Gi}
";

pub(crate) async fn measure(drakit: &Path) -> anyhow::Result<Vec<Figure>> {
    let start = Instant::now();
    let world = World::start(drakit, FLEET).await?;
    let ready = start.elapsed();
    let client = world.sim.client();
    create_template(&client, "gpu.example.com").await?;
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    stream::iter(0..PODS)
        .map(|index| {
            let pods = pods.clone();
            async move {
                let pod =
                    serde_json::from_value(pod(&format!("p-{index}"))).context("make a pod")?;
                pods.create(&PostParams::default(), &pod)
                    .await
                    .context("create a pod")
            }
        })
        .buffer_unordered(AT_ONCE)
        .try_collect::<Vec<_>>()
        .await?;
    wait_running(&client, PODS).await?;
    let total = start.elapsed();
    let (sim, sim_peak) = memory(std::process::id())?;
    let (driver, driver_peak) = memory(world.driver.id().context("the driver has ended")?)?;
    world.stop().await?;
    Ok(vec![
        Figure::new(
            "1,000 nodes x 8 GPUs: all sockets registered, all slices published",
            seconds(ready),
            "-",
        ),
        Figure::new(
            "… and 1,000 one-GPU pods with template claims Running",
            seconds(total),
            "< 10 s",
        ),
        Figure::new(
            "memory then, simulation + driver",
            format!("{} + {}", megabytes(sim), megabytes(driver)),
            "< 600 MB together",
        ),
        Figure::new(
            "memory at most, simulation + driver",
            format!("{} + {}", megabytes(sim_peak), megabytes(driver_peak)),
            "< 600 MB together",
        ),
    ])
}

fn seconds(duration: Duration) -> String {
    format!("{:.2} s", duration.as_secs_f64())
}

/// A template for one device of a class.
pub(crate) async fn create_template(client: &Client, class: &str) -> anyhow::Result<()> {
    let templates: Api<ResourceClaimTemplate> = Api::namespaced(client.clone(), "default");
    let template = json!({
        "metadata": {"name": "one"},
        "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": class}}]}}},
    });
    templates
        .create(&PostParams::default(), &serde_json::from_value(template)?)
        .await
        .context("create the template")?;
    Ok(())
}

/// A pod with a claim from the template.
pub(crate) fn pod(name: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {
            "containers": [{"name": "main", "image": "busybox", "resources": {"claims": [{"name": "gpu"}]}}],
            "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}],
        },
    })
}

/// Waits until so many pods run.
pub(crate) async fn wait_running(client: &Client, count: usize) -> anyhow::Result<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    let running = ListParams::default().fields("status.phase=Running");
    let start = Instant::now();
    loop {
        let seen = pods
            .list_metadata(&running)
            .await
            .context("list pods")?
            .items
            .len();
        if seen >= count {
            return Ok(());
        }
        if start.elapsed() > GIVE_UP {
            bail!(
                "only {seen} of {count} pods run after {} s",
                GIVE_UP.as_secs()
            );
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
