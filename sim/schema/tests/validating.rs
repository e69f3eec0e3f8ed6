//! Validation against the validation functions of Kubernetes 1.37.2 (`golden/validate.jsonl`:
//! defaulted objects and what `pkg/apis/*/validation` says of them; where Go walks a map in
//! random order, the file has the order of the keys).

use drakit_sim_schema::{FieldValidation, GroupVersionKind, Schemas};
use serde_json::{Value, json};

#[test]
fn objects_are_refused_for_what_kubernetes_refuses_in_its_words() {
    let schemas = Schemas::load().expect("vendored types");
    let now = "2026-12-01T12:00:00Z".parse().expect("a time");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("golden/validate.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("a case per line");
        let text = |key: &str| case[key].as_str().expect("a text");
        let gvk = GroupVersionKind::parse(text("apiVersion"), text("kind")).expect("a kind");
        let resource = schemas
            .resource_of_kind(&gvk.group, &gvk.version, &gvk.kind)
            .expect("a resource");
        let decoded = schemas.check(&gvk, case["object"].clone(), FieldValidation::Strict);
        let mut object = decoded.expect("an object").object;
        schemas.default(&gvk, &mut object, now);
        schemas.canonicalize(&gvk, &mut object);
        let errors: Vec<String> = schemas
            .validate(resource, &object)
            .iter()
            .map(ToString::to_string)
            .collect();
        if json!(errors) != case["errors"] {
            wrong.push(format!(
                "{}\n  go   {}\n  here {}",
                text("name"),
                case["errors"],
                json!(errors)
            ));
        }
        count += 1;
    }
    assert!(count > 60, "the golden file is complete");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_running_pod_changes_its_images_and_little_else() {
    let schemas = Schemas::load().expect("vendored types");
    let pods = schemas.resource("", "v1", "pods").expect("a resource");
    let pod = |image: &str, node: &str| {
        json!({ "spec": {
            "containers": [{ "name": "c", "image": image, "imagePullPolicy": "Always", "terminationMessagePolicy": "File" }],
            "nodeName": node, "restartPolicy": "Always", "dnsPolicy": "Default",
        } })
    };
    let old = pod("a", "n");
    assert!(
        schemas
            .validate_update(pods, &pod("b", "n"), &old)
            .is_empty()
    );
    let refused = schemas.validate_update(pods, &pod("a", "m"), &old);
    let [only] = refused.as_slice() else {
        panic!("{refused:?}")
    };
    assert!(
        only.to_string()
            .starts_with("spec: Forbidden: pod updates may not change fields other than")
    );
}
