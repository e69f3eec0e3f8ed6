//! Same verdicts as a Kubernetes 1.37.2 API server, for the objects in `golden/`
//! (see its README).
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a malformed golden file fails the test"
)]

use std::fs;

use drakit_api::validate::{self, CelProblem, CelUse, Checks, Gates, Part};
use serde_json::{Map, Value};

fn golden(file: &str) -> String {
    fs::read_to_string(format!(
        "{}/tests/golden/{file}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

/// Writes out what the files abbreviate: `<x*3>` for `xxx`.
fn written_out(line: &str) -> String {
    let mut parts = line.split('<');
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let run = part.split_once('>').and_then(|(run, rest)| {
            let (letter, count) = run.split_once('*')?;
            Some((letter.repeat(count.parse().ok()?), rest))
        });
        match run {
            Some((run, rest)) => out.extend([&run, rest]),
            None => out.extend(["<", part]),
        }
    }
    out
}

fn lines(file: &str) -> Vec<Value> {
    let lines: Vec<Value> = golden(file)
        .lines()
        .map(|line| serde_json::from_str(&written_out(line)).unwrap())
        .collect();
    assert!(lines.len() > 100, "{file} is too short");
    lines
}

/// The named object, with some fields changed: JSON pointer to value.
fn object(objects: &Value, name: &Value, changes: Option<&Value>) -> Value {
    let mut object = objects[name.as_str().unwrap()]["object"].clone();
    for (pointer, value) in changes.and_then(Value::as_object).into_iter().flatten() {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        let field = field.replace("~1", "/").replace("~0", "~");
        let mut target = &mut object;
        for part in parent.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            target = match part.parse::<usize>() {
                Ok(index) if target.is_array() => &mut target[index],
                _ => &mut target[part],
            };
        }
        match (target, value.as_str() == Some("<del>")) {
            (Value::Array(list), true) => drop(list.remove(field.parse().unwrap())),
            (Value::Array(list), false) if field == "-" => list.push(value.clone()),
            (Value::Array(list), false) => list[field.parse::<usize>().unwrap()] = value.clone(),
            (target, true) => drop(target.as_object_mut().and_then(|map| map.remove(&field))),
            (target, false) => target[field] = value.clone(),
        }
    }
    object
}

fn gates(case: &Value) -> Gates {
    let mut gates = Gates::default();
    for (name, on) in case
        .get("gates")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let on = on.as_bool().unwrap();
        match name.as_str() {
            "DRAAdminAccess" => gates.admin_access = on,
            "DRAConsumableCapacity" => gates.consumable_capacity = on,
            "DRADerivedAttributes" => gates.derived_attributes = on,
            "DRADeviceBindingConditions" => gates.device_binding_conditions = on,
            "DRADeviceCompatibilityGroups" => gates.device_compatibility_groups = on,
            "DRADeviceTaints" => gates.device_taints = on,
            "DRAExtendedResource" => gates.extended_resource = on,
            "DRAFractionalCapacityRange" => gates.fractional_capacity_range = on,
            "DRAListTypeAttributes" => gates.list_type_attributes = on,
            "DRANodeAllocatableResources" => gates.node_allocatable_resources = on,
            "DRAOptionalNodeOperations" => gates.optional_node_operations = on,
            "DRAPartitionableDevices" => gates.partitionable_devices = on,
            "DRAPartitionableDevicesType" => gates.partitionable_devices_type = on,
            "DRAPrioritizedList" => gates.prioritized_list = on,
            "DRAResourceClaimDeviceStatus" => gates.resource_claim_device_status = on,
            "DRADeviceTaintRules" | "DRAResourcePoolStatus" => {}
            other => unreachable!("{other}"),
        }
    }
    gates
}

/// Go's verdict on an expression, from the golden line.
fn compiled(case: &Value, text: &str, purpose: CelUse) -> Result<u64, CelProblem> {
    let verdict = &case["cel"][text][usize::from(purpose == CelUse::DerivedAttribute)];
    match verdict.as_u64() {
        Some(cost) => Ok(cost),
        None => Err(CelProblem::invalid(
            verdict["invalid"]
                .as_str()
                .expect("Go has a verdict on each expression"),
        )),
    }
}

fn verdict(case: &Value, kind: &str, new: &Value, old: &Value) -> Vec<String> {
    let cel = |text: &str, purpose: CelUse| compiled(case, text, purpose);
    let checks = Checks::new(gates(case)).with_cel(&cel);
    let errors = match case["op"].as_str().unwrap() {
        "create" => validate::create(kind, new, &checks),
        "update" => validate::update(kind, new, old, &checks),
        "status" => validate::status_update(kind, new, old, &checks),
        other => unreachable!("{other}"),
    };
    let show = |error: drakit_api::FieldError| format!("{}|{error}", error.kind.reason());
    errors.unwrap().into_iter().map(show).collect()
}

#[test]
fn objects_are_refused_with_the_words_of_kubernetes() {
    let objects: Value = serde_json::from_str(&golden("validate-objects.json")).unwrap();
    let cases = lines("validate.jsonl");
    let mut differences = Vec::new();
    for case in &cases {
        let kind = objects[case["base"].as_str().unwrap()]["kind"]
            .as_str()
            .unwrap();
        let new = object(&objects, &case["base"], case.get("new"));
        let old = case
            .get("oldBase")
            .map_or(Value::Null, |base| object(&objects, base, case.get("old")));
        let mut ours = verdict(case, kind, &new, &old);
        let mut expected: Vec<String> = serde_json::from_value(case["errors"].clone()).unwrap();
        // Go walks maps in random order.
        if case.get("unordered").is_some() {
            ours.sort_unstable();
            expected.sort_unstable();
        }
        if ours != expected {
            let mut input = case.as_object().unwrap().clone();
            input.retain(|key, _| key != "errors" && key != "cel");
            differences.push(format!(
                "{}\n  Go   {expected:#?}\n  ours {ours:#?}",
                Value::Object(input)
            ));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {} differ:\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
}

/// Without what is empty, which Go's JSON may or may not have.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept: Map<String, Value> = map
                .iter()
                .map(|(key, value)| (key.clone(), without_empty(value)))
                .filter(|(_, value)| !is_empty(value))
                .collect();
            Value::Object(kept)
        }
        Value::Array(list) => Value::Array(list.iter().map(without_empty).collect()),
        other => other.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Bool(_) => false,
    }
}

#[test]
fn fields_of_disabled_features_are_dropped_unless_in_use() {
    let objects: Value = serde_json::from_str(&golden("validate-objects.json")).unwrap();
    let cases = lines("drop-fields.jsonl");
    let mut differences = Vec::new();
    for case in &cases {
        let kind = objects[case["base"].as_str().unwrap()]["kind"]
            .as_str()
            .unwrap();
        let mut new = object(&objects, &case["base"], case.get("new"));
        let old = case
            .get("oldBase")
            .map(|base| object(&objects, base, case.get("old")));
        let (part, field) = match case["op"].as_str() {
            Some("drop-status") => (Part::Status, "status"),
            _ => (Part::Main, "spec"),
        };
        validate::drop_disabled_fields(kind, part, &mut new, old.as_ref(), &gates(case));
        let (ours, expected) = (without_empty(&new[field]), without_empty(&case["after"]));
        if ours != expected {
            let mut input = case.as_object().unwrap().clone();
            input.retain(|key, _| key != "after");
            differences.push(format!(
                "{}\n  Go   {expected}\n  ours {ours}",
                Value::Object(input)
            ));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {} differ:\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
}

/// Every object that differs from `whole` in one place, where it has something odd.
fn with_odd_parts(whole: &Value, pointer: &str, found: &mut Vec<Value>) {
    let odd = [
        "null",
        "-1",
        "1.5",
        r#""""#,
        "[]",
        "[null]",
        "{}",
        r#"{"":{}}"#,
        "true",
    ];
    for odd in odd
        .iter()
        .filter_map(|odd| serde_json::from_str::<Value>(odd).ok())
    {
        let mut object = whole.clone();
        *object.pointer_mut(pointer).unwrap() = odd;
        found.push(object);
    }
    let keys: Vec<String> = match whole.pointer(pointer).unwrap() {
        Value::Object(map) => map.keys().cloned().collect(),
        Value::Array(list) => (0..list.len()).map(|index| index.to_string()).collect(),
        _ => return,
    };
    for key in keys {
        let key = key.replace('~', "~0").replace('/', "~1");
        with_odd_parts(whole, &format!("{pointer}/{key}"), found);
    }
}

#[test]
fn odd_json_is_judged_without_panic() {
    let objects: Value = serde_json::from_str(&golden("validate-objects.json")).unwrap();
    let checks = Checks::default();
    let mut refused = 0;
    for base in objects.as_object().unwrap().values() {
        let (kind, whole) = (base["kind"].as_str().unwrap(), &base["object"]);
        let mut odd = Vec::new();
        with_odd_parts(whole, "", &mut odd);
        for mut object in odd {
            refused += usize::from(!validate::create(kind, &object, &checks).unwrap().is_empty());
            for (new, old) in [(&object, whole), (whole, &object)] {
                assert!(validate::update(kind, new, old, &checks).is_some());
                validate::status_update(kind, new, old, &checks);
            }
            for part in [Part::Main, Part::Status] {
                let mut other = whole.clone();
                validate::drop_disabled_fields(
                    kind,
                    part,
                    &mut other,
                    Some(&object),
                    &checks.gates,
                );
                validate::drop_disabled_fields(kind, part, &mut object, Some(whole), &checks.gates);
            }
        }
    }
    assert!(refused > 1000, "only {refused} were refused");
}

#[test]
fn kinds_of_other_groups_are_left_to_others() {
    let checks = Checks::default();
    assert_eq!(validate::create("Pod", &Value::Null, &checks), None);
    assert_eq!(
        validate::status_update("DeviceClass", &Value::Null, &Value::Null, &checks),
        None
    );
}
