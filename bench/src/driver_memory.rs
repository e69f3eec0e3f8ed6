//! The driver for one node with eight GPUs: memory, and the size of the binary.

use std::path::Path;

use anyhow::Context;
use drakit_api::k8s::api::core::v1::Pod;
use drakit_kit::Cluster;
use kube::Api;
use kube::api::PostParams;

use crate::process::{megabytes, memory};
use crate::world::World;
use crate::{Figure, scale};

const FLEET: &str = "
apiVersion: drakit/v1alpha1
kind: Fleet
metadata: {name: one}
nodes:
- {name: node-0, profile: dgx-h100}
";

pub(crate) async fn measure(drakit: &Path) -> anyhow::Result<Vec<Figure>> {
    let size = std::fs::metadata(drakit)
        .context("look at the binary")?
        .len();
    let world = World::start(drakit, FLEET).await?;
    let client = world.sim.client();
    scale::create_template(&client, "gpu.nvidia.com").await?;
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    for index in 0..8 {
        pods.create(
            &PostParams::default(),
            &serde_json::from_value(scale::pod(&format!("p-{index}")))?,
        )
        .await?;
    }
    scale::wait_running(&client, 8).await?;
    let (now, peak) = memory(world.driver.id().context("the driver has ended")?)?;
    world.stop().await?;
    let megabyte = 1_000_000.0;
    #[expect(clippy::cast_precision_loss, reason = "a file size in MB")]
    let size = size as f64 / megabyte;
    Ok(vec![
        Figure::new(
            "driver, one 8-GPU node, 8 claims prepared: resident / peak",
            format!("{} / {}", megabytes(now), megabytes(peak)),
            "< 20 MB",
        ),
        Figure::new(
            "stripped release binary",
            format!("{size:.1} MB"),
            "< 25 MB",
        ),
    ])
}
