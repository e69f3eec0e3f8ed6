//! The environment of a container (`kubelet_pods.go`, `makeEnvironmentVariables`).

use std::collections::BTreeMap;
use std::sync::Arc;

use drakit_sim_store::resource::{CONFIG_MAPS, SECRETS};
use drakit_sim_store::{Key, Object, Resource, Store};

use super::view::{Container, EnvVar, KeyRef, PodView};

/// Addresses of a pod and its node.
#[derive(Debug, Clone)]
pub(crate) struct Addresses {
    pub(crate) pod: String,
    pub(crate) host: String,
}

/// What a container cannot be made without; the kubelet's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EnvironmentError {
    #[error("{kind} \"{name}\" not found")]
    NoObject { kind: &'static str, name: String },
    #[error("couldn't find key {key} in {kind} {object}")]
    NoKey {
        key: String,
        kind: &'static str,
        object: String,
    },
}

/// Environment of `container` from the pod's specification. What is not emulated says so as value.
pub(crate) fn environment(
    store: &Store,
    pod: &PodView,
    container: &Container,
    addresses: &Addresses,
) -> Result<BTreeMap<String, String>, EnvironmentError> {
    let mut env = BTreeMap::new();
    for source in &container.env_from {
        for (resource, kind, reference) in [
            (&CONFIG_MAPS, "configmap", &source.config_map_ref),
            (&SECRETS, "secret", &source.secret_ref),
        ] {
            let Some(reference) = reference else { continue };
            let Some(object) = fetch(store, resource, kind, pod, reference)? else {
                continue;
            };
            for (key, value) in data(&object) {
                env.insert(format!("{}{key}", source.prefix), value);
            }
        }
    }
    for variable in &container.env {
        if let Some(value) = value(store, pod, variable, addresses, &env)? {
            env.insert(variable.name.clone(), value);
        }
    }
    Ok(env)
}

fn value(
    store: &Store,
    pod: &PodView,
    variable: &EnvVar,
    addresses: &Addresses,
    env: &BTreeMap<String, String>,
) -> Result<Option<String>, EnvironmentError> {
    let Some(source) = &variable.value_from else {
        return Ok(Some(expand(&variable.value, env)));
    };
    if let Some(field) = &source.field {
        return Ok(Some(field_value(pod, &field.field_path, addresses)));
    }
    for (resource, kind, reference) in [
        (&CONFIG_MAPS, "configmap", &source.config_map_key),
        (&SECRETS, "secret", &source.secret_key),
    ] {
        let Some(reference) = reference else { continue };
        let Some(object) = fetch(store, resource, kind, pod, reference)? else {
            return Ok(None);
        };
        return match data(&object).remove(&reference.key) {
            Some(value) => Ok(Some(value)),
            None if reference.optional => Ok(None),
            None => Err(EnvironmentError::NoKey {
                key: reference.key.clone(),
                kind: if kind == "secret" {
                    "Secret"
                } else {
                    "ConfigMap"
                },
                object: pod.metadata.namespace.clone() + "/" + &reference.name,
            }),
        };
    }
    Ok(Some("(not emulated)".into()))
}

/// The object, or `None` when it is absent and optional.
fn fetch(
    store: &Store,
    resource: &Resource,
    kind: &'static str,
    pod: &PodView,
    reference: &KeyRef,
) -> Result<Option<Arc<Object>>, EnvironmentError> {
    let key = Key::new(pod.metadata.namespace.as_str(), reference.name.as_str());
    match store.get(resource, &key) {
        Ok(object) => Ok(Some(object)),
        Err(_) if reference.optional => Ok(None),
        Err(_) => Err(EnvironmentError::NoObject {
            kind,
            name: reference.name.clone(),
        }),
    }
}

/// Entries of a ConfigMap; of a Secret only the names, since logs are no place for secrets.
fn data(object: &Object) -> BTreeMap<String, String> {
    let secret = object.str_at(&["kind"]) == "Secret";
    let entries = object.at(&["data"]).as_object().into_iter().flatten();
    entries
        .map(|(key, value)| {
            let value = value.as_str().unwrap_or_default();
            let shown = if secret { "(secret)" } else { value };
            (key.clone(), shown.to_owned())
        })
        .collect()
}

fn field_value(pod: &PodView, path: &str, addresses: &Addresses) -> String {
    let subscript = |prefix: &str| {
        path.strip_prefix(prefix)?
            .strip_prefix("['")?
            .strip_suffix("']")
    };
    let meta = &pod.metadata;
    if let Some(label) = subscript("metadata.labels") {
        return meta.labels.get(label).cloned().unwrap_or_default();
    }
    if let Some(annotation) = subscript("metadata.annotations") {
        return meta
            .annotations
            .get(annotation)
            .cloned()
            .unwrap_or_default();
    }
    match path {
        "metadata.name" => meta.name.clone(),
        "metadata.namespace" => meta.namespace.clone(),
        "metadata.uid" => meta.uid.clone(),
        "spec.nodeName" => pod.spec.node_name.clone(),
        "spec.serviceAccountName" => pod.spec.service_account_name.clone(),
        "status.podIP" | "status.podIPs" => addresses.pod.clone(),
        "status.hostIP" | "status.hostIPs" => addresses.host.clone(),
        _ => "(not emulated)".into(),
    }
}

/// Replaces `$(NAME)` by variables before it; `$$` stands for `$`
/// (`k8s.io/kubernetes/third_party/forked/golang/expansion`).
fn expand(text: &str, env: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        let reference = rest.strip_prefix('(').and_then(|r| r.split_once(')'));
        match reference.and_then(|(name, after)| Some((env.get(name)?, after))) {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => out.push('$'),
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use drakit_sim_store::Clock;
    use serde_json::json;

    fn resolve(spec: &serde_json::Value) -> Result<BTreeMap<String, String>, EnvironmentError> {
        let store = Store::new(1, Clock::system());
        let namespace = json!({"metadata": {"name": "ns"}});
        store
            .create(&drakit_sim_store::resource::NAMESPACES, namespace)
            .unwrap();
        let map = json!({"metadata": {"name": "map", "namespace": "ns"}, "data": {"k": "v"}});
        store.create(&CONFIG_MAPS, map).unwrap();
        let pod: PodView = serde_json::from_value(json!({
            "metadata": {"name": "p", "namespace": "ns", "uid": "u", "labels": {"a/b": "c"}},
            "spec": {"nodeName": "n", "containers": [spec]},
        }))
        .unwrap();
        let addresses = Addresses {
            pod: "10.0.0.1".into(),
            host: "172.18.0.2".into(),
        };
        environment(&store, &pod, &pod.spec.containers[0], &addresses)
    }

    #[test]
    fn values_come_from_the_pod_its_node_and_config_maps() {
        let env = resolve(&json!({"name": "c", "envFrom": [{"prefix": "P_", "configMapRef": {"name": "map"}}], "env": [
            {"name": "A", "value": "1"},
            {"name": "B", "value": "$(A)-$(NONE)-$$(A)"},
            {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            {"name": "LABEL", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a/b']"}}},
            {"name": "K", "valueFrom": {"configMapKeyRef": {"name": "map", "key": "k"}}},
            {"name": "O", "valueFrom": {"configMapKeyRef": {"name": "none", "key": "k", "optional": true}}},
        ]}))
        .unwrap();
        let lines: Vec<_> = env.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(
            lines,
            [
                "A=1",
                "B=1-$(NONE)-$(A)",
                "K=v",
                "LABEL=c",
                "NODE=n",
                "P_k=v"
            ]
        );
    }

    #[test]
    fn a_missing_config_map_is_an_error() {
        let env = json!({"name": "c", "env": [{"name": "K", "valueFrom": {"configMapKeyRef": {"name": "none", "key": "k"}}}]});
        assert_eq!(
            resolve(&env).unwrap_err().to_string(),
            "configmap \"none\" not found"
        );
    }
}
