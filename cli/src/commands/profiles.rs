//! `drakit profiles`.

use anyhow::Context;
use drakit_driver_model::catalogue::{PROFILES, find, names};

use crate::exit::Outcome;
use crate::output;

/// Flags of `drakit profiles`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show this profile as it could stand in a fleet file.
    name: Option<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if let Some(name) = &args.name {
        let profile = find(name).with_context(|| {
            format!(
                "there is no profile {name:?}; there are: {}",
                names(None).join(", ")
            )
        })?;
        output::print(&profile.source())?;
        return Ok(Outcome::Done);
    }
    let rows = PROFILES
        .iter()
        .map(|p| vec![p.name.to_owned(), p.description.to_owned()]);
    output::print(&output::table(&["NAME", "DESCRIPTION"], rows))?;
    Ok(Outcome::Done)
}
