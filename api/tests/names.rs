//! The rules for names in `resource.k8s.io` objects.

use std::collections::BTreeMap;

use drakit_api::field::FieldPath;
use drakit_api::names::{self, check};
use drakit_api::{DeviceName, DriverName, PoolName};

const SUBDOMAIN_PROBLEM: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

#[test]
fn driver_names_may_have_capitals_and_63_bytes() {
    assert_eq!(names::validate_driver_name("GPU.example.com"), [""; 0]);
    assert_eq!(names::validate_driver_name(&"a".repeat(63)), [""; 0]);
    assert_eq!(names::validate_driver_name(""), ["Required value"]);
    assert_eq!(
        names::validate_driver_name(&"a".repeat(64)),
        ["Too long: may not be more than 63 bytes"]
    );
    assert_eq!(
        names::validate_driver_name("gpu_x"),
        [format!("Invalid value: \"gpu_x\": {SUBDOMAIN_PROBLEM}")]
    );
}

#[test]
fn each_part_of_a_pool_name_is_a_domain() {
    assert_eq!(names::validate_pool_name("node-0/fabric.1"), [""; 0]);
    assert_eq!(
        names::validate_pool_name("a//B"),
        [
            format!("Invalid value: \"\": {SUBDOMAIN_PROBLEM}"),
            format!("Invalid value: \"B\": {SUBDOMAIN_PROBLEM}"),
        ]
    );
    assert_eq!(
        names::validate_pool_name(&["a"; 128].join("/")),
        ["Too long: may not be more than 253 bytes"]
    );
}

#[test]
fn attribute_names_have_at_most_a_domain_and_an_identifier() {
    for good in ["model", "gpu.example.com/model", "_x", "a/b/c"] {
        assert_eq!(
            names::validate_device_attribute_name(good),
            [""; 0],
            "{good}"
        );
    }
    let problems = |name: &str| names::validate_device_attribute_name(name);
    assert_eq!(
        problems("/x"),
        ["Invalid value: \"\": the domain must not be empty"]
    );
    assert_eq!(
        problems("x/"),
        ["Invalid value: \"\": the name must not be empty"]
    );
    assert_eq!(
        problems(&"x".repeat(33)),
        ["Too long: may not be more than 32 bytes"]
    );
    assert_eq!(problems("a-b").len(), 1);
}

#[test]
fn errors_carry_the_path_of_the_name() {
    let spec = FieldPath::new("spec");
    let errors = check::fully_qualified_name("model", &spec.child("matchAttribute"));
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "spec.matchAttribute: Invalid value: \"model\": a fully qualified name must be a domain and a name separated by a slash"
        ]
    );
}

#[test]
fn a_refused_name_says_which_and_why() {
    let error = DeviceName::new("gpu.0").unwrap_err();
    assert_eq!(
        error.to_string(),
        "device name \"gpu.0\": Invalid value: \"gpu.0\": must not contain dots"
    );
}

#[test]
fn checked_names_are_map_keys_that_text_finds() {
    let pools: BTreeMap<PoolName, u8> = [(PoolName::new("node-0").unwrap(), 1)].into();
    assert_eq!(pools.get("node-0"), Some(&1));
}

#[test]
fn checked_names_are_checked_on_the_way_in_from_json() {
    let name: DriverName = serde_json::from_str("\"gpu.example.com\"").unwrap();
    assert_eq!(name, "gpu.example.com");
    assert!(serde_json::from_str::<DriverName>("\"gpu_example\"").is_err());
}
