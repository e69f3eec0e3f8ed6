//! Pods from pod templates.

use drakit_sim_store::{Object, Resource};
use serde_json::{Value, json};

/// A pod of a workload: the template's metadata and spec, owned by the workload, with what pod
/// admission adds (service account, tolerations, priority). `spec` defaults were filled in when the
/// workload was created.
pub(crate) fn pod(owner: &Object, resource: &Resource, template: &Value) -> Value {
    let meta = &template["metadata"];
    let mut spec = template["spec"].clone();
    admit(&mut spec);
    let mut pod = json!({
        "metadata": {
            "generateName": format!("{}-", owner.name()),
            "namespace": owner.namespace(),
            "labels": meta.get("labels").cloned().unwrap_or_else(|| json!({})),
            "ownerReferences": [owner_reference(owner, resource)],
        },
        "spec": spec,
        "status": {"phase": "Pending", "qosClass": "BestEffort"},
    });
    for field in ["annotations", "finalizers"] {
        if let Some(value) = meta.get(field) {
            pod["metadata"][field] = value.clone();
        }
    }
    pod
}

/// The owner reference that a controller puts on what it makes.
pub(crate) fn owner_reference(owner: &Object, resource: &Resource) -> Value {
    json!({
        "apiVersion": resource.api_version(),
        "kind": resource.kind,
        "name": owner.name(),
        "uid": owner.uid(),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// ServiceAccount, DefaultTolerationSeconds and Priority admission.
fn admit(spec: &mut Value) {
    let Some(fields) = spec.as_object_mut() else {
        return;
    };
    let account = fields
        .get("serviceAccountName")
        .cloned()
        .unwrap_or_else(|| json!("default"));
    fields
        .entry("serviceAccountName")
        .or_insert_with(|| account.clone());
    fields.entry("serviceAccount").or_insert(account);
    fields.entry("enableServiceLinks").or_insert(json!(true));
    fields.entry("priority").or_insert(json!(0));
    fields
        .entry("preemptionPolicy")
        .or_insert(json!("PreemptLowerPriority"));
    let tolerations = fields.entry("tolerations").or_insert_with(|| json!([]));
    let Some(list) = tolerations.as_array_mut() else {
        return;
    };
    for key in [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ] {
        let tolerated = |t: &Value| {
            t.get("key")
                .and_then(Value::as_str)
                .is_none_or(|k| k == key)
        };
        if !list.iter().any(tolerated) {
            list.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}

/// A short hash of a template, in the letters of generated names (`ComputeHash`). The value differs
/// from the one that Kubernetes would compute; that equal templates give equal hashes is what counts.
pub(crate) fn hash(template: &Value) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    // FNV-1a, 32 bit, over the canonical JSON text.
    let mut value = 2_166_136_261_u32;
    for byte in template.to_string().bytes() {
        value = (value ^ u32::from(byte)).wrapping_mul(16_777_619);
    }
    value
        .to_string()
        .bytes()
        .map(|digit| char::from(LETTERS[usize::from(digit) % LETTERS.len()]))
        .collect()
}
