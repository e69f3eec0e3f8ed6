//! `drakit driver`: the emulated driver for one node or many.

use std::io::stdin;
use std::os::fd::AsFd;
use std::path::PathBuf;

use anyhow::Context;
use drakit_fake_driver::{Driver, DriverConfig, FolderTemplates, ServedNodes};
use drakit_kit::cluster::reach_loopback_directly;
use drakit_kit::{Cluster, KubeconfigCluster};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio_util::sync::CancellationToken;

use crate::exit::Outcome;
use crate::fleet_source::FleetChoice;
use crate::progress;
use crate::signals::cancel_on_signal;

/// The flag that ties a driver to the process that started it.
pub(crate) const UNTIL_STDIN_CLOSES: &str = "--until-stdin-closes";

/// Flags of `drakit driver`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    fleet: FleetChoice,

    /// Nodes to make of a profile.
    #[arg(long, default_value_t = 1, conflicts_with = "fleet")]
    nodes: usize,

    /// Names of the nodes of a profile; `{index}` counts from 0. With --node-name, that name.
    #[arg(long, conflicts_with = "fleet")]
    node_names: Option<String>,

    /// Serve this node of the fleet; may be given several times.
    #[arg(
        long,
        value_name = "NAME",
        env = "NODE_NAME",
        required_unless_present = "all_nodes"
    )]
    node_name: Vec<String>,

    /// Serve every node of the fleet.
    #[arg(long, conflicts_with = "node_name")]
    all_nodes: bool,

    /// Publish the fleet's network pools too; one process of a cluster should. On by default with --all-nodes.
    #[arg(long, num_args = 0..=1, default_missing_value = "true")]
    network_pools: Option<bool>,

    /// Create the fleet's DeviceClasses where they are missing. On by default with --all-nodes.
    #[arg(long, num_args = 0..=1, default_missing_value = "true")]
    device_classes: Option<bool>,

    /// How to reach the API server; without it, the pod's service account or the usual kubeconfig.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// The kubelet's folder for registration sockets. `{node}` stands for the node's name.
    #[arg(
        long,
        default_value = "/var/lib/kubelet/plugins_registry",
        env = "KUBELET_REGISTRAR_DIRECTORY_PATH"
    )]
    registrar_dir: String,

    /// The kubelet's folder for plugin data. `{node}` stands for the node's name.
    #[arg(
        long,
        default_value = "/var/lib/kubelet/plugins",
        env = "KUBELET_PLUGINS_DIRECTORY_PATH"
    )]
    plugins_dir: String,

    /// Where CDI files go. `{node}` stands for the node's name.
    #[arg(long, default_value = "/var/run/cdi", env = "CDI_ROOT")]
    cdi_dir: String,

    /// Make these folders if they are missing.
    #[arg(long)]
    create_dirs: bool,

    /// End, as by SIGTERM, once the other end of the pipe on standard input is closed: with the process
    /// that started the driver, whatever becomes of it.
    #[arg(long)]
    until_stdin_closes: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    // Two workers: sockets and API calls wait far more than they compute, and each costs memory.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("start the runtime")?;
    runtime.block_on(serve(args))
}

async fn serve(args: Args) -> anyhow::Result<Outcome> {
    let shutdown = CancellationToken::new();
    cancel_on_signal(shutdown.clone())?;
    let lifeline = args.until_stdin_closes.then(standard_input).transpose()?;
    let config = configure(args).await?;
    let driver = Driver::start(config, shutdown.clone()).await?;
    let observer = driver.observer();
    let ready = async {
        if observer.published().await {
            progress::line("ready: sockets are up, ResourceSlices are published");
        }
        // Readiness is told once; after that only the driver itself decides when to end.
        std::future::pending::<()>().await;
    };
    let orphaned = async {
        if let Some(pipe) = lifeline {
            closed(pipe).await;
            shutdown.cancel();
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        result = driver.wait() => result?,
        () = ready => {}
        () = orphaned => {}
    }
    Ok(Outcome::Done)
}

fn standard_input() -> anyhow::Result<pipe::Receiver> {
    let what = || format!("{UNTIL_STDIN_CLOSES}: wait for standard input, which must be a pipe");
    let own = stdin().as_fd().try_clone_to_owned().with_context(what)?;
    pipe::Receiver::from_owned_fd(own).with_context(what)
}

/// Ends when nobody can write into the pipe any more. What is written is of no interest.
async fn closed(mut pipe: pipe::Receiver) {
    let mut words = [0; 64];
    while !matches!(pipe.read(&mut words).await, Ok(0) | Err(_)) {}
}

async fn configure(args: Args) -> anyhow::Result<DriverConfig> {
    let Args {
        fleet,
        nodes,
        node_names,
        node_name,
        all_nodes,
        network_pools,
        device_classes,
        kubeconfig,
        registrar_dir,
        plugins_dir,
        cdi_dir,
        create_dirs,
        until_stdin_closes: _,
    } = args;
    let names = node_names
        .or_else(|| node_name.first().cloned())
        .unwrap_or_else(|| "node-{index}".into());
    let plan = fleet.load(&names, nodes)?.0.plan();
    let served = if all_nodes {
        ServedNodes::All
    } else {
        ServedNodes::Named(node_name.into_iter().collect())
    };
    Ok(DriverConfig {
        plan,
        nodes: served,
        network_pools: network_pools.unwrap_or(all_nodes),
        folders: FolderTemplates {
            registrar: registrar_dir,
            plugins: plugins_dir,
            cdi: cdi_dir,
            create: create_dirs,
        },
        client: client(kubeconfig).await?,
        create_classes: device_classes.unwrap_or(all_nodes),
    })
}

async fn client(path: Option<PathBuf>) -> anyhow::Result<kube::Client> {
    if let Some(path) = path {
        return Ok(KubeconfigCluster::from_file(&path).await?.client());
    }
    let mut config = kube::Config::infer()
        .await
        .context("find an API server: no --kubeconfig, no service account, no ~/.kube/config")?;
    reach_loopback_directly(&mut config);
    kube::Client::try_from(config).context("make a Kubernetes client")
}
