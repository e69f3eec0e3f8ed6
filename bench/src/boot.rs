//! The main job: `drakit demo`, and how long the cluster of the examples needs to be ready.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use tokio::process::Command;

use crate::Figure;

/// Runs that are measured; the best and the median are shown.
const RUNS: usize = 5;

pub(crate) async fn measure(drakit: &Path) -> anyhow::Result<Vec<Figure>> {
    let (mut totals, mut boots) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let start = Instant::now();
        let output = Command::new(drakit)
            .arg("demo")
            .output()
            .await
            .context("run drakit demo")?;
        totals.push(start.elapsed().as_secs_f64());
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            bail!("drakit demo failed:\n{text}");
        }
        let ready = text
            .lines()
            .next()
            .and_then(|l| l.rsplit(" ready in ").next())
            .unwrap_or("");
        boots.push(
            ready
                .trim_end_matches(" ms")
                .parse::<f64>()
                .with_context(|| format!("read {ready:?}"))?,
        );
    }
    totals.sort_by(f64::total_cmp);
    boots.sort_by(f64::total_cmp);
    Ok(vec![
        Figure::new(
            "drakit demo, all examples (median of 5)",
            format!("{:.2} s", totals[RUNS / 2]),
            "< 10 s",
        ),
        Figure::new(
            "cluster of the examples ready (median of 5)",
            format!("{:.0} ms", boots[RUNS / 2]),
            "< 500 ms",
        ),
    ])
}
