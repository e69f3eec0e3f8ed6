//! Preparing and unpreparing the claims of pods (`cm/dra/manager.go`).

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use drakit_proto::dra_v1::{NodePrepareResourcesRequest, NodeUnprepareResourcesRequest};
use drakit_sim_store::resource::RESOURCE_CLAIMS;
use drakit_sim_store::{Key, Store};
use parking_lot::Mutex;

use super::cache::{ClaimCache, Orphan, check_unprepared};
use super::checkpoint::{self, CheckpointError};
use super::error::{PrepareError, UnprepareError};
use super::info::{ClaimInfo, SKIP_PREPARE};
use super::view::ClaimView;
use crate::driver::{Plugin, Plugins};
use crate::pods::view::{Container, PodClaim, PodView};

/// The claims of one node.
#[derive(Debug)]
pub(crate) struct ClaimManager {
    store: Store,
    plugins: Arc<Plugins>,
    file: PathBuf,
    cache: Mutex<ClaimCache>,
    /// Held while the file is written, so that the newest state is written last.
    writing: Mutex<()>,
}

impl ClaimManager {
    /// Starts from the checkpoint in `file`, if there is one.
    pub(crate) fn new(
        store: Store,
        plugins: Arc<Plugins>,
        file: PathBuf,
    ) -> Result<Self, CheckpointError> {
        let cache = Mutex::new(ClaimCache::new(checkpoint::load(&file)?));
        Ok(Self {
            store,
            plugins,
            file,
            cache,
            writing: Mutex::new(()),
        })
    }

    /// Forgets what a kubelet forgets when it restarts.
    pub(crate) fn restart(&self) -> Result<(), CheckpointError> {
        let _turn = self.writing.lock();
        *self.cache.lock() = ClaimCache::new(checkpoint::load(&self.file)?);
        Ok(())
    }

    /// Whether a claim on this node names the pod.
    pub(crate) fn is_used_by(&self, pod_uid: &str) -> bool {
        self.cache.lock().is_used_by(pod_uid)
    }

    /// Pods that have claims here but are not in `active`.
    pub(crate) fn orphans(&self, active: &BTreeSet<String>) -> Vec<Orphan> {
        self.cache.lock().orphans(active)
    }

    /// Prepares every claim of the pod that is not prepared yet, with one call for each driver.
    pub(crate) async fn prepare(self: &Arc<Self>, pod: &PodView) -> Result<(), PrepareError> {
        let (wanted, plugins) = self.check(pod)?;
        if wanted.is_empty() {
            return Ok(());
        }
        let uid = &pod.metadata.uid;
        let batches = self.cache.lock().attach(uid, wanted)?;
        // Before any driver is called: a pod that vanishes now is found in the file.
        self.save().await?;
        if batches.is_empty() {
            return Ok(());
        }
        for (driver, claims) in batches {
            let plugin = plugins
                .iter()
                .find(|plugin| plugin.driver() == driver)
                .cloned()
                .map_or_else(|| self.plugins.get(&driver), Ok)?;
            let request = NodePrepareResourcesRequest {
                claims: claims.clone(),
            };
            let answer = plugin.prepare(request).await.map_err(PrepareError::Call)?;
            self.cache.lock().record(&driver, &claims, answer)?;
        }
        self.cache.lock().set_prepared(uid);
        self.save().await?;
        Ok(())
    }

    /// Reads and checks the pod's claims and finds their drivers, changing nothing: a pod that fails
    /// here can be deleted without the driver.
    fn check(&self, pod: &PodView) -> Result<(Vec<ClaimInfo>, Vec<Arc<Plugin>>), PrepareError> {
        let mut infos = Vec::new();
        let mut plugins: Vec<Arc<Plugin>> = Vec::new();
        for pod_claim in pod.claims() {
            let Some((name, from_template)) = claim_name(pod, &pod_claim)? else {
                continue;
            };
            let claim = self.fetch(&pod.metadata.namespace, &name)?;
            if from_template && !claim.is_for(pod) {
                return Err(PrepareError::NotOwner {
                    claim: format!("{}/{name}", claim.metadata.namespace),
                    pod: pod.full_name(),
                });
            }
            if !claim.is_reserved_for(pod) {
                return Err(PrepareError::NotReserved {
                    pod: pod.metadata.name.clone(),
                    pod_uid: pod.metadata.uid.clone(),
                    claim: name,
                    claim_uid: claim.metadata.uid,
                });
            }
            let info = ClaimInfo::of(&claim).ok_or(PrepareError::NotAllocated(name))?;
            for (driver, state) in &info.drivers {
                if !state.skips(SKIP_PREPARE) && !plugins.iter().any(|p| p.driver() == driver) {
                    plugins.push(self.plugins.get(driver)?);
                }
            }
            infos.push(info);
        }
        Ok((infos, plugins))
    }

    fn fetch(&self, namespace: &str, name: &str) -> Result<ClaimView, PrepareError> {
        let object = self
            .store
            .get(&RESOURCE_CLAIMS, &Key::new(namespace, name))
            .map_err(|source| PrepareError::Fetch {
                claim: name.to_owned(),
                source,
            })?;
        object.parse().map_err(|source| PrepareError::Decode {
            claim: name.to_owned(),
            source,
        })
    }

    /// CDI ids of a container's devices, in the order of its claims.
    pub(crate) fn cdi_ids(
        &self,
        pod: &PodView,
        container: &Container,
    ) -> Result<Vec<String>, PrepareError> {
        let cache = self.cache.lock();
        let mut ids = Vec::new();
        for wanted in pod.container_claims(container) {
            let Some((name, _)) = claim_name(pod, &wanted.claim)? else {
                continue;
            };
            let key = (pod.metadata.namespace.clone(), name);
            let devices = cache
                .cdi_ids(&key, &wanted.request)
                .ok_or(PrepareError::Lost(key.1))?;
            ids.extend(devices);
        }
        Ok(ids)
    }

    /// Unprepares the claims that the pod is the last to use. May be called again after an error.
    pub(crate) async fn unprepare(self: &Arc<Self>, pod_uid: &str) -> Result<(), UnprepareError> {
        if !self.is_used_by(pod_uid) {
            return Ok(());
        }
        let unprepare = self.cache.lock().detach(pod_uid);
        for (driver, claims) in unprepare.batches {
            let plugin = self.plugins.get(&driver)?;
            let request = NodeUnprepareResourcesRequest {
                claims: claims.clone(),
            };
            let answer = plugin
                .unprepare(request)
                .await
                .map_err(UnprepareError::Call)?;
            check_unprepared(&claims, &answer)?;
        }
        self.cache.lock().forget(&unprepare.last);
        Ok(self.save().await?)
    }

    /// Writes the state of this moment or a newer one.
    async fn save(self: &Arc<Self>) -> Result<(), CheckpointError> {
        let manager = self.clone();
        let written = tokio::task::spawn_blocking(move || {
            let _turn = manager.writing.lock();
            let infos = manager.cache.lock().infos();
            let failed = |source| CheckpointError::Write {
                path: manager.file.clone(),
                source,
            };
            let text = checkpoint::encode(infos).map_err(|e| failed(e.into()))?;
            checkpoint::write(&manager.file, &text)
        });
        written.await.unwrap_or_else(|join| {
            Err(CheckpointError::Write {
                path: self.file.clone(),
                source: std::io::Error::other(join),
            })
        })
    }
}

/// The claim of a pod claim and whether it was made from a template; `None` when none is needed
/// (`resourceclaim.Name`).
fn claim_name(pod: &PodView, claim: &PodClaim) -> Result<Option<(String, bool)>, PrepareError> {
    if let Some(name) = &claim.resource_claim_name {
        return Ok(Some((name.clone(), false)));
    }
    if claim.resource_claim_template_name.is_none() {
        return Err(PrepareError::Unsupported {
            pod: pod.full_name(),
            claim: claim.name.clone(),
        });
    }
    let statuses = &pod.status.resource_claim_statuses;
    match statuses.iter().find(|status| status.name == claim.name) {
        Some(status) => Ok(status.resource_claim_name.clone().map(|name| (name, true))),
        None => Err(PrepareError::NotCreated {
            pod: pod.full_name(),
        }),
    }
}
