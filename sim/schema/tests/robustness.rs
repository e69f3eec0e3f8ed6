//! Bad input is refused or pruned, and never panics: every object of the golden files, with
//! parts replaced by values that do not belong there, through everything that the API server
//! does with an object.

use drakit_sim_schema::{
    FieldSelector, FieldValidation, GroupVersionKind, LabelSelector, Manager, MediaType, Schemas,
    patch, table,
};
use serde_json::{Value, json};

/// A small generator with a fixed seed: the same objects in every run.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }
}

fn strange(random: &mut Seeded) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(9_223_372_036_854_775_807_i64),
        json!(""),
        json!("\u{0}\u{10ffff} / = ,"),
        json!([]),
        json!([null, {}, [], "x"]),
        json!({}),
        json!({ "": { "$patch": "delete" } }),
    ];
    values[random.below(values.len())].clone()
}

/// Replaces one place of a value.
fn mutate(value: &mut Value, random: &mut Seeded) {
    let stop = random.below(5) == 0;
    match value {
        Value::Object(entries) if !stop && !entries.is_empty() => {
            let at = random.below(entries.len());
            if let Some(entry) = entries.values_mut().nth(at) {
                mutate(entry, random);
            }
        }
        Value::Array(items) if !stop && !items.is_empty() => {
            let at = random.below(items.len());
            mutate(&mut items[at], random);
        }
        place => *place = strange(random),
    }
}

fn objects() -> Vec<Value> {
    let files = [
        include_str!("golden/protobuf.jsonl"),
        include_str!("golden/default.jsonl"),
        include_str!("golden/table.jsonl"),
        include_str!("golden/validate.jsonl"),
    ];
    let cases = files.iter().flat_map(|file| file.lines());
    cases
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|case| case["object"].clone())
        .collect()
}

/// Everything that the API server does with an object.
fn through_everything(schemas: &Schemas, gvk: &GroupVersionKind, object: &Value) {
    let now = "2026-12-01T12:00:00Z".parse().unwrap_or_default();
    let manager = Manager {
        name: "m",
        subresource: "",
        time: "2026-01-02T03:04:05Z",
    };
    let body = object.to_string();
    let _ = schemas.apply(gvk, None, object, &manager, false);
    let _ = schemas.apply(gvk, Some(object), object, &manager, true);
    let _ = schemas.strategic_merge(gvk, object, body.as_bytes());
    let _ = patch::merge(object, body.as_bytes());
    let decoded = schemas.decode(gvk, body.as_bytes(), MediaType::Json, FieldValidation::Warn);
    // Also what would not have passed decoding: nothing relies on it.
    for mut object in decoded
        .map(|decoded| decoded.object)
        .into_iter()
        .chain([object.clone()])
    {
        schemas.default(gvk, &mut object, now);
        schemas.canonicalize(gvk, &mut object);
        let mut tracked = object.clone();
        schemas.track_update(gvk, Some(&object), &mut tracked, &manager);
        schemas.track_update(gvk, None, &mut tracked, &manager);
        let _ = LabelSelector::parse("a in (b),!c").map(|selector| selector.matches(&object));
        if let Some(resource) = schemas.resource_of_kind(&gvk.group, &gvk.version, &gvk.kind) {
            schemas.validate_update(resource, &tracked, &object);
            table::cells(resource, &object, now);
            table::conditions(resource, &object);
            let _ = FieldSelector::parse(resource, "metadata.name!=x")
                .map(|selector| selector.matches(&object));
        }
    }
}

#[test]
fn objects_with_misplaced_values_never_panic() {
    let schemas = Schemas::load().expect("vendored types");
    let mut random = Seeded(7);
    let objects = objects();
    assert!(objects.len() > 150, "the golden files are there");
    for original in objects {
        let text = |key: &str| original[key].as_str().unwrap_or_default();
        let gvk = GroupVersionKind::parse(text("apiVersion"), text("kind")).expect("a kind");
        for _ in 0..8 {
            let mut object = original.clone();
            for _ in 0..=random.below(3) {
                mutate(&mut object, &mut random);
            }
            through_everything(&schemas, &gvk, &object);
        }
    }
}

#[test]
fn text_that_is_no_object_is_refused() {
    let schemas = Schemas::load().expect("vendored types");
    let gvk = GroupVersionKind::parse("v1", "Pod").expect("a kind");
    let deep = "[".repeat(100_000);
    for body in [
        "",
        "{",
        "[]",
        "null",
        "\u{feff}{}",
        "{\"a\":",
        deep.as_str(),
    ] {
        for media in [MediaType::Json, MediaType::Yaml, MediaType::Protobuf] {
            let decoded = schemas.decode(&gvk, body.as_bytes(), media, FieldValidation::Strict);
            if let Ok(decoded) = decoded {
                // Nothing, and `null`, are the empty object, as in Kubernetes.
                assert_eq!(
                    decoded.object,
                    json!({ "apiVersion": "v1", "kind": "Pod" }),
                    "{body:.20}"
                );
            }
        }
    }
    for selector in ["((((", "a in (((", ",,,", "!", "!!a", "a=", "=", "\u{0}"] {
        let _ = LabelSelector::parse(selector);
    }
}
