//! Checks of the profiles against facts about the hardware.

use std::collections::{BTreeMap, BTreeSet};

use drakit_api::k8s::api::resource::v1::{Device, ResourceSliceSpec};
use drakit_api::validate::{self, Checks};

use super::{PROFILES, ProfileInfo};
use crate::{Fleet, Plan};

fn plan(profile: &str) -> Plan {
    match Fleet::from_profile(profile, "node-{index}", 2, 7) {
        Ok(fleet) => fleet.plan(),
        Err(errors) => panic!(
            "{errors}\n{}",
            super::find(profile)
                .map(ProfileInfo::source)
                .unwrap_or_default()
        ),
    }
}

fn specs(profile: &str, driver: &str) -> Vec<ResourceSliceSpec> {
    let plan = plan(profile);
    let pools = plan.nodes[0].drivers.iter().chain(&plan.pools);
    pools
        .filter(|pool| pool.driver() == driver)
        .flat_map(|pool| pool.specs(1))
        .collect()
}

fn devices(profile: &str, driver: &str) -> Vec<Device> {
    specs(profile, driver)
        .into_iter()
        .filter_map(|spec| spec.devices)
        .flatten()
        .collect()
}

fn string<'d>(device: &'d Device, key: &str) -> &'d str {
    device
        .attributes
        .as_ref()
        .and_then(|all| all[key].string.as_deref())
        .unwrap()
}

#[test]
fn every_profile_can_be_read_and_has_devices() {
    for ProfileInfo { name, .. } in PROFILES {
        let plan = plan(name);
        let pools: Vec<_> = plan
            .nodes
            .iter()
            .flat_map(|node| &node.drivers)
            .chain(&plan.pools)
            .collect();
        assert!(!pools.is_empty(), "{name}");
        assert!(pools.iter().all(|pool| pool.device_count() > 0), "{name}");
        assert!(!plan.device_classes.is_empty(), "{name}");
    }
}

#[test]
fn an_api_server_takes_every_slice_and_class() {
    for ProfileInfo { name, .. } in PROFILES {
        let plan = plan(name);
        for slice in crate::render::resource_slices(&plan) {
            let object = serde_json::to_value(&slice).unwrap();
            let refusals = validate::resource_slice(&object, None, &Checks::default());
            assert!(refusals.is_empty(), "{name}: {refusals:?}");
        }
        for class in &plan.device_classes {
            let refusals =
                validate::device_class(&serde_json::to_value(class).unwrap(), &Checks::default());
            assert!(refusals.is_empty(), "{name}: {refusals:?}");
        }
    }
}

#[test]
fn a_gpu_has_the_attributes_that_the_real_driver_publishes() {
    let gpus = devices("dgx-h100", "gpu.nvidia.com");
    let gpu = gpus[4].attributes.as_ref().unwrap();
    let keys: Vec<&str> = gpu.keys().map(String::as_str).collect();
    let wanted = [
        "addressingMode",
        "architecture",
        "brand",
        "cudaComputeCapability",
        "cudaDriverVersion",
        "driverVersion",
        "productName",
        "resource.kubernetes.io/numaNode",
        "resource.kubernetes.io/pciBusID",
        "resource.kubernetes.io/pcieRoot",
        "type",
        "uuid",
    ];
    assert_eq!(keys, wanted);
    assert_eq!(
        gpu["driverVersion"].version.as_deref(),
        Some("580.105.8"),
        "printed in canonical form"
    );
    assert_eq!(
        gpu["resource.kubernetes.io/pciBusID"].string.as_deref(),
        Some("0000:9d:00.0")
    );
    assert_eq!(gpu["resource.kubernetes.io/numaNode"].int, Some(1));
    assert_eq!(
        gpus[4].capacity.as_ref().unwrap()["memory"].value.0,
        "81559Mi"
    );
}

/// How many GPUs and NICs each root has, as sorted pairs.
fn per_root(profile: &str) -> Vec<(usize, usize)> {
    let mut roots: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for gpu in devices(profile, "gpu.nvidia.com") {
        roots
            .entry(string(&gpu, "resource.kubernetes.io/pcieRoot").to_owned())
            .or_default()
            .0 += 1;
    }
    for nic in devices(profile, "dra.net") {
        if nic
            .attributes
            .as_ref()
            .unwrap()
            .contains_key("resource.kubernetes.io/pcieRoot")
        {
            roots
                .entry(string(&nic, "resource.kubernetes.io/pcieRoot").to_owned())
                .or_default()
                .1 += 1;
        }
    }
    roots
        .into_values()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

#[test]
fn gpus_and_nics_share_roots_as_on_the_real_boards() {
    let patterns = [
        ("dgx-h100", (1, 1)),
        ("dgx-h200", (1, 1)),
        ("dgx-b200", (1, 1)),
        ("dgx-a100-80", (2, 2)),
        ("aws-p4d", (2, 1)),
        ("aws-p5", (1, 4)),
        ("gcp-a3-ultra", (2, 2)),
        ("azure-nd-h100-v5", (1, 0)),
    ];
    for (profile, pattern) in patterns {
        assert_eq!(
            per_root(profile),
            [pattern],
            "GPUs and NICs per root of {profile}"
        );
    }
}

#[test]
fn a_node_with_dynamic_mig_has_a_slice_of_counters_and_one_per_gpu() {
    for profile in [
        "dgx-a100-80-mig",
        "dgx-h100-mig",
        "dgx-h200-mig",
        "dgx-b200-mig",
    ] {
        let specs = specs(profile, "gpu.nvidia.com");
        assert_eq!(specs.len(), 9, "{profile}");
        assert_eq!(
            specs[0].shared_counters.as_ref().map(Vec::len),
            Some(8),
            "{profile}"
        );
        for spec in &specs[1..] {
            // One whole GPU and 7+7+4+3+2+1+1 placements.
            assert_eq!(spec.devices.as_ref().map(Vec::len), Some(26), "{profile}");
        }
    }
}

#[test]
fn partitions_are_named_and_described_as_by_the_real_driver() {
    let devices = devices("dgx-h100-mig", "gpu.nvidia.com");
    let names: Vec<&str> = devices[..26]
        .iter()
        .map(|device| device.name.as_str())
        .collect();
    assert_eq!(names[0], "gpu-0");
    for name in [
        "gpu-0-mig-1g10gb-19-3",
        "gpu-0-mig-1g10gb-me-20-4",
        "gpu-0-mig-3g40gb-9-4",
        "gpu-0-mig-7g80gb-0-0",
    ] {
        assert!(names.contains(&name), "{name} is missing in {names:?}");
    }
    let whole = &devices[0];
    assert_eq!(
        whole.capacity.as_ref().unwrap()["memory"].value.0,
        "81152Mi",
        "the 7g figure"
    );
    let partition = devices
        .iter()
        .find(|device| device.name == "gpu-0-mig-3g40gb-9-4")
        .unwrap();
    assert_eq!(string(partition, "parentUUID"), string(whole, "uuid"));
    assert_eq!(string(partition, "profile"), "3g.40gb");
    let consumed = &partition.consumes_counters.as_ref().unwrap()[0];
    let slices: Vec<&str> = consumed
        .counters
        .keys()
        .filter(|key| key.starts_with("memory-slice"))
        .map(String::as_str)
        .collect();
    assert_eq!(
        slices,
        [
            "memory-slice-4",
            "memory-slice-5",
            "memory-slice-6",
            "memory-slice-7"
        ]
    );
    assert_eq!(consumed.counters["multiprocessors"].value.0, "60");
}

#[test]
fn a_whole_gpu_consumes_every_counter_of_its_set() {
    for profile in [
        "dgx-a100-80-mig",
        "dgx-h100-mig",
        "dgx-h200-mig",
        "dgx-b200-mig",
    ] {
        let specs = specs(profile, "gpu.nvidia.com");
        let sets = specs[0].shared_counters.as_ref().unwrap();
        for (set, spec) in sets.iter().zip(&specs[1..]) {
            let whole = &spec.devices.as_ref().unwrap()[0];
            assert_eq!(
                whole.consumes_counters.as_ref().unwrap()[0].counters,
                set.counters,
                "{profile}"
            );
        }
    }
}

/// Placements that do not overlap always fit together, but for two media extensions: exactly NVIDIA's rules.
#[test]
fn counters_allow_what_memory_slices_allow_and_one_media_extension() {
    for model in [
        &super::models::A100_40,
        &super::models::A100_80,
        &super::models::H100,
        &super::models::H200,
        &super::models::B200,
    ] {
        let placements: Vec<_> = model
            .mig
            .iter()
            .flat_map(|p| p.starts.iter().map(move |start| (p, *start)))
            .collect();
        let most = |figure: fn(&super::models::MigProfile) -> u16| {
            model.mig.iter().map(figure).max().unwrap()
        };
        let figures: [fn(&super::models::MigProfile) -> u16; 5] = [
            |p| p.multiprocessors,
            |p| p.copy_engines.into(),
            |p| p.decoders.into(),
            |p| p.jpeg_engines.into(),
            |p| p.ofa_engines.into(),
        ];
        // Depth first over all sets of placements that do not overlap.
        let mut open = vec![(0_usize, 0_u16, Vec::new())];
        let mut seen = 0;
        while let Some((from, used, chosen)) = open.pop() {
            for (index, (profile, start)) in placements.iter().enumerate().skip(from) {
                let mask = ((1_u16 << profile.size) - 1) << start;
                if used & mask != 0 {
                    continue;
                }
                let mut all: Vec<&super::models::MigProfile> = chosen.clone();
                all.push(profile);
                let media = all.iter().filter(|p| p.name.ends_with("+me")).count();
                let fits = figures
                    .iter()
                    .all(|figure| all.iter().map(|p| figure(p)).sum::<u16>() <= most(*figure));
                assert_eq!(
                    fits,
                    media <= 1,
                    "{}: {:?}",
                    model.product,
                    all.iter().map(|p| p.name).collect::<Vec<_>>()
                );
                seen += 1;
                open.push((index + 1, used | mask, all));
            }
        }
        assert!(seen > 100, "the search must have looked at something");
    }
}

#[test]
fn uuids_follow_from_the_seed_alone() {
    let uuid = |seed, node: usize| {
        let plan = Fleet::from_profile("demo-gpu", "n-{index}", 2, seed)
            .unwrap()
            .plan();
        let device = plan.nodes[node].drivers[0].devices().next().unwrap();
        string(&device, "uuid").to_owned()
    };
    assert_eq!(uuid(7, 0), uuid(7, 0));
    assert_ne!(uuid(7, 0), uuid(8, 0));
    assert_ne!(uuid(7, 0), uuid(7, 1));
}

#[test]
fn a_network_profile_is_one_pool_that_all_nodes_reach() {
    let plan = plan("network-rdma");
    assert!(plan.nodes.iter().all(|node| node.drivers.is_empty()));
    let [pool] = plan.pools.as_slice() else {
        panic!("one pool")
    };
    assert!(plan.nodes.iter().all(|node| pool.reachable_from(node)));
    let [spec] = &pool.specs(3)[..] else {
        panic!("one slice")
    };
    assert_eq!(
        (
            spec.all_nodes,
            spec.node_name.as_deref(),
            spec.pool.generation
        ),
        (Some(true), None, 3)
    );
    assert!(
        pool.devices()
            .all(|device| device.allow_multiple_allocations == Some(true))
    );
}

#[test]
fn an_unknown_profile_is_an_error_with_all_names() {
    let error = Fleet::from_profile("dgx-h10", "n", 1, 0)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("profile dgx-h10: nodes[0].profile: unknown profile \"dgx-h10\", did you mean \"dgx-h100\"? (allowed: demo-gpu, nic, "), "{error}");
}
