//! Carries out the writes for one pool.

use std::time::Duration;

use drakit_api::k8s::api::resource::v1::{ResourceSlice, ResourceSliceSpec};
use drakit_api::k8s::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::api::{Api, DeleteParams, PostParams, Preconditions};

use crate::error::PublishError;
use crate::inventory::summary;
use crate::plan::{Stored, Wanted, Writes, generate_name};
use crate::pool::PoolKey;

/// How long one call may take. The API server's own limit is 60 s, but a
/// publisher that waits that long for a lost connection heals nothing.
const CALL_LIMIT: Duration = Duration::from_secs(15);

/// A call with a limit, its error in words.
pub(crate) async fn answered<T>(
    verb: &'static str,
    what: impl Fn() -> String,
    call: impl Future<Output = Result<T, kube::Error>>,
) -> Result<T, PublishError> {
    match tokio::time::timeout(CALL_LIMIT, call).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(source)) => Err(PublishError::Api {
            verb,
            what: what(),
            source: Box::new(source),
        }),
        Err(_) => Err(PublishError::Timeout {
            verb,
            what: what(),
            seconds: CALL_LIMIT.as_secs(),
        }),
    }
}

/// What a sync changed, in the order in which it happened; complete up to the
/// first error.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) deleted: Vec<Stored>,
    pub(crate) written: Vec<Written>,
    pub(crate) created: usize,
}

/// One slice that was sent, and what came back.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) index: usize,
    pub(crate) stored: Stored,
    /// Paths that the API server did not keep as sent.
    pub(crate) dropped: Vec<String>,
}

/// Most paths that a report of dropped fields names.
const DROPPED_SHOWN: usize = 5;

/// The owner of node-local slices.
pub(crate) struct Owner {
    pub(crate) node: String,
    pub(crate) uid: String,
}

impl Owner {
    fn reference(&self) -> OwnerReference {
        OwnerReference {
            api_version: "v1".into(),
            kind: "Node".into(),
            name: self.node.clone(),
            uid: self.uid.clone(),
            controller: Some(true),
            block_owner_deletion: None,
        }
    }
}

/// Deletes, updates, creates. `specs` are all slices with their generation,
/// `wanted` their digests.
pub(crate) async fn carry_out(
    api: &Api<ResourceSlice>,
    key: &PoolKey,
    writes: Writes,
    specs: &[ResourceSliceSpec],
    wanted: &[Wanted],
    owner: Option<&Owner>,
    changes: &mut Changes,
) -> Result<(), PublishError> {
    for obsolete in writes.delete {
        delete(api, &obsolete).await?;
        changes.deleted.push(obsolete);
    }
    for (index, current) in &writes.update {
        let (Some(spec), Some(wanted)) = (specs.get(*index), wanted.get(*index)) else {
            continue;
        };
        let answer = match update(api, current, spec, owner).await {
            Err(error) if is_not_found(&error) => {
                changes.deleted.push(current.clone());
                return Err(error);
            }
            other => other?,
        };
        changes
            .written
            .push(written("update", key, *index, (spec, wanted), &answer)?);
    }
    for index in writes.create {
        let (Some(spec), Some(wanted)) = (specs.get(index), wanted.get(index)) else {
            continue;
        };
        let slice = ResourceSlice {
            metadata: ObjectMeta {
                generate_name: Some(generate_name(
                    index,
                    specs.len(),
                    &spec.driver,
                    key.node.as_deref(),
                )),
                owner_references: owner.map(|owner| vec![owner.reference()]),
                ..ObjectMeta::default()
            },
            spec: spec.clone(),
        };
        let what = || format!("ResourceSlice {index} of {key}");
        let answer = answered("create", what, api.create(&PostParams::default(), &slice)).await?;
        changes.created += 1;
        changes
            .written
            .push(written("create", key, index, (spec, wanted), &answer)?);
    }
    Ok(())
}

/// Deletes exactly this state of the slice; one that is gone already is fine.
pub(crate) async fn delete(api: &Api<ResourceSlice>, slice: &Stored) -> Result<(), PublishError> {
    let params = DeleteParams {
        preconditions: Some(Preconditions {
            uid: Some(slice.uid.clone()),
            resource_version: Some(slice.resource_version.clone()),
        }),
        ..DeleteParams::default()
    };
    let what = || format!("ResourceSlice {:?}", slice.name);
    match answered("delete", what, api.delete(&slice.name, &params)).await {
        Err(error) if is_not_found(&error) => Ok(()),
        other => other.map(drop),
    }
}

fn is_not_found(error: &PublishError) -> bool {
    matches!(error, PublishError::Api { source, .. }
        if matches!(&**source, kube::Error::Api(status) if status.code == 404))
}

/// Reads the slice for what others wrote into its metadata, then replaces it.
async fn update(
    api: &Api<ResourceSlice>,
    current: &Stored,
    spec: &ResourceSliceSpec,
    owner: Option<&Owner>,
) -> Result<ResourceSlice, PublishError> {
    let what = || format!("ResourceSlice {:?}", current.name);
    let mut slice = answered("get", what, api.get(&current.name)).await?;
    let old = std::mem::replace(&mut slice.spec, spec.clone());
    keep_taint_times(&mut slice.spec, &old);
    if let Some(owner) = owner {
        let owners = slice.metadata.owner_references.get_or_insert_default();
        owners.retain(|other| other.kind != "Node" && other.controller != Some(true));
        owners.push(owner.reference());
    }
    answered(
        "update",
        what,
        api.replace(&current.name, &PostParams::default(), &slice),
    )
    .await
}

/// A taint that stays keeps the time at which it was added
/// (`copyTaintTimeAdded` in the Go helper).
fn keep_taint_times(new: &mut ResourceSliceSpec, old: &ResourceSliceSpec) {
    for device in new.devices.iter_mut().flatten() {
        let before = old
            .devices
            .iter()
            .flatten()
            .find(|other| other.name == device.name);
        for taint in device.taints.iter_mut().flatten() {
            if taint.time_added.is_some() {
                continue;
            }
            let same = before.and_then(|device| {
                device.taints.as_ref()?.iter().find(|other| {
                    (&other.key, &other.value, &other.effect)
                        == (&taint.key, &taint.value, &taint.effect)
                })
            });
            taint.time_added = same.and_then(|taint| taint.time_added.clone());
        }
    }
}

fn written(
    verb: &'static str,
    key: &PoolKey,
    index: usize,
    (sent, wanted): (&ResourceSliceSpec, &Wanted),
    answer: &ResourceSlice,
) -> Result<Written, PublishError> {
    let (_, stored) = summary(answer).ok_or_else(|| PublishError::Answer {
        verb,
        what: format!("ResourceSlice {index} of {key}"),
    })?;
    let dropped = if wanted.sent.is_met_by(stored.digest) {
        Vec::new()
    } else {
        crate::digest::differences(sent, &answer.spec, DROPPED_SHOWN)
    };
    Ok(Written {
        index,
        stored,
        dropped,
    })
}
