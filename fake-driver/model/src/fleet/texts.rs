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
    name: &str,
    says: impl IntoIterator<Item = String>,
    problems: &mut Problems,
) {
    for text in says {
        problems.add(
            item,
            format!("bad name {name:?}: {}", without_value(name, &text)),
        );
    }
}

/// A name, or what Kubernetes says about it.
pub(super) fn label(what: &str, name: &str, says: &[String]) -> Result<String, Wrong> {
    if says.is_empty() {
        return Ok(name.to_owned());
    }
    let says: Vec<&str> = says.iter().map(|text| without_value(name, text)).collect();
    Err(Wrong::plain(format!(
        "bad {what} {name:?}: {}",
        says.join("; ")
    )))
}

/// Some of Kubernetes' texts repeat the name, which stands in ours already.
fn without_value<'t>(name: &str, text: &'t str) -> &'t str {
    text.strip_prefix(&format!("Invalid value: {name:?}: "))
        .unwrap_or(text)
}
