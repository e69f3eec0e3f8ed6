//! What the two layers of validation find, and how they become one list.
//!
//! Kubernetes validates by hand-written code first, then by code generated from
//! markers. Where a hand-written check says that a marker covers it and the marker
//! agrees (same kind, field and origin), only the marker's text is shown.
//! (`k8s.io/apiserver/pkg/registry/rest/validate.go`)

use std::collections::BTreeSet;

use crate::field::{ErrorKind, FieldError};

/// One finding of a layer.
struct Finding {
    error: FieldError,
    origin: &'static str,
    /// By hand: a marker covers this. Declared: the marker is beta, so it replaces.
    paired: bool,
}

/// The findings of one layer, in order.
#[derive(Default)]
pub(super) struct Findings(Vec<Finding>);

/// How far a marker has come in Kubernetes. Those of alpha level are never shown,
/// and therefore not here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// Replaces the covered hand-written finding.
    Beta,
    /// Has no hand-written twin.
    Stable,
}

impl Findings {
    /// A finding that the other layer does not know.
    pub(super) fn add(&mut self, error: FieldError) {
        self.push("", false, error);
    }

    /// Findings that the other layer does not know.
    pub(super) fn all(&mut self, errors: Vec<FieldError>) {
        for error in errors {
            self.add(error);
        }
    }

    /// A hand-written finding that a marker covers.
    pub(super) fn covered(&mut self, origin: &'static str, error: FieldError) {
        self.push(origin, true, error);
    }

    /// Hand-written findings that a marker covers.
    pub(super) fn all_covered(&mut self, origin: &'static str, errors: Vec<FieldError>) {
        for error in errors {
            self.covered(origin, error);
        }
    }

    /// A finding of a marker.
    pub(super) fn declared(&mut self, level: Level, origin: &'static str, error: FieldError) {
        self.push(origin, level == Level::Beta, error);
    }

    fn push(&mut self, origin: &'static str, paired: bool, error: FieldError) {
        self.0.push(Finding {
            error,
            origin,
            paired,
        });
    }
}

/// The list that the user sees: hand-written findings, without repeats and without
/// those that a marker replaces, then the markers' findings.
pub(super) fn merge(by_hand: Findings, declared: Findings) -> Vec<FieldError> {
    if by_hand.0.is_empty() && declared.0.is_empty() {
        return Vec::new();
    }
    let replacing: BTreeSet<(ErrorKind, &str, &str)> = declared
        .0
        .iter()
        .filter(|finding| finding.paired)
        .filter_map(identity)
        .collect();
    let is_replaced = |finding: &Finding| {
        finding.paired && identity(finding).is_some_and(|key| replacing.contains(&key))
    };
    let mut shown = BTreeSet::new();
    let mut errors = Vec::new();
    for finding in by_hand.0 {
        if shown.insert(finding.error.to_string()) && !is_replaced(&finding) {
            errors.push(finding.error);
        }
    }
    errors.extend(declared.0.into_iter().map(|finding| finding.error));
    errors
}

/// What must agree. An invalid value without an origin agrees with nothing.
fn identity(finding: &Finding) -> Option<(ErrorKind, &str, &str)> {
    if finding.error.kind == ErrorKind::Invalid && finding.origin.is_empty() {
        return None;
    }
    Some((
        finding.error.kind,
        finding.error.field.as_str(),
        finding.origin,
    ))
}
