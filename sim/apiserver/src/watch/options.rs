//! What a watch starts with and how it ends.

use std::time::Duration;

use drakit_api::{FieldError, FieldPath};

use crate::call::Call;
use crate::failure::Failure;
use crate::query::invalid_option;

/// `--min-request-timeout` of kube-apiserver: an unlimited watch ends between this and twice this.
const MIN_LIFETIME_SECONDS: u64 = 1800;

/// Where a watch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// With the state as `ADDED` events, `marked` by a bookmark after them (`sendInitialEvents`).
    State { marked: bool },
    /// With what happened after this version.
    After(u64),
}

/// Options of one watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WatchOptions {
    pub(crate) start: Start,
    /// The state must be at least this new.
    pub(crate) minimum: u64,
    pub(crate) bookmarks: bool,
    pub(crate) lifetime: Duration,
}

impl WatchOptions {
    /// Reads and checks them (`validateWatchOptions`).
    pub(crate) fn read(call: &Call<'_>) -> Result<Self, Failure> {
        let query = &call.query;
        let initial = query.flag("sendInitialEvents");
        check(
            initial.is_some(),
            query.text("resourceVersionMatch"),
            query.text("continue").is_some(),
        )?;
        let bookmarks = query.flag("allowWatchBookmarks") == Some(true);
        let version = query.version()?;
        let start = match (initial, version) {
            (Some(true), _) => Start::State { marked: bookmarks },
            (None, None | Some(0)) => Start::State { marked: false },
            (Some(false), None | Some(0)) => Start::After(call.app.store.version()),
            (Some(false) | None, Some(version)) => Start::After(version),
        };
        let lifetime = match query
            .number("timeoutSeconds")?
            .and_then(|s| u64::try_from(s).ok())
        {
            Some(seconds) if seconds > 0 => Duration::from_secs(seconds),
            _ => {
                // Kubernetes draws the rest by lot, so that watches do not all end at once.
                let spread = call.app.store.version() % MIN_LIFETIME_SECONDS;
                Duration::from_secs(MIN_LIFETIME_SECONDS + spread)
            }
        };
        Ok(Self {
            start,
            minimum: version.unwrap_or(0),
            bookmarks,
            lifetime,
        })
    }
}

fn check(initial: bool, rule: Option<&str>, continued: bool) -> Result<(), Failure> {
    const FIELD: &str = "resourceVersionMatch";
    let forbidden = |why: &str| {
        Err(invalid_option(
            "ListOptions",
            &FieldError::forbidden(&FieldPath::new(FIELD), why),
        ))
    };
    match rule {
        None if initial => {
            forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
        }
        Some(_) if !initial => forbidden(
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
        Some(_) if continued => {
            forbidden("resourceVersionMatch is forbidden when continue is provided")
        }
        None | Some("NotOlderThan") => Ok(()),
        Some(_) => {
            forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn initial_events_need_a_version_match_and_the_other_way_round() {
        assert!(check(true, Some("NotOlderThan"), false).is_ok());
        assert!(check(true, None, false).is_err());
        assert!(check(false, Some("NotOlderThan"), false).is_err());
        assert!(check(false, None, false).is_ok());
    }
}
