//! The claims of one node and what is to be done with them, decided without I/O.

use std::collections::{BTreeMap, BTreeSet};

use drakit_proto::dra_v1::{Claim, NodePrepareResourcesResponse, NodeUnprepareResourcesResponse};

use super::error::{PrepareError, UnprepareError};
use super::info::{ClaimInfo, Device, SKIP_PREPARE, SKIP_UNPREPARE};

/// Claims by the driver that is to be called for them.
pub(super) type Batches = BTreeMap<String, Vec<Claim>>;

/// Namespace and name.
type ClaimKey = (String, String);

#[derive(Debug, Default)]
pub(super) struct ClaimCache {
    claims: BTreeMap<ClaimKey, ClaimInfo>,
}

/// What unpreparing a pod asks for.
#[derive(Debug, Default)]
pub(super) struct Unprepare {
    pub(super) batches: Batches,
    /// Claims that are gone once the drivers have answered.
    pub(super) last: Vec<ClaimKey>,
}

/// Claims of a pod that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Orphan {
    pub(crate) pod_uid: String,
    pub(crate) namespace: String,
}

fn request(info: &ClaimInfo) -> Claim {
    Claim {
        namespace: info.namespace.clone(),
        uid: info.uid.clone(),
        name: info.name.clone(),
    }
}

impl ClaimCache {
    pub(super) fn new(claims: Vec<ClaimInfo>) -> Self {
        let keyed = claims
            .into_iter()
            .map(|info| ((info.namespace.clone(), info.name.clone()), info));
        Self {
            claims: keyed.collect(),
        }
    }

    pub(super) fn infos(&self) -> Vec<ClaimInfo> {
        self.claims.values().cloned().collect()
    }

    pub(super) fn is_used_by(&self, pod_uid: &str) -> bool {
        self.claims.values().any(|i| i.pods.contains(pod_uid))
    }

    /// Notes that the pod uses these claims, and returns what must still be prepared.
    pub(super) fn attach(
        &mut self,
        pod_uid: &str,
        wanted: Vec<ClaimInfo>,
    ) -> Result<Batches, PrepareError> {
        let mut batches = Batches::new();
        for new in wanted {
            let key = (new.namespace.clone(), new.name.clone());
            let uid = new.uid.clone();
            let info = self.claims.entry(key).or_insert(new);
            if info.uid != uid {
                return Err(PrepareError::OldClaim {
                    claim: info.name.clone(),
                    uid: info.uid.clone(),
                });
            }
            if info.unpreparing {
                return Err(PrepareError::Unpreparing(info.name.clone()));
            }
            info.pods.insert(pod_uid.to_owned());
            if info.prepared {
                continue;
            }
            for (driver, state) in &info.drivers {
                if !state.skips(SKIP_PREPARE) {
                    batches
                        .entry(driver.clone())
                        .or_default()
                        .push(request(info));
                }
            }
        }
        Ok(batches)
    }

    /// Takes a driver's answer to `asked`.
    pub(super) fn record(
        &mut self,
        driver: &str,
        asked: &[Claim],
        answer: NodePrepareResourcesResponse,
    ) -> Result<(), PrepareError> {
        let answered = answer.claims.len();
        for (uid, result) in answer.claims {
            let Some(claim) = asked.iter().find(|claim| claim.uid == uid) else {
                return Err(PrepareError::UnknownUid(uid));
            };
            if !result.error.is_empty() {
                return Err(PrepareError::Failed {
                    claim: claim.name.clone(),
                    error: result.error,
                });
            }
            let key = (claim.namespace.clone(), claim.name.clone());
            let info = self
                .claims
                .get_mut(&key)
                .ok_or_else(|| PrepareError::Lost(claim.name.clone()))?;
            // Replaced, not extended: a driver may be asked again.
            info.drivers.entry(driver.to_owned()).or_default().devices = result
                .devices
                .into_iter()
                .map(|device| Device {
                    pool: device.pool_name,
                    name: device.device_name,
                    share_id: device.share_id,
                    requests: device.request_names,
                    cdi_ids: device.cdi_device_ids,
                })
                .collect();
        }
        match asked.len().saturating_sub(answered) {
            0 => Ok(()),
            missing => Err(PrepareError::Skipped(missing)),
        }
    }

    /// Marks the claims of a pod whose drivers have all answered.
    pub(super) fn set_prepared(&mut self, pod_uid: &str) {
        for info in self.claims.values_mut() {
            if info.pods.contains(pod_uid) {
                info.prepared = true;
            }
        }
    }

    /// Takes the pod off its claims; those that no other pod uses are to be unprepared.
    pub(super) fn detach(&mut self, pod_uid: &str) -> Unprepare {
        let mut unprepare = Unprepare::default();
        for (key, info) in &mut self.claims {
            if !info.pods.contains(pod_uid) {
                continue;
            }
            if info.pods.len() > 1 {
                info.pods.remove(pod_uid);
                continue;
            }
            info.unpreparing = true;
            unprepare.last.push(key.clone());
            for (driver, state) in &info.drivers {
                if !state.skips(SKIP_UNPREPARE) {
                    unprepare
                        .batches
                        .entry(driver.clone())
                        .or_default()
                        .push(request(info));
                }
            }
        }
        unprepare
    }

    pub(super) fn forget(&mut self, claims: &[ClaimKey]) {
        for key in claims {
            self.claims.remove(key);
        }
    }

    /// CDI ids of one request of a claim (all requests when empty); `None` for an unknown claim.
    pub(super) fn cdi_ids(&self, claim: &ClaimKey, request: &str) -> Option<Vec<String>> {
        let info = self.claims.get(claim)?;
        Some(info.cdi_ids(request).cloned().collect())
    }

    /// Pods that are referenced but not in `active`.
    pub(super) fn orphans(&self, active: &BTreeSet<String>) -> Vec<Orphan> {
        let gone: BTreeMap<_, _> = self
            .claims
            .values()
            .flat_map(|info| info.pods.iter().map(|pod| (pod, &info.namespace)))
            .filter(|(pod, _)| !active.contains(*pod))
            .collect();
        gone.into_iter()
            .map(|(pod, namespace)| Orphan {
                pod_uid: pod.clone(),
                namespace: namespace.clone(),
            })
            .collect()
    }
}

/// Checks a driver's answer to `asked`.
pub(super) fn check_unprepared(
    asked: &[Claim],
    answer: &NodeUnprepareResourcesResponse,
) -> Result<(), UnprepareError> {
    for (uid, result) in &answer.claims {
        let Some(claim) = asked.iter().find(|claim| claim.uid == *uid) else {
            return Err(UnprepareError::UnknownUid(uid.clone()));
        };
        if !result.error.is_empty() {
            return Err(UnprepareError::Failed {
                claim: claim.name.clone(),
                error: result.error.clone(),
            });
        }
    }
    match asked.len().saturating_sub(answer.claims.len()) {
        0 => Ok(()),
        missing => Err(UnprepareError::Skipped(missing)),
    }
}
