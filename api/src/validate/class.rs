//! Device classes.

use serde_json::Value;

use super::cel;
use super::checks::Checks;
use super::config;
use super::declared::{self, is_extended_resource_name};
use super::findings::{Findings, merge};
use super::items::{self, Cover};
use super::meta::{self, Naming};
use super::shape;
use super::view;
use crate::field::{FieldError, FieldPath};
use crate::limits;

/// A new `DeviceClass`.
pub fn device_class(new: &Value, checks: &Checks<'_>) -> Vec<FieldError> {
    let mut out = Findings::default();
    meta::object(new, false, Naming::LongName, &mut out);
    spec(new, None, checks, &mut out);
    merge(out, declared::device_class(new, None))
}

/// A `DeviceClass` that replaces another. Selectors and configurations that did not
/// change stay accepted.
pub fn device_class_update(new: &Value, old: &Value, checks: &Checks<'_>) -> Vec<FieldError> {
    let mut out = Findings::default();
    meta::object(new, false, Naming::LongName, &mut out);
    meta::object_update(new, old, &mut out);
    spec(new, Some(old), checks, &mut out);
    merge(out, declared::device_class(new, Some(old)))
}

fn spec(new: &Value, old: Option<&Value>, checks: &Checks<'_>, out: &mut Findings) {
    let spec = view::part(new, "spec");
    let old = old.map(|old| view::part(old, "spec"));
    let is_stored = |name| !shape::changed(&shape::DEVICE_CLASS_SPEC, name, spec, old);
    let path = FieldPath::new("spec");
    cel::selectors(spec, is_stored("selectors"), &path, checks, out);
    let stored = is_stored("config");
    items::each(
        view::list(spec, "config"),
        limits::DEVICE_CONFIG_MAX_SIZE,
        &path.child("config"),
        Cover::Size,
        out,
        |item, path, out| config::opaque(item, stored, path, out),
    );
    let Some(name) = view::optional_text(spec, "extendedResourceName") else {
        return;
    };
    if !is_extended_resource_name(name) {
        let path = path.child("extendedResourceName");
        out.covered(
            "format=k8s-extended-resource-name",
            FieldError::invalid(&path, name, "must be a valid extended resource name"),
        );
    }
}
