//! A simulated cluster in this process and the driver as another one.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use drakit_driver_model::Fleet;
use drakit_sim::{SimCluster, SimConfig, SimNode};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// The most that any start may need before the measurement is given up.
const GIVE_UP: Duration = Duration::from_secs(120);

pub(crate) struct World {
    pub(crate) sim: SimCluster,
    pub(crate) driver: Child,
    shutdown: CancellationToken,
    folder: TempDir,
}

impl World {
    /// Starts the cluster of a fleet file and waits until all slices and plugins are there.
    pub(crate) async fn start(drakit: &Path, fleet: &str) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("drakit-bench-")
            .tempdir()
            .context("make a folder")?;
        let file = folder.path().join("fleet.yaml");
        std::fs::write(&file, fleet).context("write the fleet")?;
        let plan = Fleet::parse("bench", fleet)?.plan();
        let nodes = plan.nodes.iter().map(|n| SimNode {
            name: n.name.to_string(),
            labels: n.labels.clone(),
        });
        let mut config = SimConfig::new(nodes.collect());
        config.state_dir = Some(folder.path().join("s"));
        let shutdown = CancellationToken::new();
        let sim = SimCluster::start(config, shutdown.clone()).await?;
        let driver = spawn(drakit, &sim, &file)?;
        let slices = plan
            .nodes
            .iter()
            .flat_map(|n| &n.drivers)
            .map(|p| p.slice_count())
            .sum();
        let plugins = plan.nodes.iter().map(|n| n.drivers.len()).sum();
        let world = Self {
            sim,
            driver,
            shutdown,
            folder,
        };
        if tokio::time::timeout(GIVE_UP, world.sim.ready(slices, plugins))
            .await
            .is_err()
        {
            bail!("the cluster is not ready after {} s", GIVE_UP.as_secs());
        }
        Ok(world)
    }

    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        terminate(&mut self.driver).await?;
        self.shutdown.cancel();
        self.sim.stop().await?;
        self.folder.close().context("remove the folder")
    }
}

fn spawn(drakit: &Path, sim: &SimCluster, fleet: &Path) -> anyhow::Result<Child> {
    let mut command = Command::new(drakit);
    command
        .args(["driver", "--all-nodes", "--fleet"])
        .arg(fleet);
    command.arg("--kubeconfig").arg(sim.kubeconfig());
    for (flag, folder) in [
        ("--registrar-dir", "plugins_registry"),
        ("--plugins-dir", "plugins"),
        ("--cdi-dir", "cdi"),
    ] {
        command.arg(flag).arg(sim.node_dir("{node}").join(folder));
    }
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("start the driver")
}

/// Asks a process to end, and waits for it.
pub(crate) async fn terminate(child: &mut Child) -> anyhow::Result<()> {
    if let Some(pid) = child.id().and_then(|id| i32::try_from(id).ok()) {
        kill(Pid::from_raw(pid), Signal::SIGTERM).context("stop the driver")?;
    }
    tokio::time::timeout(GIVE_UP, child.wait())
        .await
        .context("wait for the driver")?
        .context("wait for the driver")?;
    Ok(())
}
