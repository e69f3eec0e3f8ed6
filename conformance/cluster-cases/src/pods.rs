//! Waiting for pods, and what they got.

use std::collections::BTreeMap;

use drakit_api::k8s::api::core::v1::Pod;
use drakit_kit::case::CaseError;
use drakit_kit::stage::Stage;
use drakit_kit::wait::{self, Look};
use kube::Api;
use kube::api::DeleteParams;

/// The environment of a container, as its log shows it (`env NAME=value` lines).
pub type Environment = BTreeMap<String, String>;

/// Suffix of the variable that tells whose a device is.
const CLAIM: &str = "_RESOURCE_CLAIM";
/// What a GPU has without any configuration.
const DEFAULT_SETTINGS: [&str; 2] = ["SHARING_STRATEGY=TimeSlicing", "TIMESLICE_INTERVAL=Default"];

/// Waits until `count` pods of a namespace (with the label `app`, if given) run; all of them, in name order.
///
/// # Errors
/// A time-out that tells each pod's state.
pub async fn running(
    stage: &Stage,
    namespace: &str,
    app: Option<&str>,
    count: usize,
) -> Result<Vec<Pod>, CaseError> {
    let what = format!("{count} running pods in {namespace}");
    let pods = wait::until(&what, stage.patience(), || async {
        let all = match stage.list::<Pod>(namespace).await {
            Ok(all) => all,
            Err(error) => return Look::NotYet(error.to_string()),
        };
        let mine: Vec<Pod> = all
            .into_iter()
            .filter(|p| app.is_none_or(|app| label(p, "app") == Some(app)))
            .collect();
        if mine.len() == count && mine.iter().all(|p| phase(p) == "Running") {
            Look::Seen(mine)
        } else {
            Look::NotYet(mine.iter().map(state).collect::<Vec<_>>().join(", "))
        }
    })
    .await?;
    Ok(pods)
}

/// One look at a pod that should run.
pub async fn look(api: &Api<Pod>, name: &str) -> Look<Pod> {
    match api.get_opt(name).await {
        Ok(Some(pod)) if phase(&pod) == "Running" => Look::Seen(pod),
        Ok(Some(pod)) => Look::NotYet(state(&pod)),
        Ok(None) => Look::NotYet("it does not exist".into()),
        Err(error) => Look::NotYet(error.to_string()),
    }
}

/// Deletes a pod and waits until it is gone.
///
/// # Errors
/// When it cannot be deleted, or stays.
pub async fn delete(stage: &Stage, namespace: &str, name: &str) -> Result<(), CaseError> {
    let api = stage.namespaced::<Pod>(namespace);
    api.delete(name, &DeleteParams::default())
        .await
        .map_err(|error| CaseError::failed(format!("delete Pod {namespace}/{name}: {error}")))?;
    wait::until(
        &format!("pod {namespace}/{name} to go"),
        stage.patience(),
        || async {
            match api.get_opt(name).await {
                Ok(None) => Look::Seen(()),
                Ok(Some(pod)) => Look::NotYet(state(&pod)),
                Err(error) => Look::NotYet(error.to_string()),
            }
        },
    )
    .await?;
    Ok(())
}

/// What a container of a running pod sees: waits until its log has an environment line.
///
/// # Errors
/// A time-out with the log as it was.
pub async fn environment(
    stage: &Stage,
    pod: &Pod,
    container: Option<&str>,
) -> Result<Environment, CaseError> {
    let (namespace, name) = (namespace(pod), name(pod));
    let what = format!("the log of {namespace}/{name} to show devices");
    let seen = wait::until(&what, stage.patience(), || async {
        match stage.log(&namespace, &name, container).await {
            Ok(log) => {
                let found = devices(&log);
                if found.is_empty() {
                    Look::NotYet(format!("log {log:?}"))
                } else {
                    Look::Seen(found)
                }
            }
            Err(error) => Look::NotYet(error.to_string()),
        }
    })
    .await?;
    Ok(seen)
}

/// The device lines of a log: `env GPU_DEVICE_0=gpu-0`.
pub fn devices(log: &str) -> Environment {
    log.lines()
        .filter_map(|line| line.strip_prefix("env ")?.split_once('='))
        .filter(|(name, _)| name.contains("_DEVICE_") || *name == "DRA_ADMIN_ACCESS")
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The devices of a kind (`GPU`, `NIC`, `RDMA`) that a container sees. `GPU_DEVICE_0` names one if
/// `GPU_DEVICE_0_RESOURCE_CLAIM` says whose it is; everything else is a setting.
pub fn device_names(environment: &Environment, kind: &str) -> Vec<String> {
    let prefix = format!("{kind}_DEVICE_");
    let named = device_variables(environment).filter(|name| name.starts_with(&prefix));
    named.map(|name| environment[name].clone()).collect()
}

fn device_variables(environment: &Environment) -> impl Iterator<Item = &str> {
    environment
        .keys()
        .filter_map(|name| name.strip_suffix(CLAIM))
        .filter(|name| environment.contains_key(*name))
}

/// The devices with their settings, in one line: `gpu-0 (SHARING_STRATEGY=TimeSlicing), gpu-1`. Claim
/// uids and what every GPU has by default are left out.
pub fn describe(environment: &Environment) -> String {
    let describe = |variable: &str| {
        let settings: Vec<String> = environment
            .iter()
            .filter_map(|(name, value)| {
                let setting = name.strip_prefix(variable)?.strip_prefix('_')?;
                let owner = device_variables(environment)
                    .any(|v| v.len() > variable.len() && name.starts_with(v));
                (!owner && !name.ends_with(CLAIM)).then(|| format!("{setting}={value}"))
            })
            .collect();
        let plain = settings
            .iter()
            .all(|s| DEFAULT_SETTINGS.contains(&s.as_str()));
        let device = &environment[variable];
        if plain {
            device.clone()
        } else {
            format!("{device} ({})", settings.join(" "))
        }
    };
    let mut parts: Vec<String> = device_variables(environment).map(describe).collect();
    if environment.contains_key("DRA_ADMIN_ACCESS") {
        parts.push("with admin access".into());
    }
    parts.join(", ")
}

/// `metadata.name`.
pub fn name(pod: &Pod) -> String {
    pod.metadata.name.clone().unwrap_or_default()
}

/// `metadata.namespace`.
pub fn namespace(pod: &Pod) -> String {
    pod.metadata.namespace.clone().unwrap_or_default()
}

/// The node that it runs on.
pub fn node(pod: &Pod) -> String {
    pod.spec
        .as_ref()
        .and_then(|s| s.node_name.clone())
        .unwrap_or_default()
}

fn label<'a>(pod: &'a Pod, name: &str) -> Option<&'a str> {
    pod.metadata.labels.as_ref()?.get(name).map(String::as_str)
}

fn phase(pod: &Pod) -> &str {
    pod.status
        .as_ref()
        .and_then(|s| s.phase.as_deref())
        .unwrap_or("")
}

/// Name, phase and the first condition or container state that says why it does not run.
fn state(pod: &Pod) -> String {
    let status = pod.status.as_ref();
    let condition = status
        .and_then(|s| s.conditions.as_ref())
        .and_then(|c| {
            c.iter()
                .find(|c| c.status == "False" && c.message.is_some())
        })
        .and_then(|c| c.message.clone());
    let waiting = status
        .and_then(|s| s.container_statuses.as_ref())
        .and_then(|c| c.iter().find_map(|c| c.state.as_ref()?.waiting.clone()))
        .map(|w| {
            format!(
                "{} {}",
                w.reason.unwrap_or_default(),
                w.message.unwrap_or_default()
            )
        });
    let why = condition
        .or(waiting)
        .map(|text| format!(" ({})", text.trim()))
        .unwrap_or_default();
    format!("{} {}{why}", name(pod), phase(pod))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        devices(
            "a line\nenv GPU_DEVICE_0=gpu-0\nenv GPU_DEVICE_0_RESOURCE_CLAIM=u\nenv GPU_DEVICE_0_SHARING_STRATEGY=Partition\nenv PATH=/bin\nenv NIC_DEVICE_1=nic-1\nenv NIC_DEVICE_1_RESOURCE_CLAIM=u\n",
        )
    }

    #[test]
    fn devices_are_told_from_their_settings() {
        assert_eq!(environment().len(), 5);
        assert_eq!(device_names(&environment(), "GPU"), ["gpu-0"]);
        assert_eq!(device_names(&environment(), "NIC"), ["nic-1"]);
    }

    #[test]
    fn a_line_shows_devices_and_what_is_special_about_them() {
        assert_eq!(
            describe(&environment()),
            "gpu-0 (SHARING_STRATEGY=Partition), nic-1"
        );
    }
}
