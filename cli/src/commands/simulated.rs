//! A simulated cluster with an emulated driver beside it, for `demo` and `up`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use drakit_driver_model::Plan;
use drakit_sim::{SimCluster, SimConfig, SimNode};
use tokio::process::{Child, ChildStdin, Command};
use tokio_util::sync::CancellationToken;

use super::driver::UNTIL_STDIN_CLOSES;
use crate::fleet_source::FleetOrigin;

/// The most that a driver may need until everything is published: a thousand nodes on a slow machine.
const DRIVER_READY: Duration = Duration::from_secs(120);
/// The most that a driver may need to stop.
const DRIVER_STOP: Duration = Duration::from_secs(10);

/// Variables that choose a fleet or a node for `drakit driver`. The driver of a simulation is told by
/// flags; what the environment says is meant for others.
const NOT_FOR_THE_DRIVER: [&str; 3] = ["DRAKIT_FLEET", "DEVICE_PROFILE", "NODE_NAME"];

/// A running simulation.
pub(crate) struct Simulated {
    pub(crate) sim: SimCluster,
    driver: Option<Driver>,
    shutdown: CancellationToken,
}

/// The driver's process.
struct Driver {
    process: Child,
    /// Closed by the system however this process ends, also by SIGKILL: the driver ends with it.
    _lifeline: Option<ChildStdin>,
}

/// What to boot.
pub(crate) struct Boot<'a> {
    pub(crate) plan: &'a Plan,
    /// From which the driver's process makes the same fleet.
    pub(crate) origin: &'a FleetOrigin,
    pub(crate) config: SimConfig,
    pub(crate) with_driver: bool,
}

/// The nodes that a plan describes.
pub(crate) fn nodes(plan: &Plan) -> Vec<SimNode> {
    let node = |n: &drakit_driver_model::NodePlan| SimNode {
        name: n.name.to_string(),
        labels: n.labels.clone(),
    };
    plan.nodes.iter().map(node).collect()
}

impl Simulated {
    /// Starts the cluster, then the driver as a process of its own, and waits until its slices are
    /// published and its plugins registered, or until it is interrupted.
    pub(crate) async fn boot(
        boot: Boot<'_>,
        interrupt: &CancellationToken,
    ) -> anyhow::Result<Self> {
        let shutdown = CancellationToken::new();
        let sim = SimCluster::start(boot.config.clone(), shutdown.clone()).await?;
        let mut running = Self {
            sim,
            driver: None,
            shutdown,
        };
        if boot.with_driver {
            let ready = running.start_driver(&boot, interrupt).await;
            if let Err(error) = ready {
                running.stop().await?;
                return Err(error);
            }
        }
        Ok(running)
    }

    async fn start_driver(
        &mut self,
        boot: &Boot<'_>,
        interrupt: &CancellationToken,
    ) -> anyhow::Result<()> {
        let log = self.sim.state_dir().join("driver.log");
        let driver = self.driver.insert(spawn(&self.sim, boot.origin, &log)?);
        let pools = boot
            .plan
            .nodes
            .iter()
            .flat_map(|n| &n.drivers)
            .chain(&boot.plan.pools);
        let slices = pools.map(|p| p.slice_count()).sum();
        let plugins = plugins(boot.plan);
        let ready = tokio::select! {
            ready = tokio::time::timeout(DRIVER_READY, self.sim.ready(slices, plugins)) => ready,
            status = driver.process.wait() => {
                let status = status.context("wait for the driver")?;
                bail!("the driver ended ({status}); its words: {}", last_line(&log));
            }
            () = interrupt.cancelled() => Ok(()),
        };
        ready.with_context(|| {
            format!(
                "wait {} s for the driver; see {}",
                DRIVER_READY.as_secs(),
                log.display()
            )
        })
    }

    /// When a part has ended by itself, which none should.
    pub(crate) async fn ended(&mut self) -> String {
        let log = self.sim.state_dir().join("driver.log");
        let driver = self.driver.as_mut();
        let driver_ended = async {
            match driver {
                Some(driver) => match driver.process.wait().await {
                    Ok(status) => format!(
                        "the driver ended ({status}); its words: {}",
                        last_line(&log)
                    ),
                    Err(error) => format!("wait for the driver: {error}"),
                },
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            why = driver_ended => why,
            why = self.sim.failed() => why,
        }
    }

    /// Stops the driver (by its own process id), then the cluster.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        if let Some(Driver {
            process: mut child, ..
        }) = self.driver.take()
        {
            if let Some(pid) = child.id().and_then(|id| i32::try_from(id).ok()) {
                // It may have ended by itself just now.
                let _sent = nix::sys::signal::kill(
                    nix::unistd::Pid::from_raw(pid),
                    nix::sys::signal::Signal::SIGTERM,
                );
            }
            if tokio::time::timeout(DRIVER_STOP, child.wait())
                .await
                .is_err()
            {
                child.kill().await.context("stop the driver")?;
            }
        }
        self.shutdown.cancel();
        self.sim.stop().await?;
        Ok(())
    }
}

/// Every node registers its own drivers and those of the network pools that it reaches.
fn plugins(plan: &Plan) -> usize {
    let on_node = |node: &drakit_driver_model::NodePlan| {
        let reached = plan.pools.iter().filter(|p| p.reachable_from(node));
        let names: std::collections::BTreeSet<_> = node
            .drivers
            .iter()
            .chain(reached)
            .map(|p| p.driver().to_string())
            .collect();
        names.len()
    };
    plan.nodes.iter().map(on_node).sum()
}

fn spawn(sim: &SimCluster, origin: &FleetOrigin, log: &Path) -> anyhow::Result<Driver> {
    let program = std::env::current_exe().context("find this program")?;
    let file = std::fs::File::create(log).with_context(|| format!("create {}", log.display()))?;
    let errors = file
        .try_clone()
        .with_context(|| format!("open {}", log.display()))?;
    let state = sim.state_dir();
    if state.to_string_lossy().contains("{node}") {
        bail!(
            "use {}: a state folder must not have {{node}} in its name; drivers put the node's name there",
            state.display()
        );
    }
    let folder = |name: &str| -> PathBuf { sim.node_dir("{node}").join(name) };
    let mut command = Command::new(program);
    for variable in NOT_FOR_THE_DRIVER {
        command.env_remove(variable);
    }
    command.args(["--log", "info", "driver"]);
    command
        .args(origin.arguments(state)?)
        .args(["--all-nodes", UNTIL_STDIN_CLOSES]);
    command.arg("--kubeconfig").arg(sim.kubeconfig());
    command
        .arg("--registrar-dir")
        .arg(folder("plugins_registry"));
    command.arg("--plugins-dir").arg(folder("plugins"));
    command.arg("--cdi-dir").arg(folder("cdi"));
    command
        .stdin(Stdio::piped())
        .stdout(file)
        .stderr(errors)
        .kill_on_drop(true);
    // Ctrl-C is for us: the driver must serve until the cluster is told to end.
    command.process_group(0);
    let mut process = command.spawn().context("start the driver")?;
    let lifeline = process.stdin.take();
    Ok(Driver {
        process,
        _lifeline: lifeline,
    })
}

fn last_line(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines()
        .rev()
        .find(|l| !l.trim().is_empty())
        .unwrap_or("(none)")
        .to_owned()
}
