//! What a device is to an expression.

#![expect(clippy::expect_used, reason = "helpers of tests fail where they stand")]

use std::sync::Arc;

use drakit_api::k8s::api::resource::v1 as resource;
use drakit_cel::{
    AttributeValue, CompileError, Device, EvalErrorKind, Grouped, Options, PreparedDevice, Program,
};
use serde_json::json;

fn compile(expression: &str) -> Program {
    Program::compile(expression, &Options::STORED).expect(expression)
}

fn published(device: serde_json::Value) -> PreparedDevice {
    let device: resource::Device = serde_json::from_value(device).expect("a device");
    PreparedDevice::from_published("gpu.example.com", &device)
}

#[test]
fn an_unqualified_name_belongs_to_the_driver() {
    let device = published(json!({"name": "a", "attributes": {
        "model": {"string": "H100"}, "net.example.com/mtu": {"int": 9000},
    }}));
    let device = device.device();
    let expressions = [
        r#"device.attributes["gpu.example.com"].model == "H100""#,
        r#"device.attributes["net.example.com"].mtu == 9000"#,
        "device.attributes.size() == 2",
    ];
    for expression in expressions {
        assert_eq!(
            compile(expression).matches(&device),
            Ok(true),
            "{expression}"
        );
    }
}

#[test]
fn an_absent_domain_is_an_empty_map_and_an_absent_name_an_error() {
    let device = PreparedDevice::new("d");
    let absent = compile(r#"device.attributes["x"].size() == 0"#);
    assert_eq!(absent.matches(&device.device()), Ok(true));
    let error = compile(r#"device.attributes["x"].y"#)
        .matches(&device.device())
        .expect_err("there is no y");
    assert_eq!(error.kind(), EvalErrorKind::NoSuchKey);
    assert_eq!(error.to_string(), "no such key: y");
    assert_eq!(
        error.with_hint(),
        "no such key: y. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields"
    );
}

#[test]
fn an_attribute_that_cannot_be_read_fails_every_evaluation_on_the_device() {
    let device = published(json!({"name": "a", "attributes": {"v": {"version": "1.2"}}}));
    let error = compile("true")
        .matches(&device.device())
        .expect_err("a bad version");
    assert_eq!(error.kind(), EvalErrorKind::Device);
    assert_eq!(
        error.to_string(),
        "attribute v: parse semantic version: No Major.Minor.Patch elements found"
    );
    let device = published(json!({"name": "a", "attributes": {"v": {}}}));
    let error = compile("true")
        .matches(&device.device())
        .expect_err("no value");
    assert_eq!(
        error.to_string(),
        "attribute v: unsupported attribute value"
    );
}

#[test]
fn a_device_is_lent_from_parts_without_a_published_object() {
    let mut attributes = Grouped::default();
    attributes.insert("d", "fast", AttributeValue::Bool(true));
    let capacity = Grouped::default();
    let device = Device::new("d", false, &attributes, &capacity);
    assert_eq!(
        compile(r#"device.attributes["d"].fast"#).matches(&device),
        Ok(true)
    );
}

#[test]
fn a_derived_attribute_has_the_value_of_its_expression() {
    let options = Options::STORED;
    let device = published(json!({"name": "a", "attributes": {
        "s": {"string": "hello"}, "l": {"ints": [1, 2]}, "v": {"version": "1.0.0"},
    }}));
    let value = |expression: &str| {
        let program = Program::compile_attribute(expression, &options).expect(expression);
        program
            .attribute(&device.device())
            .map_err(|error| error.to_string())
    };
    let own = r#"device.attributes["gpu.example.com"]"#;
    assert_eq!(
        value(&format!("{own}.s")),
        Ok(AttributeValue::String("hello".to_owned()))
    );
    assert_eq!(
        value(&format!("{own}.l")),
        Ok(AttributeValue::Ints(vec![1, 2]))
    );
    assert_eq!(value("[true]"), Ok(AttributeValue::Bools(vec![true])));
    assert_eq!(
        value(&format!("[dyn({own}.v), dyn({own}.s)]")),
        Err("expected list element at index 1 to be semver, got string".to_owned())
    );
    assert_eq!(
        value("dyn(null)"),
        Err("unsupported CEL return type: structpb.NullValue".to_owned())
    );
    let error =
        Program::compile_attribute("[device.attributes]", &options).expect_err("a list of maps");
    assert_eq!(
        error.to_string(),
        "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars, not list(map(string, map(string, dyn)))"
    );
    let scalars = Options {
        list_type_attributes: false,
        ..options
    };
    let error = Program::compile_attribute("[1, 2, 3]", &scalars).expect_err("a list");
    assert!(matches!(error, CompileError::ResultType { .. }));
}

#[test]
fn programs_and_devices_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Program>();
    shared::<PreparedDevice>();
    shared::<Device<'_>>();
    let program = Arc::new(compile(r#"device.driver.matches("^g.*m$")"#));
    let device = Arc::new(PreparedDevice::new("gpu.example.com"));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (program, device) = (Arc::clone(&program), Arc::clone(&device));
            std::thread::spawn(move || program.matches(&device.device()))
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), Ok(true));
    }
}
