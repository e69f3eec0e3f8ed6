//! Strategic merge patches against `strategicpatch` of apimachinery v0.37.2
//! (`golden/strategic.jsonl`), and the other two patch formats.

use drakit_sim_schema::{GroupVersionKind, Schemas, patch};
use serde_json::{Value, json};

#[test]
fn strategic_merge_patches_apply_as_in_kubernetes() {
    let schemas = Schemas::load().expect("vendored types");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("golden/strategic.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("a case per line");
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let gvk = GroupVersionKind::parse(&text("apiVersion"), &text("kind")).expect("a kind");
        let original = case["object"].clone();
        let body = case["patch"].to_string();
        let found = match schemas.strategic_merge(&gvk, &original, body.as_bytes()) {
            Ok(merged) => merged.to_string(),
            Err(error) => error.to_string(),
        };
        let expected = match &case["result"] {
            Value::Null => text("error"),
            result => result.to_string(),
        };
        if found != expected {
            wrong.push(format!(
                "{}\n  go   {expected}\n  here {found}",
                text("name")
            ));
        }
        assert_eq!(original, case["object"], "the original stays as it is");
        count += 1;
    }
    assert!(count > 30, "the golden file is complete");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn json_patches_apply_or_are_rejected_in_kubernetes_words() {
    let object = json!({ "spec": { "a": [1, 2] } });
    let patched = patch::json(&object, br#"[{"op":"add","path":"/spec/a/-","value":3},{"op":"test","path":"/spec/a/0","value":1}]"#);
    assert_eq!(patched, Ok(json!({ "spec": { "a": [1, 2, 3] } })));
    let rejected =
        patch::json(&object, br#"[{"op":"remove","path":"/nope"}]"#).expect_err("no such path");
    assert_eq!((rejected.code(), rejected.reason()), (422, "Invalid"));
    assert_eq!(
        rejected.to_string(),
        "the server rejected our request due to an error in our request"
    );
    let malformed = patch::json(&object, b"{}").expect_err("not a patch");
    assert_eq!((malformed.code(), malformed.reason()), (400, "BadRequest"));
}

#[test]
fn merge_patches_replace_lists_and_delete_nulls() {
    let object = json!({ "spec": { "a": [1, 2], "b": 1 } });
    let patched = patch::merge(&object, br#"{"spec":{"a":[3],"b":null,"c":{"d":null}}}"#);
    assert_eq!(patched, Ok(json!({ "spec": { "a": [3], "c": {} } })));
    assert_eq!(
        patch::merge(&object, b"[]").map_err(|error| error.code()),
        Err(400)
    );
}
