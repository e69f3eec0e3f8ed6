//! The status of a claim.

use serde_json::Value;

use super::claim::opaque;
use super::formats;
use super::markers::{self, Parent};
use super::taint;
use crate::field::{BadValue, FieldError};
use crate::limits;
use crate::validate::findings::{Findings, Level};
use crate::validate::{shape, view};

/// A `ResourceClaimStatus`.
pub(super) fn status(status: &Parent<'_>, out: &mut Findings) {
    if let Some(new) = view::present(status.new, "allocation")
        && status.changed("allocation")
    {
        let path = status.path.child("allocation");
        if status
            .old
            .is_some_and(|old| view::present(old, "allocation").is_some())
        {
            let (shown, text) = (
                BadValue::Plain("null".to_owned()),
                "field cannot be modified once set",
            );
            out.declared(
                Level::Beta,
                "update",
                FieldError::invalid(&path, shown, text),
            );
        } else {
            let path = &path.child("devices");
            let new = view::part(new, "devices");
            let shape = &shape::DEVICE_ALLOCATION_RESULT;
            devices(
                &Parent {
                    shape,
                    new,
                    old: None,
                    path,
                },
                out,
            );
        }
    }
    let max = limits::RESOURCE_CLAIM_RESERVED_FOR_MAX_SIZE;
    let reserved = status.items("reservedFor", max, Level::Beta, out);
    let path = status.path.child("reservedFor");
    let uid = |consumer| view::text(consumer, "uid");
    let shown = |item| shape::wire_json(&shape::RESOURCE_CLAIM_CONSUMER_REFERENCE, item);
    markers::unique(reserved, uid, shown, &path, Level::Beta, out);

    let items = status.items("devices", usize::MAX, Level::Beta, out);
    let path = status.path.child("devices");
    let shape = &shape::ALLOCATED_DEVICE_STATUS;
    let shown = |item| shape::wire_json(shape, item);
    markers::unique(items, identity, shown, &path, Level::Beta, out);
    let old = status.old_part("devices");
    markers::each_by_key(items, old, shape, identity, &path, out, device);
}

fn identity(device: &Value) -> ([&str; 3], Option<&str>) {
    let names = ["driver", "device", "pool"].map(|name| view::text(device, name));
    (names, view::optional_text(device, "shareID"))
}

fn device(device: &Parent<'_>, out: &mut Findings) {
    device.pointer_text("shareID", Level::Beta, formats::uuid, out);
    let Some(new) = view::present(device.new, "networkData") else {
        return;
    };
    let old = device.old.and_then(|old| view::present(old, "networkData"));
    let path = &device.path.child("networkData");
    let network = Parent {
        shape: &shape::NETWORK_DEVICE_DATA,
        new,
        old,
        path,
    };
    let max = limits::NETWORK_DEVICE_DATA_INTERFACE_NAME_MAX_LENGTH;
    network.max_bytes("interfaceName", max, out);
    network.text_set("ips", limits::NETWORK_DEVICE_DATA_MAX_IPS, out);
    let max = limits::NETWORK_DEVICE_DATA_HARDWARE_ADDRESS_MAX_LENGTH;
    network.max_bytes("hardwareAddress", max, out);
}

fn devices(devices: &Parent<'_>, out: &mut Findings) {
    let max = limits::ALLOCATION_RESULTS_MAX_SIZE;
    let results = devices.items("results", max, Level::Beta, out);
    let path = devices.path.child("results");
    markers::each(
        results,
        &shape::DEVICE_REQUEST_ALLOCATION_RESULT,
        &path,
        out,
        result,
    );

    let max = 2 * limits::DEVICE_CONFIG_MAX_SIZE;
    let config = devices.items("config", max, Level::Beta, out);
    let path = devices.path.child("config");
    markers::each(
        config,
        &shape::DEVICE_ALLOCATION_CONFIGURATION,
        &path,
        out,
        |config, out| {
            config.required_text("source", Level::Beta, None, out);
            config.one_of("source", &["FromClaim", "FromClass"], out);
            config.text_set("requests", limits::DEVICE_REQUESTS_MAX_SIZE, out);
            opaque(config, out);
        },
    );
}

fn result(result: &Parent<'_>, out: &mut Findings) {
    result.required_text("driver", Level::Beta, Some(formats::driver_name), out);
    result.required_text("pool", Level::Beta, Some(formats::pool_name), out);
    taint::tolerations(result, out);
    let max = limits::BINDING_CONDITIONS_MAX_SIZE;
    result.items("bindingConditions", max, Level::Beta, out);
    let max = limits::BINDING_FAILURE_CONDITIONS_MAX_SIZE;
    result.items("bindingFailureConditions", max, Level::Beta, out);
    result.pointer_text("shareID", Level::Beta, formats::uuid, out);
    result.skip_node_operations(out);
}
