//! Every expression of `oracle.json` has the outcome that Kubernetes gives it.
//!
//! The table was written by a small Go program on `k8s.io/dynamic-resource-allocation/cel` v0.37.2.

#![expect(clippy::expect_used, reason = "helpers of tests fail where they stand")]

use std::collections::BTreeMap;

use drakit_api::k8s::api::resource::v1 as resource;
use drakit_cel::{Options, PreparedDevice, Program};
use serde_json::Value;

/// The outcome of one expression, as the table writes it.
#[derive(Debug, PartialEq, Eq, Default)]
struct Outcome {
    compile_error: Option<String>,
    result_type: Option<String>,
    estimated: Option<u64>,
    matches: Option<bool>,
    error: Option<String>,
    cost: Option<u64>,
}

impl Outcome {
    fn expected(case: &Value) -> Self {
        let text = |key: &str| case[key].as_str().map(str::to_owned);
        Self {
            compile_error: text("compileError"),
            result_type: text("type"),
            estimated: case["estimated"].as_u64(),
            matches: case["match"].as_bool(),
            error: text("error"),
            cost: case["cost"].as_u64(),
        }
    }

    fn actual(expression: &str, options: &Options, device: &PreparedDevice) -> Self {
        let program = match Program::compile(expression, options) {
            Ok(program) => program,
            Err(error) => {
                return Self {
                    compile_error: Some(error.to_string()),
                    ..Self::default()
                };
            }
        };
        let device = device.device();
        let evaluation = program.evaluate_with_cost(&device);
        assert_eq!(
            program.matches(&device),
            evaluation.result,
            "with and without cost: {expression}"
        );
        Self {
            compile_error: None,
            result_type: Some(program.result_type().to_owned()),
            estimated: Some(program.estimated_cost()),
            matches: evaluation.result.as_ref().ok().copied(),
            error: evaluation.result.err().map(|error| error.to_string()),
            cost: Some(evaluation.cost),
        }
    }
}

fn options(case: &Value) -> Options {
    if case["new"].as_bool() != Some(true) {
        return Options::STORED;
    }
    let gates = case["features"].as_str().unwrap_or("cl");
    Options {
        consumable_capacity: gates.contains('c'),
        list_type_attributes: gates.contains('l'),
        ..Options::STORED
    }
}

fn devices(table: &Value) -> BTreeMap<String, PreparedDevice> {
    let devices = table["devices"].as_object().expect("devices");
    let prepare = |(name, device): (&String, &Value)| {
        let driver = device["driver"].as_str().expect("driver").to_owned();
        let mut published = device.clone();
        published["name"] = "device".into();
        let published: resource::Device = serde_json::from_value(published).expect("a device");
        (
            name.clone(),
            PreparedDevice::from_published(&driver, &published),
        )
    };
    devices.iter().map(prepare).collect()
}

#[test]
fn every_expression_has_the_outcome_that_kubernetes_gives_it() {
    // Another table, to look for differences in many more expressions.
    let table = match std::env::var_os("DRAKIT_CEL_TABLE") {
        Some(path) => std::fs::read_to_string(path).expect("a table"),
        None => include_str!("oracle.json").to_owned(),
    };
    let table: Value = serde_json::from_str(&table).expect("JSON");
    let devices = devices(&table);
    let known: Vec<&str> = include_str!("known_differences.txt").lines().collect();
    let cases = table["cases"].as_array().expect("cases");
    let mut problems = Vec::new();
    for case in cases {
        let expression = case["expr"].as_str().expect("expr");
        let device = &devices[case["device"].as_str().unwrap_or("gpu")];
        let expected = Outcome::expected(case);
        let actual = Outcome::actual(expression, &options(case), device);
        let differs = expected != actual;
        let listed = known.contains(&expression.replace('\n', "\\n").as_str());
        if differs != listed {
            problems.push(format!(
                "{expression}\n   go: {expected:?}\n ours: {actual:?}"
            ));
        }
    }
    assert!(
        problems.is_empty(),
        "{} of {} are not as expected:\n{}",
        problems.len(),
        cases.len(),
        problems.join("\n")
    );
}
