//! Claims and templates.

use serde_json::Value;

use super::formats;
use super::markers::{self, Parent};
use super::{status, taint};
use crate::field::{BadValue, FieldError, FieldPath};
use crate::limits;
use crate::validate::findings::{Findings, Level};
use crate::validate::meta::IMMUTABLE;
use crate::validate::{shape, view};

/// A `ResourceClaim`.
pub(in crate::validate) fn resource_claim(new: &Value, old: Option<&Value>) -> Findings {
    let mut out = Findings::default();
    let (spec, old_spec) = parts(new, old, "spec");
    let path = FieldPath::new("spec");
    match old_spec {
        None => claim_spec(spec, &path, &mut out),
        Some(old) if !shape::same(&shape::RESOURCE_CLAIM_SPEC, spec, old) => {
            let shown = BadValue::Plain("null".to_owned());
            let error = FieldError::invalid(&path, shown, IMMUTABLE);
            out.declared(Level::Beta, "immutable", error);
        }
        Some(_) => {}
    }
    let (new, old) = parts(new, old, "status");
    let path = &FieldPath::new("status");
    status::status(
        &Parent {
            shape: &shape::RESOURCE_CLAIM_STATUS,
            new,
            old,
            path,
        },
        &mut out,
    );
    out
}

/// A `ResourceClaimTemplate`.
pub(in crate::validate) fn resource_claim_template(new: &Value, old: Option<&Value>) -> Findings {
    let mut out = Findings::default();
    let (spec, old_spec) = parts(new, old, "spec");
    let (spec, old_spec) = parts(spec, old_spec, "spec");
    let path = FieldPath::new("spec");
    let path = path.child("spec");
    let (new, old) = parts(spec, old_spec, "devices");
    device_claim(new, old, &path.child("devices"), &mut out);
    out
}

fn parts<'a>(new: &'a Value, old: Option<&'a Value>, name: &str) -> (&'a Value, Option<&'a Value>) {
    (view::part(new, name), old.map(|old| view::part(old, name)))
}

fn claim_spec(spec: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    device_claim(
        view::part(spec, "devices"),
        None,
        &path.child("devices"),
        out,
    );
}

fn device_claim(new: &Value, old: Option<&Value>, path: &FieldPath<'_>, out: &mut Findings) {
    let claim = Parent {
        shape: &shape::DEVICE_CLAIM,
        new,
        old,
        path,
    };
    let requests = claim.items(
        "requests",
        limits::DEVICE_REQUESTS_MAX_SIZE,
        Level::Beta,
        out,
    );
    let at_requests = path.child("requests");
    let name = |request| view::text(request, "name");
    let shown = |request| shape::wire_json(&shape::DEVICE_REQUEST, request);
    markers::unique(requests, name, shown, &at_requests, Level::Beta, out);
    let old = claim.old_part("requests");
    markers::each_by_key(
        requests,
        old,
        &shape::DEVICE_REQUEST,
        name,
        &at_requests,
        out,
        request,
    );

    let max = limits::DEVICE_CONSTRAINTS_MAX_SIZE;
    let constraints = claim.items("constraints", max, Level::Beta, out);
    let at_constraints = path.child("constraints");
    markers::each(
        constraints,
        &shape::DEVICE_CONSTRAINT,
        &at_constraints,
        out,
        |constraint, out| {
            constraint.text_set("requests", limits::DEVICE_REQUESTS_MAX_SIZE, out);
            for name in ["matchAttribute", "distinctAttribute"] {
                constraint.pointer_text(name, Level::Beta, formats::fully_qualified_name, out);
            }
        },
    );

    let config = claim.items("config", limits::DEVICE_CONFIG_MAX_SIZE, Level::Beta, out);
    let at_config = path.child("config");
    markers::each(
        config,
        &shape::DEVICE_CLAIM_CONFIGURATION,
        &at_config,
        out,
        |config, out| {
            config.text_set("requests", limits::DEVICE_REQUESTS_MAX_SIZE, out);
            opaque(config, out);
        },
    );
}

/// `opaque` of a configuration.
pub(super) fn opaque(config: &Parent<'_>, out: &mut Findings) {
    if let Some(new) = view::present(config.new, "opaque") {
        let shape = &shape::OPAQUE_DEVICE_CONFIGURATION;
        let old = config.old.and_then(|old| view::present(old, "opaque"));
        let path = &config.path.child("opaque");
        let opaque = Parent {
            shape,
            new,
            old,
            path,
        };
        opaque.required_text("driver", Level::Beta, Some(formats::driver_name), out);
    }
}

fn request(request: &Parent<'_>, out: &mut Findings) {
    if let Some(new) = view::present(request.new, "exactly")
        && request.changed("exactly")
    {
        let old = request.old.and_then(|old| view::present(old, "exactly"));
        let path = &request.path.child("exactly");
        details(
            &Parent {
                shape: &shape::EXACT_DEVICE_REQUEST,
                new,
                old,
                path,
            },
            out,
        );
    }
    let name = "firstAvailable";
    let max = limits::FIRST_AVAILABLE_DEVICE_REQUEST_MAX_SIZE;
    let alternatives = request.items(name, max, Level::Beta, out);
    let path = request.path.child(name);
    let shape = &shape::DEVICE_SUB_REQUEST;
    let key = |request| view::text(request, "name");
    let shown = |request| shape::wire_json(shape, request);
    markers::unique(alternatives, key, shown, &path, Level::Beta, out);
    let old = request.old_part(name);
    markers::each_by_key(alternatives, old, shape, key, &path, out, |request, out| {
        request.required_text(
            "deviceClassName",
            Level::Beta,
            Some(formats::long_name),
            out,
        );
        details(request, out);
    });
}

fn details(request: &Parent<'_>, out: &mut Findings) {
    request.items(
        "selectors",
        limits::DEVICE_SELECTORS_MAX_SIZE,
        Level::Beta,
        out,
    );
    request.one_of("allocationMode", &["All", "ExactCount"], out);
    taint::tolerations(request, out);
    let max = limits::DEVICE_DERIVED_ATTRIBUTES_MAX_SIZE;
    let attributes = request.items("derivedAttributes", max, Level::Stable, out);
    let path = request.path.child("derivedAttributes");
    markers::each(
        attributes,
        &shape::DEVICE_DERIVED_ATTRIBUTE,
        &path,
        out,
        |attribute, out| {
            let format = Some(formats::fully_qualified_name as formats::Format);
            attribute.required_text("name", Level::Stable, format, out);
            attribute.required_text("expression", Level::Stable, None, out);
        },
    );
}
