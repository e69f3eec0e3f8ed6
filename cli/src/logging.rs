//! Logs go to standard error, so that output stays clean.

use anyhow::Context;
use tracing_subscriber::EnvFilter;

pub(crate) fn start(filter: &str, json: bool) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter)
        .with_context(|| format!("--log {filter:?} is not a valid log filter"))?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = if json {
        builder.json().try_init()
    } else {
        builder.with_ansi(false).try_init()
    };
    started.map_err(|error| anyhow::anyhow!("start logging: {error}"))
}
