//! What the containers of a prepared device see.

use std::collections::BTreeMap;

use drakit_api::names::DriverName;

use super::config::{DeviceConfig, GpuConfig};
use super::configs::OwnConfigs;
use super::decide::Own;
use super::prepared::{DeviceNode, Hold, Mount, PreparedDevice};
use crate::cdi;
use crate::device::MountTemplate;

/// Major and minor number of `/dev/null`: a node that exists everywhere and does nothing.
const NULL_DEVICE: (i64, i64) = (1, 3);

/// Name of the request without the chosen alternative: kubelet compares base names only (PREP-10).
pub(super) fn base_request(request: &str) -> &str {
    request.split_once('/').map_or(request, |(base, _)| base)
}

/// What containers see of one own result. `before` are the claim's devices so far.
pub(super) fn assign(
    uid: &str,
    driver: &DriverName,
    own: &Own<'_>,
    configs: &OwnConfigs<'_>,
    before: &[PreparedDevice],
) -> PreparedDevice {
    let result = own.result;
    let mut name = format!("{uid}-{}", result.device);
    if let Some(share) = &result.share_id {
        name = format!("{name}-{share}");
    }
    // One claim can have a device twice (admin access beside use, or equal names in two pools).
    let mut id = cdi::device_id(driver, &name);
    let mut copy = 1;
    while before
        .iter()
        .any(|device| device.cdi_device_ids.contains(&id))
    {
        copy += 1;
        id = cdi::device_id(driver, &format!("{name}-{copy}"));
    }
    let (major, minor) = NULL_DEVICE;
    let place = own.pool.place();
    let mount = |mount: &MountTemplate| Mount {
        host_path: mount.host_path.render(place, &result.device),
        container_path: mount.container_path.render(place, &result.device),
    };
    PreparedDevice {
        request_names: vec![base_request(&result.request).to_owned()],
        pool: result.pool.clone(),
        device: result.device.clone(),
        share_id: result.share_id.clone(),
        hold: own.hold,
        cdi_device_ids: vec![id],
        env: env(uid, own, configs.for_device(own)),
        device_nodes: vec![DeviceNode {
            path: format!("/dev/drakit/{}", result.device),
            major,
            minor,
        }],
        mounts: own.pool.template().mounts.iter().map(mount).collect(),
    }
}

fn env(uid: &str, own: &Own<'_>, config: Option<&DeviceConfig>) -> BTreeMap<String, String> {
    let key = format!("{}_{}", own.pool.kind().env_prefix(), own.device.position());
    let mut env = BTreeMap::from([
        (key.clone(), own.result.device.clone()),
        (format!("{key}_RESOURCE_CLAIM"), uid.to_owned()),
    ]);
    let default = DeviceConfig::Gpu(GpuConfig::default());
    let config = config.or_else(|| default.fits(own.pool.kind()).then_some(&default));
    for (suffix, value) in config.map(DeviceConfig::env).unwrap_or_default() {
        env.insert(format!("{key}_{suffix}"), value);
    }
    for (capacity, amount) in own.result.consumed_capacity.iter().flatten() {
        env.insert(
            format!("{key}_CONSUMED_{}", env_word(capacity)),
            amount.0.clone(),
        );
    }
    if own.hold == Hold::Admin {
        env.insert("DRA_ADMIN_ACCESS".to_owned(), "true".to_owned());
    }
    env
}

/// `dra.example.com/egress-rate` as part of an env name: `EGRESS_RATE`.
fn env_word(capacity: &str) -> String {
    let name = capacity.rsplit('/').next().unwrap_or(capacity);
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}
