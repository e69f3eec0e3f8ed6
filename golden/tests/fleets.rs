//! What a person sees of fleet files: error texts of bad ones, rendered slices of good ones.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

use std::fmt::Write as _;

use drakit_driver_model::{Fleet, Plan, render};

/// The file's path below `inputs`, as a person would have given it.
fn name(path: &std::path::Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn yaml<T: serde::Serialize>(objects: impl IntoIterator<Item = T>) -> String {
    let object = |object: T| format!("---\n{}", serde_saphyr::to_string(&object).unwrap());
    objects.into_iter().map(object).collect()
}

fn plan_of(file: &str) -> Plan {
    let path = format!("{}/inputs/fleets/good/{file}", env!("CARGO_MANIFEST_DIR"));
    let fleet = Fleet::parse(file, &std::fs::read_to_string(path).unwrap());
    fleet.unwrap_or_else(|errors| panic!("{errors}")).plan()
}

#[test]
fn a_bad_fleet_is_refused_with_every_problem_and_its_place() {
    insta::glob!("../inputs/fleets/bad", "*.yaml", |path| {
        let errors =
            Fleet::parse(&name(path), &std::fs::read_to_string(path).unwrap()).unwrap_err();
        insta::assert_snapshot!(errors.to_string());
    });
}

/// One snapshot per pool, and one of the classes.
#[test]
fn a_small_fleet_is_rendered_as_objects() {
    for (file, pools) in [("issue-example", 4), ("everything", 2)] {
        let plan = plan_of(&format!("{file}.yaml"));
        let all: Vec<_> = plan
            .nodes
            .iter()
            .flat_map(|node| &node.drivers)
            .chain(&plan.pools)
            .collect();
        assert_eq!(all.len(), pools, "{file}");
        for pool in all {
            let name = format!(
                "{file}-{}-{}",
                pool.pool().as_str().replace('/', "-"),
                pool.driver()
            );
            insta::assert_snapshot!(name, yaml(render::pool_slices(pool)));
        }
        insta::assert_snapshot!(
            format!("{file}-classes"),
            yaml(render::device_classes(&plan))
        );
    }
}

#[test]
fn pools_are_split_by_the_limits_of_the_api() {
    let plan = plan_of("slicing.yaml");
    let mut text = String::new();
    for slice in render::resource_slices(&plan) {
        let spec = &slice.spec;
        let first_and_last = |names: Vec<&str>| match names.as_slice() {
            [] => "none".to_owned(),
            names => format!(
                "{} ({} to {})",
                names.len(),
                names[0],
                names[names.len() - 1]
            ),
        };
        let devices = spec
            .devices
            .iter()
            .flatten()
            .map(|device| device.name.as_str())
            .collect();
        let sets = spec
            .shared_counters
            .iter()
            .flatten()
            .map(|set| set.name.as_str())
            .collect();
        let _ = writeln!(
            text,
            "{}: slice of {} in pool {}, devices {}, counter sets {}",
            slice.metadata.name.as_deref().unwrap_or_default(),
            spec.pool.resource_slice_count,
            spec.pool.name,
            first_and_last(devices),
            first_and_last(sets),
        );
    }
    insta::assert_snapshot!(text);
}
