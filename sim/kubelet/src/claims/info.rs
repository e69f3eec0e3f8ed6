//! What the kubelet knows of a claim (`cm/dra/claiminfo.go`, `cm/dra/state/state.go`).
//!
//! Names and shape are those of the kubelet's checkpoint, so that the file is the same.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::view::ClaimView;

/// Skips both calls to the driver.
const SKIP_ALL: &str = "*";
/// Skips `NodePrepareResources`.
pub(super) const SKIP_PREPARE: &str = "NodePrepareResources";
/// Skips `NodeUnprepareResources`.
pub(super) const SKIP_UNPREPARE: &str = "NodeUnprepareResources";

/// A set of strings, which Go writes as an object with empty values.
mod go_set {
    use super::{BTreeMap, BTreeSet, Deserialize};
    use serde::{Deserializer, Serializer};

    #[derive(serde::Serialize, Deserialize)]
    struct Member {}

    pub(super) fn serialize<S: Serializer>(
        set: &BTreeSet<String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(set.iter().map(|member| (member, Member {})))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeSet<String>, D::Error> {
        let map = Option::<BTreeMap<String, serde_json::Value>>::deserialize(deserializer)?;
        Ok(map.unwrap_or_default().into_keys().collect())
    }
}

/// A claim that pods on this node use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ClaimInfo {
    #[serde(rename = "ClaimUID")]
    pub(super) uid: String,
    #[serde(rename = "ClaimName")]
    pub(super) name: String,
    #[serde(rename = "Namespace")]
    pub(super) namespace: String,
    #[serde(rename = "PodUIDs", with = "go_set")]
    pub(super) pods: BTreeSet<String>,
    #[serde(rename = "DriverState", deserialize_with = "or_null")]
    pub(super) drivers: BTreeMap<String, DriverState>,
    /// Not kept over a restart: the kubelet then prepares again.
    #[serde(skip)]
    pub(super) prepared: bool,
    /// From the decision to unprepare until the entry is gone; no pod may join meanwhile.
    #[serde(skip)]
    pub(super) unpreparing: bool,
}

/// What one driver has to do with a claim.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct DriverState {
    #[serde(rename = "Devices", deserialize_with = "or_null")]
    pub(super) devices: Vec<Device>,
    #[serde(
        rename = "skipNodeOperations",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) skips: Vec<String>,
}

/// A device as the driver described it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Device {
    #[serde(rename = "PoolName")]
    pub(super) pool: String,
    #[serde(rename = "DeviceName")]
    pub(super) name: String,
    #[serde(rename = "ShareID")]
    pub(super) share_id: Option<String>,
    #[serde(rename = "RequestNames", deserialize_with = "or_null")]
    pub(super) requests: Vec<String>,
    #[serde(rename = "CDIDeviceIDs", deserialize_with = "or_null")]
    pub(super) cdi_ids: Vec<String>,
}

/// Go writes empty slices and maps as `null`.
fn or_null<'de, D: serde::Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl DriverState {
    pub(super) fn skips(&self, operation: &str) -> bool {
        self.skips.iter().any(|s| s == SKIP_ALL || s == operation)
    }
}

impl ClaimInfo {
    /// `None` for a claim that is not allocated.
    pub(super) fn of(claim: &ClaimView) -> Option<Self> {
        let results = &claim.status.allocation.as_ref()?.devices.results;
        let mut skips: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
        for result in results {
            skips
                .entry(&result.driver)
                .or_default()
                .push(&result.skip_node_operations);
        }
        let drivers = skips
            .into_iter()
            .map(|(driver, of_results)| {
                let state = DriverState {
                    devices: Vec::new(),
                    skips: common_skips(&of_results),
                };
                (driver.to_owned(), state)
            })
            .collect();
        Some(Self {
            uid: claim.metadata.uid.clone(),
            name: claim.metadata.name.clone(),
            namespace: claim.metadata.namespace.clone(),
            pods: BTreeSet::new(),
            drivers,
            prepared: false,
            unpreparing: false,
        })
    }

    /// CDI ids of the devices of `request`, or of all when that is empty.
    pub(super) fn cdi_ids(&self, request: &str) -> impl Iterator<Item = &String> {
        self.drivers
            .values()
            .flat_map(|state| &state.devices)
            .filter(move |device| {
                request.is_empty()
                    || device.requests.is_empty()
                    || device.requests.iter().any(|r| r == request)
            })
            .flat_map(|device| &device.cdi_ids)
    }
}

/// An operation is skipped for a driver when each of its results skips it.
fn common_skips(results: &[&[String]]) -> Vec<String> {
    let skips_all = |result: &[String]| result.iter().any(|op| op == SKIP_ALL);
    if results.iter().all(|result| skips_all(result)) {
        return vec![SKIP_ALL.to_owned()];
    }
    let mut common: Vec<String> = results
        .iter()
        .flat_map(|result| result.iter())
        .filter(|op| *op != SKIP_ALL)
        .filter(|op| {
            results
                .iter()
                .all(|result| skips_all(result) || result.contains(op))
        })
        .cloned()
        .collect();
    common.sort_unstable();
    common.dedup();
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ops(results: &[&[&str]]) -> Vec<String> {
        let owned: Vec<Vec<String>> = results
            .iter()
            .map(|r| r.iter().map(|o| (*o).to_owned()).collect())
            .collect();
        common_skips(&owned.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    #[test]
    fn an_operation_is_skipped_only_when_every_device_skips_it() {
        assert_eq!(ops(&[&["*"], &["*"]]), ["*"]);
        assert_eq!(ops(&[&["*"], &[SKIP_UNPREPARE]]), [SKIP_UNPREPARE]);
        assert!(ops(&[&["*"], &[]]).is_empty());
        assert!(ops(&[&[]]).is_empty());
    }
}
