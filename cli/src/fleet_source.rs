//! Where a fleet comes from: a file, or a profile by name.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use drakit_driver_model::Fleet;

/// Seed of fleets that are made from a profile.
const PROFILE_SEED: u64 = 1;
/// The most bytes of a fleet file. Fleets count with templates, so that a thousand nodes are a few lines.
const MAX_FILE: u64 = 16 << 20;
/// The copy of a fleet file that a driver's process reads.
const DRIVER_COPY: &str = "driver-fleet.yaml";

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

/// What a fleet was made from, so that another process can make the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FleetOrigin {
    /// The text of a file.
    Text(String),
    /// A profile.
    Profile {
        name: String,
        node_names: String,
        nodes: usize,
    },
}

impl FleetOrigin {
    /// Flags for a driver's process. A text goes into a file in `folder`: the file that it came from
    /// may change, or may have been a pipe.
    pub(crate) fn arguments(&self, folder: &Path) -> anyhow::Result<Vec<String>> {
        match self {
            Self::Text(text) => {
                let copy = folder.join(DRIVER_COPY);
                let shown = copy.display().to_string();
                std::fs::write(&copy, text).with_context(|| format!("write {shown}"))?;
                Ok(vec!["--fleet".into(), shown])
            }
            Self::Profile {
                name,
                node_names,
                nodes,
            } => Ok(vec![
                "--profile".into(),
                name.clone(),
                "--nodes".into(),
                nodes.to_string(),
                "--node-names".into(),
                node_names.clone(),
            ]),
        }
    }
}

impl FleetChoice {
    /// Reads the file, or makes `nodes` nodes of the profile, named `name` (with `{index}`).
    pub(crate) fn load(&self, name: &str, nodes: usize) -> anyhow::Result<(Fleet, FleetOrigin)> {
        if let Some(path) = &self.fleet {
            let shown = path.display().to_string();
            let text = read(path).with_context(|| format!("read fleet file {shown}"))?;
            let fleet = Fleet::parse(&shown, &text)?;
            return Ok((fleet, FleetOrigin::Text(text)));
        }
        let profile = self
            .profile
            .as_deref()
            .context("neither --fleet nor --profile is given")?;
        let fleet = Fleet::from_profile(profile, name, nodes, PROFILE_SEED)?;
        let origin = FleetOrigin::Profile {
            name: profile.into(),
            node_names: name.into(),
            nodes,
        };
        Ok((fleet, origin))
    }
}

/// Reads a file that may be a device or a pipe without an end.
fn read(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(MAX_FILE + 1)
        .read_to_string(&mut text)?;
    let length = u64::try_from(text.len())?;
    ensure!(
        length <= MAX_FILE,
        "it is longer than {} MiB",
        MAX_FILE >> 20
    );
    Ok(text)
}
