//! Claims and templates of claims.

use serde_json::Value;

use super::checks::Checks;
use super::config::{self, RequestNames};
use super::declared;
use super::findings::{Findings, merge};
use super::items::{self, Cover};
use super::meta::{self, IMMUTABLE, Naming};
use super::request;
use super::shape;
use super::view;
use crate::field::{FieldError, FieldPath};
use crate::limits;
use crate::names::check;

/// A new `ResourceClaim`.
pub fn resource_claim(new: &Value, checks: &Checks<'_>) -> Vec<FieldError> {
    let mut out = Findings::default();
    meta::object(new, true, Naming::Subdomain, &mut out);
    let spec = FieldPath::new("spec");
    device_claim(
        view::part(view::part(new, "spec"), "devices"),
        &spec.child("devices"),
        checks,
        &mut out,
    );
    merge(out, declared::resource_claim(new, None))
}

/// A `ResourceClaim` that replaces another; the spec must stay.
pub fn resource_claim_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut out = Findings::default();
    meta::object(new, true, Naming::Subdomain, &mut out);
    meta::object_update(new, old, &mut out);
    let (spec, old_spec) = (view::part(new, "spec"), view::part(old, "spec"));
    if !shape::same(&shape::RESOURCE_CLAIM_SPEC, spec, old_spec) {
        let shown = shape::internal_json(&shape::RESOURCE_CLAIM_SPEC, spec);
        out.covered(
            "immutable",
            FieldError::invalid(&FieldPath::new("spec"), shown, IMMUTABLE),
        );
    }
    merge(out, declared::resource_claim(new, Some(old)))
}

/// A new `ResourceClaimTemplate`.
pub fn resource_claim_template(new: &Value, checks: &Checks<'_>) -> Vec<FieldError> {
    let mut out = Findings::default();
    template(new, checks, &mut out);
    merge(out, declared::resource_claim_template(new, None))
}

/// A `ResourceClaimTemplate` that replaces another; the spec must stay.
pub fn resource_claim_template_update(
    new: &Value,
    old: &Value,
    checks: &Checks<'_>,
) -> Vec<FieldError> {
    let mut out = Findings::default();
    template(new, checks, &mut out);
    meta::object_update(new, old, &mut out);
    let (spec, old_spec) = (view::part(new, "spec"), view::part(old, "spec"));
    let same_meta = view::part(spec, "metadata") == view::part(old_spec, "metadata");
    if !same_meta || !shape::same(&shape::RESOURCE_CLAIM_TEMPLATE_SPEC, spec, old_spec) {
        let shown = shape::template_spec_json(spec);
        out.add(FieldError::invalid(
            &FieldPath::new("spec"),
            shown,
            IMMUTABLE,
        ));
    }
    merge(out, declared::resource_claim_template(new, Some(old)))
}

fn template(new: &Value, checks: &Checks<'_>, out: &mut Findings) {
    meta::object(new, true, Naming::Subdomain, out);
    let spec = view::part(new, "spec");
    let path = FieldPath::new("spec");
    meta::template(view::part(spec, "metadata"), &path.child("metadata"), out);
    let path = path.child("spec");
    device_claim(
        view::part(view::part(spec, "spec"), "devices"),
        &path.child("devices"),
        checks,
        out,
    );
}

fn device_claim(devices: &Value, path: &FieldPath<'_>, checks: &Checks<'_>, out: &mut Findings) {
    let names = RequestNames::of(devices);
    let cost = request::requests(devices, path, checks, out);
    items::each(
        view::list(devices, "constraints"),
        limits::DEVICE_CONSTRAINTS_MAX_SIZE,
        &path.child("constraints"),
        Cover::Size,
        out,
        |constraint, path, out| self::constraint(constraint, &names, path, checks, out),
    );
    items::each(
        view::list(devices, "config"),
        limits::DEVICE_CONFIG_MAX_SIZE,
        &path.child("config"),
        Cover::Size,
        out,
        |item, path, out| {
            names.check_references(item, path, out);
            config::opaque(item, false, path, out);
        },
    );
    if cost > limits::DEVICE_CLAIM_DERIVED_ATTRIBUTE_CEL_MAX_COST {
        out.add(FieldError::forbidden(
            path,
            "too complex, total cost of derived attribute CEL expressions in the claim exceeds cost limit",
        ));
    }
}

fn constraint(
    constraint: &Value,
    names: &RequestNames<'_>,
    path: &FieldPath<'_>,
    checks: &Checks<'_>,
    out: &mut Findings,
) {
    names.check_references(constraint, path, out);
    for field in ["matchAttribute", "distinctAttribute"] {
        if let Some(name) = view::optional_text(constraint, field) {
            let errors = check::fully_qualified_name(name, &path.child(field));
            out.all_covered("format=k8s-resource-fully-qualified-name", errors);
            return;
        }
    }
    if checks.gates.consumable_capacity {
        out.add(FieldError::required(
            path,
            r#"exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set"#,
        ));
    } else {
        out.add(FieldError::required(&path.child("matchAttribute"), ""));
    }
}
