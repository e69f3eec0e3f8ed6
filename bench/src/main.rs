//! What the README claims, measured on this machine: `just bench`.
//!
//! Prints one table of figures beside the bound that each must keep. Nothing here is a test: a slow
//! or busy machine gives other figures, not a failure.

use std::path::PathBuf;

use anyhow::{Context, bail};

mod boot;
mod driver_memory;
mod latency;
mod process;
mod scale;
mod world;

/// One line of the result.
struct Figure {
    what: String,
    measured: String,
    bound: &'static str,
}

impl Figure {
    fn new(what: impl Into<String>, measured: impl Into<String>, bound: &'static str) -> Self {
        Self {
            what: what.into(),
            measured: measured.into(),
            bound,
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let drakit = find_drakit()?;
    // A thousand nodes need a few sockets each.
    rlimit::increase_nofile_limit(u64::MAX).context("raise the limit of open files")?;
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|o| o == name);
    let mut figures = Vec::new();
    if wanted("boot") {
        figures.extend(boot::measure(&drakit).await?);
    }
    if wanted("latency") {
        figures.extend(latency::measure(&drakit).await?);
    }
    if wanted("driver") {
        figures.extend(driver_memory::measure(&drakit).await?);
    }
    if wanted("scale") {
        figures.extend(scale::measure(&drakit).await?);
    }
    print(&figures);
    Ok(())
}

/// The release binary beside this one.
fn find_drakit() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("find this program")?;
    let path = own.with_file_name("drakit");
    if !path.is_file() {
        bail!(
            "{} is missing: cargo build --release first (just bench does)",
            path.display()
        );
    }
    Ok(path)
}

#[expect(
    clippy::print_stdout,
    reason = "the table is the purpose of this program"
)]
fn print(figures: &[Figure]) {
    let width = figures.iter().map(|f| f.what.len()).max().unwrap_or(0);
    println!("{:<width$}  {:>14}  bound", "figure", "measured");
    for figure in figures {
        println!(
            "{:<width$}  {:>14}  {}",
            figure.what, figure.measured, figure.bound
        );
    }
}
