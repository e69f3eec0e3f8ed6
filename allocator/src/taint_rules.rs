//! Taints that administrators put on devices (`DeviceTaintRule`, KEP-5055).

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::resource::v1::{DeviceTaint, DeviceTaintRule, DeviceTaintSelector};

use crate::device_id::PoolId;

/// All rules, by name.
#[derive(Debug, Default)]
pub(crate) struct TaintRules {
    rules: BTreeMap<String, Arc<DeviceTaintRule>>,
}

/// The rules for one pool.
#[derive(Debug, Clone, Default)]
pub(crate) struct PoolTaintRules(Vec<Arc<DeviceTaintRule>>);

impl TaintRules {
    pub(crate) fn apply(&mut self, rule: Arc<DeviceTaintRule>) {
        let name = rule.metadata.name.clone().unwrap_or_default();
        self.rules.insert(name, rule);
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.rules.remove(name);
    }

    /// The rules for devices of the pool.
    pub(crate) fn for_pool(&self, pool: &PoolId) -> PoolTaintRules {
        let covers =
            |wanted: Option<&String>, actual: &str| wanted.is_none_or(|wanted| wanted == actual);
        let rules = self.rules.values().filter(|rule| {
            selector(rule).is_some_and(|selector| {
                covers(selector.driver.as_ref(), &pool.driver)
                    && covers(selector.pool.as_ref(), &pool.pool)
            })
        });
        PoolTaintRules(rules.cloned().collect())
    }
}

impl PoolTaintRules {
    /// The taints that the rules put on the device.
    pub(crate) fn of_device(&self, device: &str) -> impl Iterator<Item = &DeviceTaint> {
        self.0.iter().filter_map(move |rule| {
            let wanted = selector(rule)?.device.as_ref();
            let matches = wanted.is_none_or(|wanted| wanted == device);
            matches.then_some(&rule.spec.taint)
        })
    }
}

/// A rule without a selector is for no device, one with an empty selector for all.
fn selector(rule: &DeviceTaintRule) -> Option<&DeviceTaintSelector> {
    rule.spec.device_selector.as_ref()
}
