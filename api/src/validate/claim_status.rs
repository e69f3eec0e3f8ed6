//! The status of a claim.

use std::collections::BTreeSet;

use serde_json::Value;

use super::conditions;
use super::config::{self, RequestNames};
use super::declared;
use super::findings::{Findings, merge};
use super::items::{self, Cover};
use super::meta::{self, IMMUTABLE};
use super::node_selector;
use super::shape;
use super::taint;
use super::view;
use crate::field::{BadValue, ErrorKind, FieldError, FieldPath};
use crate::limits;
use crate::names::check;

mod address;
mod uid;

const NOT_ALLOCATED: &str = "may not be specified when `allocated` is not set";
const DELETED: &str =
    "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";

/// A `ResourceClaim` whose status replaces that of `old`.
pub fn resource_claim_status_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut out = Findings::default();
    meta::object_update(new, old, &mut out);
    status(new, old, &mut out);
    merge(out, declared::resource_claim(new, Some(old)))
}

fn status(claim: &Value, old_claim: &Value, out: &mut Findings) {
    let (status, old) = (view::part(claim, "status"), view::part(old_claim, "status"));
    let names = RequestNames::of(view::part(view::part(claim, "spec"), "devices"));
    let path = FieldPath::new("status");
    let (reserved, allocation) = (
        view::list(status, "reservedFor"),
        view::present(status, "allocation"),
    );
    consumers(status, &path, out);
    devices(status, &path, out);
    let at_reserved = path.child("reservedFor");
    if allocation.is_none() && !reserved.is_empty() {
        out.add(FieldError::forbidden(&at_reserved, NOT_ALLOCATED));
    } else if view::present(view::part(claim, "metadata"), "deletionTimestamp").is_some() {
        let before: BTreeSet<[&str; 4]> = view::list(old, "reservedFor")
            .iter()
            .map(identity)
            .collect();
        if !reserved
            .iter()
            .all(|consumer| before.contains(&identity(consumer)))
        {
            out.add(FieldError::forbidden(&at_reserved, DELETED));
        }
    }
    let at_allocation = path.child("allocation");
    match (allocation, view::present(old, "allocation")) {
        (Some(new), Some(old)) => {
            if !shape::same(&shape::ALLOCATION_RESULT, new, old) {
                let shown = shape::internal_json(&shape::ALLOCATION_RESULT, new);
                out.covered(
                    "update",
                    FieldError::invalid(&at_allocation, shown, IMMUTABLE),
                );
            }
        }
        (Some(new), None) => allocation_result(new, &names, &at_allocation, out),
        (None, _) => {}
    }
}

fn identity(consumer: &Value) -> [&str; 4] {
    ["apiGroup", "resource", "name", "uid"].map(|field| view::text(consumer, field))
}

fn consumers(status: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    items::each_unique(
        view::list(status, "reservedFor"),
        limits::RESOURCE_CLAIM_RESERVED_FOR_MAX_SIZE,
        &path.child("reservedFor"),
        Cover::SizeAndUniqueness,
        out,
        |consumer| view::text(consumer, "uid").to_owned(),
        |consumer, path, out| {
            for field in ["resource", "name", "uid"] {
                if view::text(consumer, field).is_empty() {
                    out.add(FieldError::required(&path.child(field), ""));
                }
            }
        },
    );
}

/// Driver, pool, device and share: what a device is known by in a status.
fn device_id(device: &Value) -> [&str; 4] {
    ["driver", "pool", "device", "shareID"].map(|field| view::text(device, field))
}

fn devices(status: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let results = view::list(
        view::part(view::part(status, "allocation"), "devices"),
        "results",
    );
    let allocated: BTreeSet<[&str; 4]> = results.iter().map(device_id).collect();
    items::each_unique(
        view::list(status, "devices"),
        usize::MAX,
        &path.child("devices"),
        Cover::SizeAndUniqueness,
        out,
        |device| device_id(device).join("/"),
        |device, path, out| self::device(device, &allocated, path, out),
    );
}

fn device(
    device: &Value,
    allocated: &BTreeSet<[&str; 4]>,
    path: &FieldPath<'_>,
    out: &mut Findings,
) {
    out.all(check::driver_name(
        view::text(device, "driver"),
        &path.child("driver"),
    ));
    out.all(check::pool_name(
        view::text(device, "pool"),
        &path.child("pool"),
    ));
    out.all(check::device_name(
        view::text(device, "device"),
        &path.child("device"),
    ));
    share_id(device, path, out);
    let id = device_id(device);
    if !allocated.contains(&id) {
        let [driver, pool, name, share] = id.map(|part| Value::from(part).to_string());
        let shown =
            format!(r#"{{"Driver":{driver},"Pool":{pool},"Device":{name},"ShareID":{share}}}"#);
        let text = "must be an allocated device in the claim";
        out.add(FieldError::invalid(path, BadValue::Plain(shown), text));
    }
    let (count, max) = (
        view::list(device, "conditions").len(),
        limits::ALLOCATED_DEVICE_STATUS_MAX_CONDITIONS,
    );
    if count > max {
        out.add(FieldError::too_many(
            &path.child("conditions"),
            Some(count),
            max,
        ));
    }
    conditions::conditions(device, path, out);
    if let Some(data) = view::present(device, "data") {
        let max = Some(limits::ALLOCATED_DEVICE_STATUS_DATA_MAX_LENGTH);
        config::raw_object(data, max, &path.child("data"), out);
    }
    if let Some(network) = view::present(device, "networkData") {
        network_data(network, &path.child("networkData"), out);
    }
}

fn share_id(device: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let Some(uid) = view::optional_text(device, "shareID") else {
        return;
    };
    if let Some(problem) = uid::problem(uid) {
        let error = FieldError::invalid(&path.child("shareID"), uid, problem);
        out.covered("format=k8s-uuid", error);
    }
}

fn network_data(network: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    for (field, max) in [
        (
            "interfaceName",
            limits::NETWORK_DEVICE_DATA_INTERFACE_NAME_MAX_LENGTH,
        ),
        (
            "hardwareAddress",
            limits::NETWORK_DEVICE_DATA_HARDWARE_ADDRESS_MAX_LENGTH,
        ),
    ] {
        if view::text(network, field).len() > max {
            out.covered("maxBytes", FieldError::too_long(&path.child(field), max));
        }
    }
    items::each_unique(
        view::list(network, "ips"),
        limits::NETWORK_DEVICE_DATA_MAX_IPS,
        &path.child("ips"),
        Cover::SizeAndUniqueness,
        out,
        items::own_text,
        |item, path, out| {
            let text = item.as_str().unwrap_or_default();
            if let Some(problem) = address::problem(text) {
                out.add(FieldError::invalid(path, text, problem));
            }
        },
    );
}

fn allocation_result(
    allocation: &Value,
    names: &RequestNames<'_>,
    path: &FieldPath<'_>,
    out: &mut Findings,
) {
    let (devices, at_devices) = (view::part(allocation, "devices"), path.child("devices"));
    items::each(
        view::list(devices, "results"),
        limits::ALLOCATION_RESULTS_MAX_SIZE,
        &at_devices.child("results"),
        Cover::Size,
        out,
        |result, path, out| self::result(result, names, path, out),
    );
    items::each(
        view::list(devices, "config"),
        2 * limits::DEVICE_CONFIG_MAX_SIZE,
        &at_devices.child("config"),
        Cover::Size,
        out,
        |item, path, out| {
            source(item, path, out);
            names.check_references(item, path, out);
            config::opaque(item, false, path, out);
        },
    );
    if let Some(selector) = view::present(allocation, "nodeSelector") {
        node_selector::node_selector(selector, &path.child("nodeSelector"), out);
    }
}

fn source(item: &Value, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("source");
    match view::text(item, "source") {
        "" => out.covered("", FieldError::required(&path, "")),
        "FromClaim" | "FromClass" => {}
        other => {
            let value = BadValue::json(&other);
            let supported = ["FromClaim", "FromClass"];
            out.covered("", FieldError::not_supported(&path, value, &supported));
        }
    }
}

fn result(result: &Value, names: &RequestNames<'_>, path: &FieldPath<'_>, out: &mut Findings) {
    names.check(view::text(result, "request"), &path.child("request"), out);
    config::driver_name_covered(view::text(result, "driver"), &path.child("driver"), out);
    for error in check::pool_name(view::text(result, "pool"), &path.child("pool")) {
        let is_missing = error.kind == ErrorKind::Required;
        out.covered(
            if is_missing {
                ""
            } else {
                "format=k8s-resource-pool-name"
            },
            error,
        );
    }
    out.all(check::device_name(
        view::text(result, "device"),
        &path.child("device"),
    ));
    taint::binding_conditions(result, path, out);
    taint::tolerations(result, path, out);
    share_id(result, path, out);
    taint::skip_node_operations(result, path, out);
}
