//! Device classes.

use serde_json::Value;

use super::claim::opaque;
use super::formats;
use super::markers::{self, Parent};
use crate::field::FieldPath;
use crate::limits;
use crate::validate::findings::{Findings, Level};
use crate::validate::{shape, view};

/// A `DeviceClass`.
pub(in crate::validate) fn device_class(new: &Value, old: Option<&Value>) -> Findings {
    let mut out = Findings::default();
    let meta = view::part(new, "metadata");
    let name = view::text(meta, "name");
    let old_name = old.map(|old| view::text(view::part(old, "metadata"), "name"));
    if !name.is_empty() && old_name != Some(name) {
        let path = FieldPath::new("metadata");
        formats::long_name(name, &path.child("name"), Level::Beta, &mut out);
    }
    let path = &FieldPath::new("spec");
    let (new, old) = (
        view::part(new, "spec"),
        old.map(|old| view::part(old, "spec")),
    );
    let spec = Parent {
        shape: &shape::DEVICE_CLASS_SPEC,
        new,
        old,
        path,
    };
    spec.items(
        "selectors",
        limits::DEVICE_SELECTORS_MAX_SIZE,
        Level::Beta,
        &mut out,
    );
    let config = spec.items(
        "config",
        limits::DEVICE_CONFIG_MAX_SIZE,
        Level::Beta,
        &mut out,
    );
    let path = path.child("config");
    markers::each(
        config,
        &shape::DEVICE_CLASS_CONFIGURATION,
        &path,
        &mut out,
        opaque,
    );
    let name = "extendedResourceName";
    spec.pointer_text(name, Level::Beta, formats::extended_resource_name, &mut out);
    out
}
