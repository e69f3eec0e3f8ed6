//! Prepare and unprepare against the kubelet's contract.

use std::sync::Arc;

use drakit_api::DriverName;
use drakit_api::k8s::api::resource::v1::{
    AllocationResult, DeviceAllocationConfiguration, DeviceRequestAllocationResult,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Fleet, PoolPlan, cdi};

struct Driver {
    name: DriverName,
    pools: Vec<Arc<PoolPlan>>,
}

fn driver(profile: &str, name: &str) -> Driver {
    let plan = Fleet::from_profile(profile, "n", 1, 1).unwrap().plan();
    Driver {
        name: DriverName::new(name).unwrap(),
        pools: plan.nodes[0]
            .drivers
            .iter()
            .chain(&plan.pools)
            .cloned()
            .collect(),
    }
}

fn gpus() -> Driver {
    driver("demo-gpu", "gpu.example.com")
}

fn result(request: &str, device: &str) -> Value {
    json!({"request": request, "driver": "gpu.example.com", "pool": "n", "device": device})
}

fn allocation(results: &Value, config: &Value) -> AllocationResult {
    serde_json::from_value(json!({"devices": {"results": results, "config": config}})).unwrap()
}

fn gpu_config(source: &str, requests: &Value, interval: &str) -> Value {
    json!({"source": source, "requests": requests, "opaque": {"driver": "gpu.example.com", "parameters": {
        "apiVersion": "drakit/v1alpha1", "kind": "GpuConfig",
        "sharing": {"strategy": "TimeSlicing", "timeSlicing": {"interval": interval}},
    }}})
}

impl Driver {
    fn prepare(
        &self,
        uid: &str,
        allocation: &AllocationResult,
        held: &Held,
    ) -> Result<PreparedClaim, PrepareError> {
        let claim = ClaimView {
            uid,
            namespace: "default",
            name: uid,
            allocation: Some(allocation),
        };
        decide(&claim, &self.name, &self.pools, held)
    }
}

fn interval(claim: &PreparedClaim, device: usize) -> &str {
    let env = &claim.devices[device].env;
    env.iter()
        .find(|(key, _)| key.ends_with("_TIMESLICE_INTERVAL"))
        .map_or("", |(_, value)| value)
}

#[test]
fn a_second_prepare_gives_the_same_devices_although_the_claim_holds_them() {
    let (driver, mut held) = (gpus(), Held::new());
    let allocation = allocation(
        &json!([result("a", "gpu-0"), result("b", "gpu-1")]),
        &json!([]),
    );
    let first = driver.prepare("one", &allocation, &held).unwrap();
    held.add(&first);
    held.add(&first);
    assert_eq!(driver.prepare("one", &allocation, &held).unwrap(), first);
}

#[test]
fn a_device_is_free_again_after_its_claim_is_removed() {
    let (driver, mut held) = (gpus(), Held::new());
    let allocation = allocation(&json!([result("a", "gpu-0")]), &json!([]));
    held.add(&driver.prepare("one", &allocation, &held).unwrap());
    let refused = driver.prepare("two", &allocation, &held).unwrap_err();
    assert!(
        matches!(refused, PrepareError::InUse { ref holder_uid, .. } if holder_uid == "one"),
        "{refused}"
    );
    held.remove("one");
    held.remove("never seen");
    assert!(driver.prepare("two", &allocation, &held).is_ok());
    assert!(held.holders("n", "gpu-0").is_empty());
}

#[test]
fn admin_access_neither_takes_nor_needs_a_free_device() {
    let (driver, mut held) = (gpus(), Held::new());
    let mut admin = result("watch", "gpu-0");
    admin["adminAccess"] = json!(true);
    let admin = allocation(&json!([admin]), &json!([]));
    let use_it = allocation(&json!([result("use", "gpu-0")]), &json!([]));
    held.add(&driver.prepare("monitor", &admin, &held).unwrap());
    held.add(&driver.prepare("user", &use_it, &held).unwrap());
    let late = driver.prepare("monitor-2", &admin, &held).unwrap();
    assert_eq!(late.devices[0].env["DRA_ADMIN_ACCESS"], "true");
}

#[test]
fn a_shared_device_goes_to_many_claims_and_answers_with_its_share() {
    let driver = driver("network-rdma", "rdma.example.com");
    let mut held = Held::new();
    for uid in ["one", "two"] {
        let share = format!("share-{uid}");
        let result = json!({"request": "r", "driver": "rdma.example.com", "pool": "network-rdma", "device": "rdma-0", "shareID": share});
        let prepared = driver
            .prepare(uid, &allocation(&json!([result]), &json!([])), &held)
            .unwrap();
        assert_eq!(
            prepared.devices[0].share_id.as_deref(),
            Some(share.as_str())
        );
        held.add(&prepared);
    }
    assert_eq!(held.holders("network-rdma", "rdma-0").len(), 2);
}

#[test]
fn the_last_config_wins_and_a_claim_wins_over_a_class() {
    let configs = json!([
        gpu_config("FromClaim", &json!([]), "Short"),
        gpu_config("FromClaim", &json!(["a"]), "Medium"),
        gpu_config("FromClass", &json!([]), "Long"),
    ]);
    let results = json!([result("a/small", "gpu-0"), result("b", "gpu-1")]);
    let prepared = gpus()
        .prepare("c", &allocation(&results, &configs), &Held::new())
        .unwrap();
    assert_eq!(
        (interval(&prepared, 0), interval(&prepared, 1)),
        ("Medium", "Short")
    );
    assert_eq!(
        prepared.devices[0].request_names,
        ["a"],
        "kubelet compares base names"
    );
}

#[test]
fn a_config_reaches_its_subrequest_only() {
    let configs = json!([gpu_config("FromClaim", &json!(["a/large"]), "Long")]);
    let prepare = |request: &str| {
        gpus()
            .prepare(
                "c",
                &allocation(&json!([result(request, "gpu-0")]), &configs),
                &Held::new(),
            )
            .unwrap()
    };
    assert_eq!(interval(&prepare("a/large"), 0), "Long");
    assert_eq!(interval(&prepare("a/small"), 0), "Default");
    assert_eq!(interval(&prepare("a"), 0), "Default");
}

#[test]
fn a_bad_config_of_an_alternative_that_was_not_chosen_is_refused_too() {
    let configs = json!([gpu_config("FromClaim", &json!(["a/large"]), "Fast")]);
    let refused = gpus().prepare(
        "c",
        &allocation(&json!([result("a/small", "gpu-0")]), &configs),
        &Held::new(),
    );
    assert!(
        matches!(refused, Err(PrepareError::Config { .. })),
        "{refused:?}"
    );
}

#[test]
fn results_and_configs_of_other_drivers_are_left_alone() {
    let mut foreign = result("b", "gpu-0");
    foreign["driver"] = json!("other.example.com");
    let mut config = gpu_config("FromClaim", &json!([]), "Fast");
    config["opaque"]["driver"] = json!("other.example.com");
    let allocation = allocation(
        &json!([result("a", "gpu-0"), foreign.clone()]),
        &json!([config]),
    );
    let prepared = gpus().prepare("c", &allocation, &Held::new()).unwrap();
    assert_eq!(prepared.devices.len(), 1);
    let nothing = gpus()
        .prepare(
            "c",
            &self::allocation(&json!([foreign]), &json!([])),
            &Held::new(),
        )
        .unwrap();
    assert!(nothing.devices.is_empty());
}

fn mig(request: &str, device: &str) -> Value {
    json!({"request": request, "driver": "gpu.nvidia.com", "pool": "n", "device": device})
}

#[test]
fn partitions_of_a_gpu_fit_beside_each_other_but_not_beside_the_whole_gpu() {
    let driver = driver("dgx-h100-mig", "gpu.nvidia.com");
    let mut held = Held::new();
    let mut prepare = |uid: &str, device: &str| {
        let prepared = driver.prepare(
            uid,
            &allocation(&json!([mig("r", device)]), &json!([])),
            &held,
        );
        prepared
            .map(|prepared| held.add(&prepared))
            .map_err(|error| error.to_string())
    };
    assert_eq!(prepare("one", "gpu-0-mig-1g10gb-19-0"), Ok(()));
    assert_eq!(prepare("two", "gpu-0-mig-1g10gb-19-1"), Ok(()));
    assert_eq!(
        prepare("one", "gpu-0-mig-1g10gb-19-0"),
        Ok(()),
        "its own counters are no obstacle"
    );
    assert_eq!(
        prepare("three", "gpu-0").unwrap_err(),
        "claim default/three, request \"r\", device n/gpu-0: needs 8 of counter gpu-0-counter-set/copy-engines, \
         of which 6 is left (taken by default/one, default/two)"
    );
    assert!(
        prepare("four", "gpu-0-mig-2g20gb-14-0").is_err(),
        "memory slices overlap"
    );
    assert_eq!(
        prepare("five", "gpu-1"),
        Ok(()),
        "another GPU has its own counters"
    );
}

#[test]
fn one_claim_cannot_have_overlapping_partitions_either() {
    let driver = driver("dgx-h100-mig", "gpu.nvidia.com");
    let results = json!([
        mig("a", "gpu-0-mig-4g40gb-5-0"),
        mig("b", "gpu-0-mig-1g10gb-19-3")
    ]);
    let refused = driver.prepare("c", &allocation(&results, &json!([])), &Held::new());
    assert!(
        matches!(refused, Err(PrepareError::UsedUp { .. })),
        "{refused:?}"
    );
}

#[test]
fn unprepare_needs_the_uid_only_and_knows_the_file_of_an_unknown_claim() {
    let driver = gpus().name;
    let unknown = unprepare(&driver, "0b7c", false);
    assert_eq!(
        unknown,
        Unprepare {
            cdi_file: "k8s.gpu.example.com-claim_0b7c.json".to_owned(),
            forget: false
        }
    );
    assert!(unprepare(&driver, "0b7c", true).forget);
}

#[test]
fn file_names_lead_back_to_the_claim_and_never_out_of_the_folder() {
    let driver = gpus().name;
    let name = cdi::file_name(&driver, "0b7c-1");
    assert_eq!(cdi::parse_file_name(&driver, &name), Some("0b7c-1"));
    for foreign in [
        "k8s.gpu.example.com-claim_x.json.tmp",
        "k8s.gpu.example-claim_x.json",
        "vendor.json",
        "",
    ] {
        assert_eq!(cdi::parse_file_name(&driver, foreign), None, "{foreign}");
    }
    for uid in ["../x", "", "a/b", "-a", &"a".repeat(200)] {
        let name = cdi::file_name(&driver, uid);
        assert!(!name.contains('/') && name.len() < 120, "{name}");
        assert_ne!(cdi::parse_file_name(&driver, &name), Some(uid));
    }
}

#[test]
fn a_checkpoint_of_another_version_can_be_read() {
    let text = r#"{"uid": "u", "namespace": "n", "name": "c", "later": 1, "devices": [
        {"requestNames": ["a"], "pool": "n", "device": "gpu-0", "hold": "exclusive", "cdiDeviceIds": ["v/c=n"], "later": {}}]}"#;
    let claim: PreparedClaim = serde_json::from_str(text).unwrap();
    assert_eq!(claim.devices[0].hold, Hold::Exclusive);
    let again: PreparedClaim =
        serde_json::from_str(&serde_json::to_string(&claim).unwrap()).unwrap();
    assert_eq!(again, claim);
}

#[test]
fn the_file_of_a_claim_is_the_same_after_a_restart_from_the_checkpoint() {
    let driver = gpus();
    let node = drakit_api::NodeName::new("n").unwrap();
    let allocation = allocation(
        &json!([result("a", "gpu-1"), result("b", "gpu-0")]),
        &json!([]),
    );
    let prepared = driver.prepare("c", &allocation, &Held::new()).unwrap();
    let restored: PreparedClaim =
        serde_json::from_str(&serde_json::to_string(&prepared).unwrap()).unwrap();
    let bytes = |claim| {
        cdi::spec(&driver.name, &node, claim)
            .unwrap()
            .to_bytes()
            .unwrap()
    };
    assert_eq!(bytes(&prepared), bytes(&restored));
}

/// Any JSON, mostly near to a valid config.
fn parameters() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        prop::sample::select(vec![
            "drakit/v1alpha1",
            "GpuConfig",
            "NicConfig",
            "TimeSlicing",
            "Partition",
            "Long",
            ""
        ])
        .prop_map(|value| json!(value)),
    ];
    let keys = vec![
        "apiVersion",
        "kind",
        "sharing",
        "strategy",
        "timeSlicing",
        "interval",
        "partition",
        "count",
        "mtu",
        "x",
    ];
    leaf.prop_recursive(3, 24, 5, move |inner| {
        let keys = keys.clone();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map(prop::sample::select(keys), inner, 0..5).prop_map(|map| {
                map.into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_parameters_are_taken_or_refused_with_a_text(parameters in parameters()) {
        let config = json!([{"source": "FromClaim", "opaque": {"driver": "gpu.example.com", "parameters": parameters}}]);
        let config: Vec<DeviceAllocationConfiguration> = serde_json::from_value(config).unwrap();
        let results: Vec<DeviceRequestAllocationResult> = vec![serde_json::from_value(result("a", "gpu-0")).unwrap()];
        let mut allocation = allocation(&json!([]), &json!([]));
        if let Some(devices) = &mut allocation.devices {
            devices.results = Some(results);
            devices.config = Some(config);
        }
        if let Err(error) = gpus().prepare("c", &allocation, &Held::new()) {
            prop_assert!(error.to_string().starts_with("claim default/c, config 0 (FromClaim, all requests): ")
                || error.to_string().contains("does not fit"), "{}", error);
        }
    }

    #[test]
    fn held_is_what_the_claims_hold_in_any_order(steps in prop::collection::vec((0_usize..4, 0_usize..2, any::<bool>()), 0..40)) {
        let driver = gpus();
        let mut held = Held::new();
        let mut model = std::collections::BTreeMap::new();
        for (claim, device, add) in steps {
            let uid = format!("claim-{claim}");
            if add {
                let allocation = allocation(&json!([result("a", &format!("gpu-{device}"))]), &json!([]));
                let free = model.iter().all(|(other, taken)| *other == uid || *taken != device);
                let prepared = driver.prepare(&uid, &allocation, &held);
                prop_assert_eq!(prepared.is_ok(), free);
                if let Ok(prepared) = prepared {
                    held.add(&prepared);
                    model.insert(uid, device);
                }
            } else {
                held.remove(&uid);
                model.remove(&uid);
            }
        }
    }
}
