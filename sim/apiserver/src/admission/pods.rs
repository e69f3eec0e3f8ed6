//! Admission plugins for pods that a cluster has on by default: ServiceAccount,
//! DefaultTolerationSeconds, Priority.

use drakit_sim_store::{Filter, Key, Resource};
use serde_json::{Value, json};

use crate::app::App;
use crate::failure::Failure;
use crate::verbs::write::text;

/// Where priority classes are stored.
const PRIORITY_CLASSES: (&str, &str, &str) = ("scheduling.k8s.io", "v1", "priorityclasses");
/// Classes that every cluster has (`pkg/apis/scheduling/v1/helpers.go`).
const SYSTEM_CLASSES: [(&str, i64); 2] = [
    ("system-node-critical", 2_000_001_000),
    ("system-cluster-critical", 2_000_000_000),
];
/// Seconds that a pod stays on a node that is not ready (`defaulttolerationseconds/admission.go`).
const TOLERATION_SECONDS: i64 = 300;

/// Changes or refuses a new pod.
pub(crate) fn admit(app: &App, pod: &mut Value) -> Result<(), Failure> {
    let name = text(pod, "name").to_owned();
    let Some(spec) = pod.get_mut("spec").filter(|spec| spec.is_object()) else {
        return Ok(());
    };
    service_account(spec);
    tolerations(spec);
    priority(app, &name, spec)
}

fn service_account(spec: &mut Value) {
    let named = ["serviceAccountName", "serviceAccount"]
        .iter()
        .find_map(|field| {
            spec.get(field)
                .and_then(Value::as_str)
                .filter(|n| !n.is_empty())
        })
        .unwrap_or("default")
        .to_owned();
    spec["serviceAccountName"] = json!(named);
    spec["serviceAccount"] = json!(named);
}

fn tolerations(spec: &mut Value) {
    let own = spec
        .get("tolerations")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let tolerates = |key: &str| {
        let field =
            |t: &Value, name: &str| t.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
        own.iter().any(|t| {
            [key, ""].contains(&field(t, "key").as_str())
                && ["NoExecute", ""].contains(&field(t, "effect").as_str())
        })
    };
    let added: Vec<Value> = [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ]
    .into_iter()
    .filter(|key| !tolerates(key))
    .map(|key| {
        json!({
            "key": key, "operator": "Exists", "effect": "NoExecute",
            "tolerationSeconds": TOLERATION_SECONDS,
        })
    })
    .collect();
    if !added.is_empty() {
        spec["tolerations"] = own.into_iter().chain(added).collect();
    }
}

/// A priority class, as far as pods need it.
struct Class {
    name: String,
    value: i64,
    preemption: String,
}

fn priority(app: &App, pod: &str, spec: &mut Value) -> Result<(), Failure> {
    let forbidden = |why: String| Err(Failure::forbidden("pods", pod, why));
    let wanted = spec
        .get("priorityClassName")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let class = if wanted.is_empty() {
        default_class(app)
    } else {
        match find_class(app, wanted) {
            Some(class) => class,
            None => return forbidden(format!("no PriorityClass with name {wanted} was found")),
        }
    };
    if let Some(given) = spec.get("priority").and_then(Value::as_i64)
        && given != class.value
    {
        return forbidden(format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed {} from the given PriorityClass name",
            class.value
        ));
    }
    if let Some(given) = spec.get("preemptionPolicy").and_then(Value::as_str)
        && given != class.preemption
    {
        return forbidden(format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority admission controller computed {} from the given PriorityClass name",
            class.preemption
        ));
    }
    spec["priority"] = json!(class.value);
    spec["preemptionPolicy"] = json!(class.preemption);
    if !class.name.is_empty() {
        spec["priorityClassName"] = json!(class.name);
    }
    Ok(())
}

fn stored_classes(app: &App) -> Option<&Resource> {
    let (group, version, plural) = PRIORITY_CLASSES;
    app.catalogue
        .get(group, version, plural)
        .map(|kind| &kind.store)
}

fn class_of(value: &Value) -> Class {
    Class {
        name: text(value, "name").to_owned(),
        value: value.get("value").and_then(Value::as_i64).unwrap_or(0),
        preemption: value
            .get("preemptionPolicy")
            .and_then(Value::as_str)
            .unwrap_or("PreemptLowerPriority")
            .to_owned(),
    }
}

fn find_class(app: &App, name: &str) -> Option<Class> {
    if let Some((name, value)) = SYSTEM_CLASSES.iter().find(|(known, _)| *known == name) {
        let preemption = "PreemptLowerPriority".to_owned();
        return Some(Class {
            name: (*name).to_owned(),
            value: *value,
            preemption,
        });
    }
    let object = app
        .store
        .get(stored_classes(app)?, &Key::cluster(name))
        .ok()?;
    Some(class_of(object.value()))
}

/// The class that is marked as default, the lowest of several, or priority 0.
fn default_class(app: &App) -> Class {
    let classes = stored_classes(app)
        .filter(|resource| app.store.count(resource) > 0)
        .map(|resource| app.store.list(resource, &Filter::all()).0)
        .unwrap_or_default();
    classes
        .iter()
        .filter(|class| class.at(&["globalDefault"]).as_bool() == Some(true))
        .map(|class| class_of(class.value()))
        .min_by_key(|class| class.value)
        .unwrap_or_else(|| class_of(&Value::Null))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_gets_the_tolerations_it_lacks() {
        let mut spec =
            json!({"tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]});
        tolerations(&mut spec);
        let keys: Vec<_> = spec["tolerations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["key"].clone())
            .collect();
        assert_eq!(
            keys,
            [
                "node.kubernetes.io/not-ready",
                "node.kubernetes.io/unreachable"
            ]
        );
        let mut all = json!({"tolerations": [{"operator": "Exists"}]});
        tolerations(&mut all);
        assert_eq!(all["tolerations"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_pod_without_a_service_account_runs_as_default() {
        let mut spec = json!({});
        service_account(&mut spec);
        assert_eq!(
            spec,
            json!({"serviceAccountName": "default", "serviceAccount": "default"})
        );
    }
}
