//! Names and lists of strings.

use super::table::Wrong;
use crate::yaml::reader::{Item, Problems};

/// A list of strings.
pub(super) fn strings(item: &Item<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    let items = item.list(problems, "strings")?;
    items
        .iter()
        .map(|item| item.string(problems).map(str::to_owned))
        .collect()
}

/// What Kubernetes says about a name becomes one problem each.
pub(super) fn check_names(
    item: &Item<'_>,
    says: impl IntoIterator<Item = String>,
    problems: &mut Problems,
) {
    for text in says {
        problems.add(item, format!("bad name: {text}"));
    }
}

/// A name, or what Kubernetes says about it.
pub(super) fn label(what: &str, name: &str, says: &[String]) -> Result<String, Wrong> {
    if says.is_empty() {
        return Ok(name.to_owned());
    }
    Err(Wrong::new(format!("bad {what} {name:?}"), says.join("; ")))
}
