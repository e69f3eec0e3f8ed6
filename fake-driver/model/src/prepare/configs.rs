//! Which of an allocation's configs are for this driver, and which device gets which.

use drakit_api::k8s::api::resource::v1::DeviceAllocationConfiguration;
use drakit_api::names::DriverName;

use super::assign::base_request;
use super::config::DeviceConfig;
use super::decide::{ClaimView, Own, subject};
use super::error::PrepareError;
use crate::kind::DeviceKind;

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
        claim: &ClaimView<'_>,
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
                Err(problems) => {
                    return Err(PrepareError::Config {
                        claim: claim.label(),
                        config: label,
                        problems,
                    });
                }
            }
        }
        Ok(Self(own))
    }

    /// A config that names requests must fit all their devices; one for all requests must fit at least one device,
    /// since a driver may have devices of several kinds.
    pub(super) fn check_kinds(
        &self,
        claim: &ClaimView<'_>,
        own: &[Own<'_>],
    ) -> Result<(), PrepareError> {
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
                    subject: Box::new(subject(claim, misfit.result)),
                    config: config.label.clone(),
                    kind: config.config.kind(),
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
    pub(super) fn for_device(&self, own: &Own<'_>) -> Option<&DeviceConfig> {
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
