//! Same answers as Go, for the inputs in `golden/` (see its README).
#![expect(clippy::unwrap_used, reason = "a malformed golden file fails the test")]

use std::cmp::Ordering;
use std::fs;

use drakit_api::field::{BadValue, FieldError, FieldPath};
use drakit_api::quantity::Format;
use drakit_api::{Quantity, Semver, names};
use serde_json::{Map, Value, json};

/// Calls `differences` with every line of a golden file and fails with all it found.
fn compare(file: &str, differences: impl Fn(&Map<String, Value>) -> Vec<String>) {
    let path = format!("{}/tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!lines.is_empty(), "{file} is empty");
    let found: Vec<String> = lines
        .iter()
        .flat_map(|line| differences(line.as_object().unwrap()))
        .collect();
    assert!(
        found.is_empty(),
        "{} differences:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Compares the fields of a golden line with `ours`, which must name each of them.
fn difference(golden: &Map<String, Value>, inputs: &[&str], ours: &Value) -> Vec<String> {
    let mut expected = golden.clone();
    expected.retain(|key, _| !inputs.contains(&key.as_str()));
    if Value::Object(expected.clone()) == *ours {
        return Vec::new();
    }
    let inputs: Vec<&Value> = inputs
        .iter()
        .filter_map(|input| golden.get(*input))
        .collect();
    vec![format!(
        "{inputs:?}: Go {} ours {ours}",
        Value::Object(expected)
    )]
}

fn text<'a>(golden: &'a Map<String, Value>, key: &str) -> &'a str {
    golden[key].as_str().unwrap()
}

fn number(ordering: Ordering) -> i8 {
    ordering as i8
}

#[test]
fn quantities_parse_and_print_as_in_go() {
    compare("quantity.jsonl", |golden| {
        let ours = match Quantity::parse(text(golden, "in")) {
            Err(error) => json!({ "error": error.to_string() }),
            Ok(quantity) => {
                let format = match quantity.format() {
                    Format::DecimalExponent => "DecimalExponent",
                    Format::BinarySI => "BinarySI",
                    Format::DecimalSI => "DecimalSI",
                };
                let mut ours = json!({
                    "text": quantity.to_string(),
                    "canonical": quantity.canonical(),
                    "format": format,
                    "sign": quantity.signum(),
                });
                if let Some(int) = quantity.as_i64() {
                    ours["int"] = json!(int);
                }
                // Go's answers to larger amounts overflow.
                if quantity < Quantity::from(9_000_000_000_000_000)
                    && quantity > Quantity::from(-9_000_000_000)
                {
                    ours["value"] = json!(quantity.value());
                    ours["milli"] = json!(quantity.milli_value());
                }
                ours
            }
        };
        difference(golden, &["in"], &ours)
    });
}

#[test]
fn quantities_calculate_as_in_go() {
    compare("quantity-arithmetic.jsonl", |golden| {
        let a = Quantity::parse(text(golden, "a")).unwrap();
        if let Some(times) = golden.get("times") {
            let product = a.checked_mul(times.as_i64().unwrap()).unwrap();
            let mut ours = json!({ "mul": product.to_string() });
            if let Some(int) = product.as_i64() {
                ours["int"] = json!(int);
            }
            return difference(golden, &["a", "times"], &ours);
        }
        let b = Quantity::parse(text(golden, "b")).unwrap();
        let ours = json!({
            "add": (&a + &b).to_string(),
            "sub": (&a - &b).to_string(),
            "cmp": number(a.cmp(&b)),
        });
        difference(golden, &["a", "b"], &ours)
    });
}

#[test]
fn versions_parse_print_and_order_as_in_go() {
    compare("semver.jsonl", |golden| {
        if golden.contains_key("a") {
            let version = |key| Semver::parse(text(golden, key)).unwrap();
            let ours = json!({ "cmp": number(version("a").cmp(&version("b"))) });
            return difference(golden, &["a", "b"], &ours);
        }
        let input = text(golden, "in");
        let mut ours = Map::new();
        match Semver::parse(input) {
            Ok(version) => ours.insert("text".into(), version.to_string().into()),
            Err(error) => ours.insert("error".into(), error.to_string().into()),
        };
        match Semver::parse_normalized(input) {
            Ok(version) => ours.insert("normalized".into(), version.to_string().into()),
            Err(error) => ours.insert("normalized_error".into(), error.to_string().into()),
        };
        difference(golden, &["in"], &Value::Object(ours))
    });
}

#[test]
fn names_are_refused_with_the_texts_of_go() {
    compare("names.jsonl", |golden| {
        let name = text(golden, "in");
        let ours = json!({
            "label": names::validate_dns1123_label(name),
            "subdomain": names::validate_dns1123_subdomain(name),
            "c": names::validate_c_identifier(name),
            "qualified": names::validate_qualified_name(name),
            "value": names::validate_label_value(name),
        });
        difference(golden, &["in"], &ours)
    });
}

#[test]
fn field_errors_read_as_in_go() {
    let spec = FieldPath::new("spec");
    let devices = spec.child("devices");
    let requests = devices.child("requests");
    let request = requests.index(0);
    let attributes = request.child("attributes");
    let at = &attributes.key("example.com/x");
    let ours = [
        FieldError::required(at, ""),
        FieldError::required(at, "because"),
        FieldError::forbidden(at, "no"),
        FieldError::invalid(at, "x\"y\n<é>\u{a0}\u{7f}", "bad"),
        FieldError::invalid(at, -3, "bad"),
        FieldError::invalid(at, true, ""),
        FieldError::invalid(at, BadValue::json(&["a<b"]), "list"),
        FieldError::invalid(at, BadValue::json(&()), "nil"),
        FieldError::type_invalid(at, "x", "type"),
        FieldError::not_supported(at, "x", &["a", "b"]),
        FieldError::not_supported(at, "x", &[]),
        FieldError::not_found(at, "x"),
        FieldError::duplicate(at, "x"),
        FieldError::too_long(at, 63),
        FieldError::too_long(at, 1),
        FieldError::too_many(at, Some(9), 8),
        FieldError::too_many(at, Some(2), 1),
        FieldError::too_many(at, None, 8),
        FieldError::too_few(at, 0, 1),
        FieldError::too_short(at, 2),
        FieldError::too_long_characters(at, 5),
        FieldError::internal(at, &"boom"),
    ];
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/golden/field-errors.jsonl"
    );
    let golden: Vec<String> = fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ours: Vec<String> = ours.iter().map(ToString::to_string).collect();
    assert_eq!(ours, golden);
}
