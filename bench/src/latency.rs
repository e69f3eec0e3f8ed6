//! Pod created to Running with its claim prepared, one pod after the other.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use drakit_api::k8s::api::core::v1::Pod;
use drakit_kit::Cluster;
use futures::StreamExt;
use kube::Api;
use kube::api::{DeleteParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;

use crate::Figure;
use crate::world::World;

const PODS: usize = 100;

const FLEET: &str = "
apiVersion: drakit/v1alpha1
kind: Fleet
metadata: {name: latency}
nodes:
- {name: 'node-{index}', count: 3, profile: dgx-h100}
";

pub(crate) async fn measure(drakit: &Path) -> anyhow::Result<Vec<Figure>> {
    let world = World::start(drakit, FLEET).await?;
    let client = world.sim.client();
    crate::scale::create_template(&client, "gpu.nvidia.com").await?;
    let pods: Api<Pod> = Api::namespaced(client, "default");
    let mut times = Vec::with_capacity(PODS);
    for index in 0..PODS {
        let name = format!("latency-{index}");
        times.push(
            one(&pods, &name)
                .await
                .with_context(|| format!("pod {name}"))?,
        );
        pods.delete(&name, &DeleteParams::default().grace_period(0))
            .await?;
    }
    world.stop().await?;
    times.sort_by(f64::total_cmp);
    let shown = format!("{:.1} / {:.1} ms", times[PODS / 2], times[PODS * 99 / 100]);
    Ok(vec![Figure::new(
        "pod with a template claim: create to Running, p50 / p99 of 100",
        shown,
        "p50 < 30 ms",
    )])
}

async fn one(pods: &Api<Pod>, name: &str) -> anyhow::Result<f64> {
    let watch = WatchParams::default().fields(&format!("metadata.name={name}"));
    let mut events = pods.watch(&watch, "0").await?.boxed();
    let start = Instant::now();
    pods.create(
        &PostParams::default(),
        &serde_json::from_value(crate::scale::pod(name))?,
    )
    .await?;
    while let Some(event) = events.next().await {
        if let WatchEvent::Added(pod) | WatchEvent::Modified(pod) = event?
            && pod.status.and_then(|s| s.phase).as_deref() == Some("Running")
        {
            return Ok(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    anyhow::bail!("the watch ended: {}", json!(name))
}
