//! Where a fleet comes from: a file, or a profile by name.

use std::path::PathBuf;

use anyhow::Context;
use drakit_driver_model::Fleet;

/// Seed of fleets that are made from a profile.
const PROFILE_SEED: u64 = 1;

/// The flags that choose a fleet.
#[derive(Debug, Clone, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct FleetChoice {
    /// A fleet file.
    #[arg(long, value_name = "FILE", env = "DRAKIT_FLEET")]
    pub(crate) fleet: Option<PathBuf>,

    /// A built-in profile; `drakit profiles` lists them.
    #[arg(long, value_name = "NAME", env = "DEVICE_PROFILE")]
    pub(crate) profile: Option<String>,
}

/// A fleet and the arguments that make another process read the same one.
pub(crate) struct LoadedFleet {
    pub(crate) fleet: Fleet,
    pub(crate) arguments: Vec<String>,
}

impl FleetChoice {
    /// Reads the file, or makes `nodes` nodes of the profile, named `name` (with `{index}`).
    pub(crate) fn load(&self, name: &str, nodes: usize) -> anyhow::Result<LoadedFleet> {
        if let Some(path) = &self.fleet {
            let shown = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("read fleet file {shown}"))?;
            let fleet = Fleet::parse(&shown, &text)?;
            return Ok(LoadedFleet {
                fleet,
                arguments: vec!["--fleet".into(), shown],
            });
        }
        let profile = self
            .profile
            .as_deref()
            .context("neither --fleet nor --profile is given")?;
        let fleet = Fleet::from_profile(profile, name, nodes, PROFILE_SEED)?;
        let arguments = vec![
            "--profile".into(),
            profile.into(),
            "--nodes".into(),
            nodes.to_string(),
            "--node-names".into(),
            name.into(),
        ];
        Ok(LoadedFleet { fleet, arguments })
    }
}
