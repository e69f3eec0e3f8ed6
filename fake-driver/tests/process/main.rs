//! Whole driver processes in this one: sockets, files and an API server.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "clippy allows it in test functions, not in what they call"
)]

#[expect(dead_code, reason = "the publisher's own tests use more of it")]
#[path = "../../publisher/tests/publishing/api.rs"]
mod api;
mod world;

use std::collections::BTreeSet;
use std::time::Instant;

use drakit_driver_model::Fleet;
use drakit_fake_driver::{Driver, DriverError, FolderTemplates, ServedNodes, StartError};
use futures::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use world::{World, fleet};

#[tokio::test]
async fn a_process_registers_publishes_and_prepares_for_each_of_its_nodes() {
    let world = World::new(fleet("demo-gpu", 3));
    let running = world.start(ServedNodes::All).await;
    running.published().await;
    assert_eq!(world.api.slices().len(), 3);
    assert!(world.api.lock().classes.contains_key("gpu.example.com"));
    for node in ["n0", "n1", "n2"] {
        world.allocate(node, &format!("uid-{node}"), node, &["gpu-0"]);
        let error = world.prepare(node, node, &format!("uid-{node}")).await;
        assert_eq!(error, "");
    }
    running.stop().await;
    assert_eq!(world.api.slices().len(), 3, "slices outlive the driver");
    assert!(!world.socket("n0").exists());
}

#[tokio::test]
async fn only_the_named_nodes_are_served() {
    let world = World::new(fleet("demo-gpu", 3));
    let running = world
        .start(ServedNodes::Named(BTreeSet::from(["n1".to_owned()])))
        .await;
    running.published().await;
    let slices = world.api.slices();
    assert_eq!(slices.len(), 1);
    assert_eq!(slices[0]["spec"]["nodeName"], "n1");
    assert!(world.socket("n1").exists() && !world.socket("n0").exists());
    running.stop().await;
}

#[tokio::test]
async fn a_node_that_the_fleet_lacks_is_named_with_those_it_has() {
    let world = World::new(fleet("demo-gpu", 2));
    let wrong = ServedNodes::Named(BTreeSet::from(["x".to_owned()]));
    let Err(error) = Driver::start(world.config(wrong), CancellationToken::new()).await else {
        panic!("it started");
    };
    assert_eq!(
        error.to_string(),
        r#"the fleet has no node "x" (it has n0, n1)"#
    );
}

#[tokio::test]
async fn one_node_that_cannot_start_stops_the_start_of_all() {
    let world = World::new(fleet("demo-gpu", 3));
    let socket = world.socket("n2");
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    std::fs::write(&socket, "no socket").unwrap();
    let config = world.config(ServedNodes::All);
    let Err(error) = Driver::start(config, CancellationToken::new()).await else {
        panic!("it started");
    };
    let DriverError::Start {
        node,
        source: StartError::NotASocket { .. },
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(node, "n2");
    assert!(!world.socket("n0").exists(), "no socket is left behind");
    assert!(world.api.slices().is_empty());
}

#[tokio::test]
async fn nodes_that_would_share_folders_are_refused() {
    let world = World::new(fleet("demo-gpu", 2));
    let mut config = world.config(ServedNodes::All);
    config.folders = FolderTemplates {
        create: true,
        ..FolderTemplates::default()
    };
    let Err(error) = Driver::start(config, CancellationToken::new()).await else {
        panic!("it started");
    };
    assert!(
        matches!(error, DriverError::SharedFolder { nodes: 2, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn network_pools_are_published_once_and_prepared_on_every_node_that_reaches_them() {
    let text = "
apiVersion: drakit/v1alpha1
kind: Fleet
metadata: {name: lab}
nodes:
- {name: 'n{index}', count: 2, profile: demo-gpu}
pools:
- {driver: rdma.example.com, name: rack-1, profile: network-rdma}
";
    let world = World::new(Fleet::parse("lab.yaml", text).unwrap().plan());
    let running = world.start(ServedNodes::All).await;
    running.published().await;
    let slices = world.api.slices();
    let network = slices
        .iter()
        .filter(|slice| slice["spec"]["driver"] == "rdma.example.com");
    assert_eq!(network.count(), 1);
    assert!(world.driver_socket("n0", "rdma.example.com").exists());
    assert!(world.driver_socket("n1", "rdma.example.com").exists());

    running
        .observer
        .withdraw_network_pools(&world.plan)
        .await
        .unwrap();
    running.until_slices(&world, 2).await;
    running.stop().await;
}

#[tokio::test]
async fn another_fleet_is_taken_over_and_one_with_other_nodes_is_refused() {
    let world = World::new(fleet("demo-gpu", 2));
    let running = world.start(ServedNodes::All).await;
    running.published().await;
    let same_nodes = Fleet::from_profile("demo-gpu", "n{index}", 2, 99)
        .unwrap()
        .plan();
    let before = world.api.slices();
    running.observer.reload(&same_nodes).await.unwrap();
    running.until_updates(2).await;
    assert_ne!(world.api.slices(), before, "another seed gives other uuids");

    let error = running
        .observer
        .reload(&fleet("demo-gpu", 3))
        .await
        .unwrap_err();
    assert!(matches!(error, DriverError::NeedsRestart { .. }), "{error}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_nodes_fit_into_one_process() {
    serve_many(60).await;
}

#[ignore = "measures; run with --release and --nocapture"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_nodes_fit_into_one_process() {
    serve_many(1000).await;
}

/// Prints what a person may compare; asserts only what must hold.
#[expect(clippy::print_stdout, reason = "measurements are for a person")]
async fn serve_many(nodes: usize) {
    let world = World::new(fleet("dgx-h100", nodes));
    println!("planned: {}", world::usage());
    let begin = Instant::now();
    let running = world.start(ServedNodes::All).await;
    println!("sockets up after {:?}: {}", begin.elapsed(), world::usage());
    running.published().await;
    let plugins = running.observer.status().plugins.len();
    println!(
        "slices of {plugins} plugins published after {:?}: {}",
        begin.elapsed(),
        world::usage()
    );

    let driver = "gpu.nvidia.com";
    for index in 0..nodes {
        let node = format!("n{index}");
        world.allocate_from(driver, &node, &format!("uid-{index}"), &node, &["gpu-0"]);
    }
    let begin = Instant::now();
    let calls = stream::iter(0..nodes).map(|index| {
        let (world, node) = (&world, format!("n{index}"));
        async move {
            world
                .prepare_from(driver, &node, &node, &format!("uid-{index}"))
                .await
        }
    });
    let errors: Vec<String> = calls
        .buffer_unordered(64)
        .filter(|e| std::future::ready(!e.is_empty()))
        .collect()
        .await;
    println!(
        "{nodes} claims prepared in {:?}: {}",
        begin.elapsed(),
        world::usage()
    );
    assert_eq!(errors, Vec::<String>::new());
    let begin = Instant::now();
    running.stop().await;
    println!("stopped in {:?}", begin.elapsed());
}
