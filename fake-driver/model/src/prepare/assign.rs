//! Which config a device gets, and what its containers see.

use std::collections::BTreeMap;

use drakit_api::k8s::api::resource::v1::DeviceAllocationConfiguration;
use drakit_api::names::DriverName;

use super::config::{DeviceConfig, GpuConfig};
use super::decide::{Own, PrepareError};
use super::prepared::{DeviceNode, Hold, Mount, PreparedDevice};
use crate::cdi;
use crate::kind::DeviceKind;

/// Major and minor number of `/dev/null`: a node that exists everywhere and does nothing.
const NULL_DEVICE: (i64, i64) = (1, 3);

/// The driver's own configs of an allocation, weakest first.
pub(super) struct OwnConfigs<'a>(Vec<OwnConfig<'a>>);

struct OwnConfig<'a> {
    label: String,
    requests: &'a [String],
    config: DeviceConfig,
}

impl<'a> OwnConfigs<'a> {
    /// Decodes the configs of this driver; those of other drivers are none of its business (PREP-07).
    ///
    /// A class's config comes before a claim's, and within each the last one wins (PREP-08). All are decoded, also
    /// those of alternatives that were not chosen: a typo must not hide until another alternative is allocated.
    pub(super) fn decode(
        claim: &str,
        driver: &DriverName,
        configs: &'a [DeviceAllocationConfiguration],
    ) -> Result<Self, PrepareError> {
        let mut own = Vec::new();
        let from_class = |config: &DeviceAllocationConfiguration| config.source == "FromClass";
        let ordered = configs
            .iter()
            .filter(|c| from_class(c))
            .chain(configs.iter().filter(|c| !from_class(c)));
        for (index, config) in ordered.enumerate() {
            let Some(opaque) = config
                .opaque
                .as_ref()
                .filter(|opaque| opaque.driver == driver.as_ref())
            else {
                continue;
            };
            let requests = config.requests.as_deref().unwrap_or_default();
            let scope = match requests {
                [] => "all requests".to_owned(),
                requests => format!("requests {}", requests.join(", ")),
            };
            let label = format!("config {index} ({}, {scope})", config.source);
            match DeviceConfig::decode(&opaque.parameters.0) {
                Ok(config) => own.push(OwnConfig {
                    label,
                    requests,
                    config,
                }),
                Err(source) => {
                    return Err(PrepareError::Config {
                        claim: claim.to_owned(),
                        config: label,
                        source,
                    });
                }
            }
        }
        Ok(Self(own))
    }

    /// A config that names requests must fit all their devices; one for all requests must fit at least one device,
    /// since a driver may have devices of several kinds.
    pub(super) fn check_kinds(&self, claim: &str, own: &[Own<'_>]) -> Result<(), PrepareError> {
        for config in &self.0 {
            let reached: Vec<&Own<'_>> = own
                .iter()
                .filter(|own| config.reaches(&own.result.request))
                .collect();
            let misfit = reached
                .iter()
                .find(|own| !config.config.fits(own.pool.kind()));
            let fits_some = reached
                .iter()
                .any(|own| config.config.fits(own.pool.kind()));
            if let Some(misfit) = misfit
                && (!fits_some || !config.requests.is_empty())
            {
                return Err(PrepareError::ConfigKind {
                    claim: claim.to_owned(),
                    config: config.label.clone(),
                    kind: config.config.kind(),
                    request: misfit.result.request.clone(),
                    pool: misfit.result.pool.clone(),
                    device: misfit.result.device.clone(),
                    allowed: match misfit.pool.kind() {
                        DeviceKind::Gpu => "GpuConfig",
                        DeviceKind::Nic | DeviceKind::Rdma => "NicConfig",
                        DeviceKind::Device => "none",
                    },
                });
            }
        }
        Ok(())
    }

    /// The strongest config for a device.
    fn for_device(&self, own: &Own<'_>) -> Option<&DeviceConfig> {
        let fits = |config: &&OwnConfig<'_>| {
            config.reaches(&own.result.request) && config.config.fits(own.pool.kind())
        };
        self.0.iter().rev().find(fits).map(|config| &config.config)
    }
}

impl OwnConfig<'_> {
    /// No requests: all. `req` reaches `req` and every `req/sub`; `req/sub` only itself.
    fn reaches(&self, request: &str) -> bool {
        self.requests.is_empty()
            || self
                .requests
                .iter()
                .any(|name| name == request || name == base_request(request))
    }
}

/// Name of the request without the chosen alternative: kubelet compares base names only (PREP-10).
fn base_request(request: &str) -> &str {
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
    let mount = |mount: &crate::device::MountTemplate| Mount {
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
