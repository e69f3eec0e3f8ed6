//! `drakit up`: a simulated cluster that stays up.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, bail};
use drakit_sim::SimConfig;
use tokio_util::sync::CancellationToken;

use super::simulated::{Boot, Simulated, nodes};
use crate::exit::Outcome;
use crate::fleet_source::FleetChoice;
use crate::output;
use crate::progress;
use crate::signals::cancel_on_signal;

/// Flags of `drakit up`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    fleet: FleetChoice,

    /// Nodes to make of a profile.
    #[arg(long, default_value_t = 1, conflicts_with = "fleet")]
    nodes: usize,

    /// Names of the nodes of a profile; `{index}` counts from 0.
    #[arg(long, default_value = "node-{index}", conflicts_with = "fleet")]
    node_names: String,

    /// Where sockets, CDI files, logs and the kubeconfig go. A new folder below the temporary one by default.
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,

    /// Where the API server listens; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Multiplies the waiting times of the emulated control plane and kubelets (back-offs, retries, wipe delay).
    #[arg(long, default_value_t = 1.0)]
    time_scale: f64,

    /// Decides uids and generated names. Random by default.
    #[arg(long)]
    seed: Option<u64>,

    /// Start no driver: bring your own. The folders of each node are printed.
    #[arg(long)]
    no_driver: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let runtime = tokio::runtime::Runtime::new().context("start the runtime")?;
    runtime.block_on(stay_up(args))
}

async fn stay_up(args: Args) -> anyhow::Result<Outcome> {
    let Args {
        fleet,
        nodes: count,
        node_names,
        state_dir,
        listen,
        time_scale,
        seed,
        no_driver,
    } = args;
    if !(time_scale.is_finite() && time_scale > 0.0) {
        bail!("--time-scale {time_scale} must be a number above 0");
    }
    let interrupt = CancellationToken::new();
    cancel_on_signal(interrupt.clone())?;
    let (fleet, origin) = fleet.load(&node_names, count)?;
    let plan = fleet.plan();
    let mut config = SimConfig::new(nodes(&plan));
    config.address = listen;
    config.time_scale = time_scale;
    config.state_dir = state_dir;
    config.seed = seed.unwrap_or(config.seed);
    let boot = Boot {
        plan: &plan,
        origin: &origin,
        config,
        with_driver: !no_driver,
    };
    let mut running =
        progress::shown("starting the cluster", Simulated::boot(boot, &interrupt)).await?;
    let told = welcome(&running, plan.nodes.len(), no_driver);
    let ended = stay(&mut running, &told, &interrupt).await;
    running.stop().await?;
    ended
}

async fn stay(
    running: &mut Simulated,
    welcome: &str,
    interrupt: &CancellationToken,
) -> anyhow::Result<Outcome> {
    if !interrupt.is_cancelled() {
        output::print(welcome)?;
    }
    tokio::select! {
        () = interrupt.cancelled() => Ok(Outcome::Done),
        why = running.ended() => bail!("the cluster stopped by itself: {why}"),
    }
}

fn welcome(running: &Simulated, nodes: usize, no_driver: bool) -> String {
    let sim = &running.sim;
    let plural = if nodes == 1 { "" } else { "s" };
    let up = format!(
        "simulated Kubernetes v1.37.2 with {nodes} node{plural} is up; Ctrl-C ends it\n\nexport KUBECONFIG={}\nkubectl get nodes,resourceslices,deviceclasses\n",
        for_shell(&sim.kubeconfig().display().to_string()),
    );
    if !no_driver {
        return up;
    }
    let folder = sim.node_dir("NODE");
    format!(
        "{up}\nno driver was started; a driver for NODE uses\n  {0}/plugins_registry\n  {0}/plugins\n  {0}/cdi\n",
        folder.display()
    )
}

/// A word that a shell reads as it is.
fn for_shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%=".contains(c);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_split_or_expand_them() {
        assert_eq!(
            for_shell("/tmp/drakit-a.1/kubeconfig"),
            "/tmp/drakit-a.1/kubeconfig"
        );
        assert_eq!(for_shell("/my lab/$x"), "'/my lab/$x'");
        assert_eq!(for_shell("it's"), r"'it'\''s'");
    }
}
