//! Defaulting against `legacyscheme.Scheme.Default` of Kubernetes 1.37.2 (`golden/default.jsonl`).

use drakit_sim_schema::{FieldValidation, GroupVersionKind, Schemas};
use serde_json::Value;

#[test]
fn objects_get_the_defaults_of_kubernetes_and_get_them_once() {
    let schemas = Schemas::load().expect("vendored types");
    let now = "2026-12-01T12:00:00Z".parse().expect("a time");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("golden/default.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("a case per line");
        let text = |key: &str| case[key].as_str().expect("a text").to_owned();
        let gvk = GroupVersionKind::parse(&text("apiVersion"), &text("kind")).expect("a kind");
        let decoded = schemas.check(&gvk, case["object"].clone(), FieldValidation::Strict);
        let mut object = decoded.expect("a valid object").object;
        schemas.default(&gvk, &mut object, now);
        let once = object.clone();
        schemas.default(&gvk, &mut object, now);
        assert_eq!(object, once, "{}: defaulting is idempotent", text("name"));
        schemas.canonicalize(&gvk, &mut object);
        if object != case["result"] {
            wrong.push(format!(
                "{}\n  go   {}\n  here {object}",
                text("name"),
                case["result"]
            ));
        }
        count += 1;
    }
    assert!(count > 40, "the golden file is complete");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
