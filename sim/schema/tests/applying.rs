//! Field management and server-side apply against `managedfields` of apimachinery v0.37.2
//! (`golden/apply.jsonl`: requests one after the other, each with what came of it).

use drakit_sim_schema::{FieldValidation, GroupVersionKind, Manager, Schemas};
use serde_json::{Value, json};

/// Runs one request; `live` becomes what is stored.
fn run(
    schemas: &Schemas,
    gvk: &GroupVersionKind,
    live: &mut Option<Value>,
    step: &Value,
    time: &str,
) -> Result<(), String> {
    let text = |key: &str| step[key].as_str().unwrap_or_default();
    let manager = Manager {
        name: text("manager"),
        subresource: text("subresource"),
        time,
    };
    let config = &step["object"];
    let mut next = if text("op") == "apply" {
        let applied = schemas.apply(gvk, live.as_ref(), config, &manager, step["force"] == true);
        let mut applied = decoded(schemas, gvk, applied.map_err(|error| error.to_string())?)?;
        let now = time.parse().map_err(|_| "no time")?;
        schemas.default(gvk, &mut applied, now);
        applied
    } else {
        let mut object = decoded(schemas, gvk, config.clone())?;
        schemas.canonicalize(gvk, &mut object);
        // Decoding drops the empty list by which a client resets the entries.
        if config["metadata"]["managedFields"] == json!([]) {
            object["metadata"]["managedFields"] = json!([]);
        }
        schemas.track_update(gvk, live.as_ref(), &mut object, &manager);
        object
    };
    schemas.canonicalize(gvk, &mut next);
    next["metadata"]["uid"] = json!("u");
    *live = Some(next);
    Ok(())
}

fn decoded(schemas: &Schemas, gvk: &GroupVersionKind, object: Value) -> Result<Value, String> {
    let decoded = schemas.check(gvk, object, FieldValidation::Strict);
    decoded
        .map(|decoded| decoded.object)
        .map_err(|error| error.to_string())
}

#[test]
fn requests_change_objects_and_ownership_as_in_kubernetes() {
    let schemas = Schemas::load().expect("vendored types");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("golden/apply.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("a case per line");
        let text = |key: &str| case[key].as_str().expect("a text");
        let gvk = GroupVersionKind::parse(text("apiVersion"), text("kind")).expect("a kind");
        let mut live = None;
        for (index, step) in case["steps"].as_array().expect("steps").iter().enumerate() {
            let time = format!("2026-01-02T03:04:{}Z", 10 + index);
            let outcome = run(&schemas, &gvk, &mut live, step, &time);
            let (expected, found) = match (&step["result"], outcome) {
                (Value::Null, Ok(())) => (
                    step["error"].to_string(),
                    live.clone().unwrap_or_default().to_string(),
                ),
                (Value::Null, Err(error)) => (step["error"].to_string(), json!(error).to_string()),
                (result, Ok(())) => (
                    result.to_string(),
                    live.clone().unwrap_or_default().to_string(),
                ),
                (result, Err(error)) => (result.to_string(), error),
            };
            if expected != found {
                wrong.push(format!(
                    "{} step {index}\n  go   {expected}\n  here {found}",
                    text("name")
                ));
                break;
            }
        }
        count += 1;
    }
    assert!(count > 20, "the golden file is complete");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
