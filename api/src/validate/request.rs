//! Requests of a claim.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::cel;
use super::checks::{CelUse, Checks};
use super::findings::Findings;
use super::items::{self, Cover};
use super::taint;
use super::view;
use crate::field::{BadValue, FieldError, FieldPath};
use crate::limits;
use crate::names::check;

const ONE_OF: &str = "exactly one of `exactly` or `firstAvailable` is required";
const UNREFERENCED: &str = "must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this request";

/// Which attributes the constraints of a claim use, by request reference; `""`
/// stands for all requests.
struct ConstraintAttributes<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> ConstraintAttributes<'a> {
    fn of(devices: &'a Value) -> Self {
        let mut attributes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for constraint in view::list(devices, "constraints") {
            let attribute = view::optional_text(constraint, "matchAttribute")
                .or_else(|| view::optional_text(constraint, "distinctAttribute"));
            let Some(attribute) = attribute else {
                continue;
            };
            if view::list(constraint, "requests").is_empty() {
                attributes.entry("").or_default().insert(attribute);
            }
            for request in view::texts(constraint, "requests") {
                attributes.entry(request).or_default().insert(attribute);
            }
        }
        Self(attributes)
    }

    fn has(&self, attribute: &str, request: &str) -> bool {
        let parent = request.split_once('/').map(|(parent, _)| parent);
        let mut targets = ["", request].into_iter().chain(parent);
        targets.any(|target| {
            self.0
                .get(target)
                .is_some_and(|names| names.contains(attribute))
        })
    }
}

/// The checks of one claim's requests.
struct Requests<'a> {
    checks: &'a Checks<'a>,
    attributes: ConstraintAttributes<'a>,
    /// Estimated cost of all derived attributes.
    cost: u64,
}

/// `requests` of a `DeviceClaim`; the cost of its derived attributes.
pub(super) fn requests(
    devices: &Value,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) -> u64 {
    let mut requests = Requests {
        checks,
        attributes: ConstraintAttributes::of(devices),
        cost: 0,
    };
    items::each_unique(
        view::list(devices, "requests"),
        limits::DEVICE_REQUESTS_MAX_SIZE,
        &path.child("requests"),
        Cover::SizeAndUniqueness,
        out,
        |request| view::text(request, "name").to_owned(),
        |request, path, out| requests.request(request, path, out),
    );
    requests.cost
}

impl Requests<'_> {
    fn request(&mut self, request: &Value, path: &FieldPath<'_>, out: &mut Findings) {
        let name = view::text(request, "name");
        out.all(check::dns1123_label(name, &path.child("name")));
        let exactly = view::present(request, "exactly");
        let alternatives = view::list(request, "firstAvailable");
        match (exactly, alternatives.is_empty()) {
            (None, true) => out.add(FieldError::required(path, ONE_OF)),
            (Some(_), false) => out.add(FieldError::invalid(
                path,
                BadValue::Plain("null".to_owned()),
                format!("{ONE_OF}, but multiple fields are set"),
            )),
            (Some(exactly), true) => {
                let path = path.child("exactly");
                device_class(exactly, false, &path, out);
                self.details(exactly, name, &path, out);
            }
            (None, false) => items::each_unique(
                alternatives,
                limits::FIRST_AVAILABLE_DEVICE_REQUEST_MAX_SIZE,
                &path.child("firstAvailable"),
                Cover::SizeAndUniqueness,
                out,
                |request| view::text(request, "name").to_owned(),
                |request, path, out| {
                    let own = view::text(request, "name");
                    out.all(check::dns1123_label(own, &path.child("name")));
                    device_class(request, true, path, out);
                    self.details(request, &format!("{name}/{own}"), path, out);
                },
            ),
        }
    }

    /// What exact requests and alternatives have in common, after the class.
    fn details(&mut self, request: &Value, name: &str, path: &FieldPath<'_>, out: &mut Findings) {
        cel::selectors(request, false, path, self.checks, out);
        self.derived_attributes(request, name, path, out);
        allocation_mode(request, path, out);
        taint::tolerations(request, path, out);
    }

    fn derived_attributes(
        &mut self,
        request: &Value,
        name: &str,
        path: &FieldPath<'_>,
        out: &mut Findings,
    ) {
        items::each_unique(
            view::list(request, "derivedAttributes"),
            usize::MAX,
            &path.child("derivedAttributes"),
            Cover::Nothing,
            out,
            |attribute| view::text(attribute, "name").to_owned(),
            |attribute, path, out| {
                let own = view::text(attribute, "name");
                if !own.is_empty() && !self.attributes.has(own, name) {
                    let path = path.child("name");
                    out.add(FieldError::invalid(
                        &path,
                        BadValue::json(&own),
                        UNREFERENCED,
                    ));
                }
                let text = view::text(attribute, "expression");
                if !text.is_empty() {
                    let path = path.child("expression");
                    let cost =
                        cel::expression(text, CelUse::DerivedAttribute, &path, self.checks, out);
                    self.cost = self.cost.saturating_add(cost);
                }
            },
        );
    }
}

fn device_class(request: &Value, covered: bool, path: &FieldPath<'_>, out: &mut Findings) {
    let (class, path) = (
        view::text(request, "deviceClassName"),
        path.child("deviceClassName"),
    );
    let (origin, errors) = if class.is_empty() {
        ("", vec![FieldError::required(&path, "")])
    } else {
        (
            "format=k8s-long-name",
            check::dns1123_subdomain(class, &path),
        )
    };
    if covered {
        out.all_covered(origin, errors);
    } else {
        out.all(errors);
    }
}

fn allocation_mode(request: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let (mode, count) = (
        view::text(request, "allocationMode"),
        view::number(request, "count"),
    );
    let at_count = path.child("count");
    match mode {
        "All" if count != 0 => out.add(FieldError::invalid(
            &at_count,
            count,
            "must not be specified when allocationMode is 'All'",
        )),
        "ExactCount" if count <= 0 => {
            out.add(FieldError::invalid(
                &at_count,
                count,
                "must be greater than zero",
            ));
        }
        "All" | "ExactCount" => {}
        other => out.covered(
            "",
            FieldError::not_supported(
                &path.child("allocationMode"),
                BadValue::json(&other),
                &["All", "ExactCount"],
            ),
        ),
    }
}
