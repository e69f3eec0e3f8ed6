//! `drakit`: test kit for Kubernetes Dynamic Resource Allocation.

use std::process::ExitCode;

use clap::Parser;

mod args;
mod commands;
mod exit;
mod fleet_source;
mod logging;
mod output;
mod progress;
mod signals;

fn main() -> ExitCode {
    exit::report(args::Cli::parse().run())
}
