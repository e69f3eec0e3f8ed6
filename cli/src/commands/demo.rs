//! `drakit demo`: every example, and what each pod got.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use drakit_cluster_cases::examples;
use drakit_driver_model::Fleet;
use drakit_kit::{Case, Cluster, KubeconfigCluster, Outcome as CaseOutcome, Verdict, runner};
use drakit_sim::SimConfig;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::simulated::{Boot, Simulated, nodes};
use crate::exit::Outcome;
use crate::fleet_source::FleetOrigin;
use crate::output;
use crate::progress;
use crate::signals::cancel_on_signal;

/// Waiting times of the control plane, shortened: nothing in the examples is about them.
const TIME_SCALE: f64 = 0.1;

/// Flags of `drakit demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these examples, by the names of their folders.
    examples: Vec<String>,

    /// Run on this cluster instead of a simulated one. Its driver must publish what examples/fleet.yaml describes.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// How to print: text for people, or JSON.
    #[arg(short, long, value_enum, default_value = "text")]
    output: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let runtime = tokio::runtime::Runtime::new().context("start the runtime")?;
    runtime.block_on(demo(args))
}

async fn demo(args: Args) -> anyhow::Result<Outcome> {
    let Args {
        examples: wanted,
        kubeconfig,
        output,
    } = args;
    let cases = choose(&wanted)?;
    let interrupt = CancellationToken::new();
    cancel_on_signal(interrupt.clone())?;
    if let Some(path) = kubeconfig {
        let cluster = KubeconfigCluster::from_file(&path).await?;
        let version = cluster.client().apiserver_version().await;
        version.with_context(|| format!("reach the API server of {}", path.display()))?;
        return show(&cluster, &cases, output, &interrupt).await;
    }
    let start = Instant::now();
    let running = progress::shown("starting the cluster", boot(&interrupt)).await?;
    let ready = start.elapsed();
    let shown = show_simulated(&running, ready, &cases, output, &interrupt).await;
    running.stop().await?;
    shown
}

async fn show_simulated(
    running: &Simulated,
    ready: Duration,
    cases: &[&Case],
    format: Format,
    interrupt: &CancellationToken,
) -> anyhow::Result<Outcome> {
    if interrupt.is_cancelled() {
        bail!("interrupted before the first example");
    }
    if format == Format::Text {
        output::print(&format!(
            "simulated Kubernetes v1.37.2: API, nodes, driver and slices ready in {} ms\n\n",
            ready.as_millis()
        ))?;
    }
    show(&running.sim, cases, format, interrupt).await
}

fn choose(wanted: &[String]) -> anyhow::Result<Vec<&'static Case>> {
    let known = || {
        examples::ALL
            .iter()
            .map(|c| c.id)
            .collect::<Vec<_>>()
            .join(", ")
    };
    for name in wanted {
        if !examples::ALL.iter().any(|c| c.id == name) {
            bail!("there is no example {name:?}; there are: {}", known());
        }
    }
    Ok(examples::ALL
        .iter()
        .filter(|c| wanted.is_empty() || wanted.iter().any(|w| w == c.id))
        .collect())
}

async fn boot(interrupt: &CancellationToken) -> anyhow::Result<Simulated> {
    let plan = Fleet::parse("examples/fleet.yaml", examples::FLEET)?.plan();
    let mut config = SimConfig::new(nodes(&plan));
    config.time_scale = TIME_SCALE;
    let boot = Boot {
        plan: &plan,
        origin: &FleetOrigin::Text(examples::FLEET.to_owned()),
        config,
        with_driver: true,
    };
    Simulated::boot(boot, interrupt).await
}

async fn show(
    cluster: &dyn Cluster,
    cases: &[&Case],
    format: Format,
    interrupt: &CancellationToken,
) -> anyhow::Result<Outcome> {
    let mut outcomes = Vec::new();
    for case in cases {
        let run = runner::run(cluster, case, interrupt.cancelled());
        let outcome = progress::shown(case.id, run).await;
        if interrupt.is_cancelled() {
            bail!("interrupted in {}", case.id);
        }
        if format == Format::Text {
            output::print(&text(&outcome))?;
        }
        outcomes.push(outcome);
    }
    let failed = outcomes.iter().filter(|o| !o.passed()).count();
    match format {
        Format::Text => output::print(&format!(
            "{} examples passed, {failed} failed\n",
            outcomes.len() - failed
        ))?,
        Format::Json => output::print(&output::json(&as_json(cluster.name(), &outcomes))?)?,
    }
    Ok(if failed == 0 {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}

fn text(outcome: &CaseOutcome) -> String {
    let verdict = output::verdict(outcome.passed());
    let mut lines = vec![
        format!(
            "{:<24} {verdict}  {:.2} s",
            outcome.id,
            outcome.took.as_secs_f64()
        ),
        format!("  {}", outcome.requirement),
    ];
    if let Verdict::Fail(why) = &outcome.verdict {
        lines.push(format!("  {why}"));
    }
    lines.extend(
        outcome
            .findings
            .0
            .iter()
            .map(|(subject, what)| format!("    {subject}: {what}")),
    );
    lines.join("\n") + "\n\n"
}

fn as_json(cluster: &str, outcomes: &[CaseOutcome]) -> Value {
    let one = |o: &CaseOutcome| {
        let findings =
            |(subject, what): &(String, String)| json!({"subject": subject, "got": what});
        let reason = match &o.verdict {
            Verdict::Pass => Value::Null,
            Verdict::Fail(why) => json!(why),
        };
        json!({
            "example": o.id,
            "requirement": o.requirement,
            "passed": o.passed(),
            "reason": reason,
            "seconds": o.took.as_secs_f64(),
            "findings": o.findings.0.iter().map(findings).collect::<Vec<_>>(),
        })
    };
    json!({"cluster": cluster, "examples": outcomes.iter().map(one).collect::<Vec<_>>()})
}
