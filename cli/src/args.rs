//! Arguments. Every flag parses itself; commands get them whole.

use clap::{Parser, Subcommand};

use crate::commands::{demo, driver, profiles, render, up};
use crate::exit::Outcome;
use crate::logging;

/// Test kit for Kubernetes Dynamic Resource Allocation (DRA): emulated drivers for GPUs, NICs and
/// RDMA devices, and a simulated cluster for them that needs nothing installed.
#[derive(Debug, Parser)]
#[command(name = "drakit", version, after_help = AFTER)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    /// What to log to standard error, for example `info` or `drakit_driver_plugin=debug`.
    #[arg(
        long,
        global = true,
        env = "DRAKIT_LOG",
        // kube logs what its callers report anyway, once for each attempt.
        default_value = "warn,kube_client=off",
        hide_default_value = true
    )]
    log: String,

    /// Logs as JSON, one object a line.
    #[arg(long, global = true, env = "DRAKIT_LOG_JSON")]
    log_json: bool,
}

const AFTER: &str =
    "Exit codes: 0 done; 1 a check failed; 2 wrong usage; 4 bad input, or it cannot be done here.

Examples:
  drakit demo                                     run every example in a simulated cluster
  drakit up --profile dgx-h100 --nodes 3          a simulated cluster that stays up
  drakit render --profile dgx-h100 -o yaml        the ResourceSlices of a DGX H100
  drakit driver --profile demo-gpu --node-name n  an emulated driver for a real kubelet";

#[derive(Debug, Subcommand)]
enum Command {
    /// Boot a simulated cluster, run every example in it, and print what each pod got.
    Demo(demo::Args),
    /// Boot a simulated cluster with emulated drivers and keep it up.
    Up(up::Args),
    /// Serve emulated devices to kubelets: sockets, CDI files, ResourceSlices.
    Driver(driver::Args),
    /// Print the ResourceSlices and DeviceClasses of a fleet or profile.
    Render(render::Args),
    /// List the built-in profiles, or show one as YAML.
    Profiles(profiles::Args),
}

impl Cli {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let Self {
            command,
            log,
            log_json,
        } = self;
        logging::start(&log, log_json)?;
        match command {
            Command::Demo(args) => demo::run(args),
            Command::Up(args) => up::run(args),
            Command::Driver(args) => driver::run(args),
            Command::Render(args) => render::run(&args),
            Command::Profiles(args) => profiles::run(&args),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
