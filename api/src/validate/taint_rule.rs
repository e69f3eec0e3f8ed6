//! Device taint rules.

use serde_json::Value;

use super::conditions;
use super::declared;
use super::findings::{Findings, merge};
use super::meta::{self, Naming};
use super::taint;
use super::view;
use crate::field::{FieldError, FieldPath};
use crate::limits;
use crate::names::check;

/// A new `DeviceTaintRule`.
pub fn device_taint_rule(new: &Value) -> Vec<FieldError> {
    let mut out = Findings::default();
    meta::object(new, false, Naming::Subdomain, &mut out);
    spec(new, None, &mut out);
    merge(out, declared::device_taint_rule(new, None))
}

/// A `DeviceTaintRule` that replaces another.
pub fn device_taint_rule_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut out = Findings::default();
    meta::object_update(new, old, &mut out);
    spec(new, Some(old), &mut out);
    merge(out, declared::device_taint_rule(new, Some(old)))
}

/// A `DeviceTaintRule` whose status is replaced.
pub fn device_taint_rule_status_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut out = Findings::default();
    meta::object_update(new, old, &mut out);
    let (status, path) = (view::part(new, "status"), FieldPath::new("status"));
    conditions::conditions(status, &path, &mut out);
    let (count, max) = (
        view::list(status, "conditions").len(),
        limits::DEVICE_TAINT_RULE_STATUS_MAX_CONDITIONS,
    );
    if count > max {
        out.add(FieldError::too_many(
            &path.child("conditions"),
            Some(count),
            max,
        ));
    }
    merge(out, declared::device_taint_rule(new, Some(old)))
}

fn spec(new: &Value, old: Option<&Value>, out: &mut Findings) {
    let spec = view::part(new, "spec");
    let path = FieldPath::new("spec");
    let selector = view::part(spec, "deviceSelector");
    let at_selector = path.child("deviceSelector");
    if let Some(driver) = view::optional_text(selector, "driver") {
        out.all(check::driver_name(driver, &at_selector.child("driver")));
    }
    if let Some(pool) = view::optional_text(selector, "pool") {
        out.all(check::pool_name(pool, &at_selector.child("pool")));
    }
    if let Some(device) = view::optional_text(selector, "device") {
        out.all(check::device_name(device, &at_selector.child("device")));
    }
    let old_taint = old.map(|old| view::part(view::part(old, "spec"), "taint"));
    taint::taint(
        view::part(spec, "taint"),
        old_taint,
        &path.child("taint"),
        out,
    );
}
