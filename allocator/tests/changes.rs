//! Slices, taint rules and claims come and go; the next answer knows it.

#[path = "support/objects.rs"]
mod objects;

use drakit_allocator::{
    AllocateError, CANNOT_ALLOCATE, CelCache, CountedShareIds, Extras, Features, InUse, Input,
    Interrupt, Inventory, allocate, allocate_counted, never,
};
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::resource::v1::{
    AllocationResult, DeviceClass, ResourceClaim, ResourceClaimStatus,
};
use objects::{any_class, claim, node, slice};
use serde_json::{from_value, json};

/// One node and what is around it.
struct World {
    node: Node,
    classes: Vec<DeviceClass>,
    inventory: Inventory,
    in_use: InUse,
    cache: CelCache,
    share_ids: CountedShareIds,
}

impl World {
    fn new(node_name: &str) -> serde_json::Result<Self> {
        Ok(Self {
            node: node(node_name)?,
            classes: any_class()?,
            inventory: Inventory::new(),
            in_use: InUse::new(),
            cache: CelCache::new(),
            share_ids: CountedShareIds::default(),
        })
    }

    fn input<'a>(&'a self, claims: &'a [&'a ResourceClaim]) -> Input<'a> {
        Input {
            node: &self.node,
            claims,
            classes: &self.classes,
            inventory: &self.inventory,
            in_use: &self.in_use,
            features: Features::default(),
            cel_cache: &self.cache,
            share_ids: &self.share_ids,
            interrupt: &never,
        }
    }

    fn allocate(&self, claim: &ResourceClaim) -> Option<AllocationResult> {
        allocate(&self.input(&[claim])).ok()??.pop()
    }
}

fn devices(result: Option<&AllocationResult>) -> Vec<&str> {
    let devices = result.and_then(|result| result.devices.as_ref());
    let results = devices.and_then(|devices| devices.results.as_deref());
    let results = results.unwrap_or_default();
    results
        .iter()
        .map(|result| result.device.as_str())
        .collect()
}

fn allocated(mut claim: ResourceClaim, result: Option<AllocationResult>) -> ResourceClaim {
    claim.status = Some(ResourceClaimStatus {
        allocation: result,
        ..ResourceClaimStatus::default()
    });
    claim
}

#[test]
fn a_replaced_slice_offers_its_new_devices_only() {
    let mut world = World::new("n1").unwrap();
    world.inventory.apply(slice("n1", &["a"]).unwrap()).unwrap();
    world.inventory.apply(slice("n1", &["b"]).unwrap()).unwrap();
    let result = world.allocate(&claim("c", 1).unwrap());
    assert_eq!(devices(result.as_ref()), ["b"]);
    assert_eq!(world.inventory.len(), 1);
}

#[test]
fn a_removed_slice_offers_nothing() {
    let mut world = World::new("n1").unwrap();
    world.inventory.apply(slice("n1", &["a"]).unwrap()).unwrap();
    world.inventory.remove("n1-slice");
    assert_eq!(world.allocate(&claim("c", 1).unwrap()), None);
    assert!(world.inventory.is_empty());
}

#[test]
fn devices_of_another_node_are_not_offered() {
    let mut world = World::new("n1").unwrap();
    world.inventory.apply(slice("n2", &["a"]).unwrap()).unwrap();
    assert_eq!(world.allocate(&claim("c", 1).unwrap()), None);
}

#[test]
fn a_slice_with_a_bad_quantity_is_refused_by_name_and_field() {
    let mut world = World::new("n1").unwrap();
    world.inventory.apply(slice("n1", &["a"]).unwrap()).unwrap();
    let mut bad = (*slice("n1", &["a"]).unwrap()).clone();
    bad.spec.devices = from_value(json!([
        {"name": "a", "capacity": {"memory": {"value": "many"}}},
    ]))
    .unwrap();
    assert_eq!(
        world.inventory.apply(bad.into()).unwrap_err().to_string(),
        "resource slice n1-slice: spec.devices[a].capacity[memory].value is not a quantity: \
         \"many\"; use a number with an optional suffix such as Gi"
    );
    // The devices that it had before are outdated, too.
    assert_eq!(world.allocate(&claim("c", 1).unwrap()), None);
}

#[test]
fn released_devices_are_free_again() {
    let mut world = World::new("n1").unwrap();
    world.inventory.apply(slice("n1", &["a"]).unwrap()).unwrap();
    let wanted = claim("c", 1).unwrap();
    let holder = allocated(wanted.clone(), world.allocate(&wanted));

    world.in_use.add(&holder);
    assert!(world.in_use.contains("gpu.test", "n1", "a"));
    assert_eq!(world.allocate(&wanted), None);

    world.in_use.remove(&holder);
    assert!(!world.in_use.contains("gpu.test", "n1", "a"));
    assert_eq!(devices(world.allocate(&wanted).as_ref()), ["a"]);
}

#[test]
fn a_taint_rule_keeps_claims_off_its_device() {
    let mut world = World::new("n1").unwrap();
    world
        .inventory
        .apply(slice("n1", &["a", "b"]).unwrap())
        .unwrap();
    let rule = |selector| {
        let taint = json!({"key": "k", "effect": "NoSchedule"});
        let spec = json!({"deviceSelector": selector, "taint": taint});
        from_value(json!({"metadata": {"name": "rule"}, "spec": spec})).map(std::sync::Arc::new)
    };
    let wanted = claim("c", 1).unwrap();

    let one = json!({"driver": "gpu.test", "pool": "n1", "device": "a"});
    world.inventory.apply_taint_rule(rule(one).unwrap());
    assert_eq!(devices(world.allocate(&wanted).as_ref()), ["b"]);

    world.inventory.apply_taint_rule(rule(json!({})).unwrap());
    assert_eq!(
        world.allocate(&wanted),
        None,
        "an empty selector is for all devices"
    );

    world.inventory.apply_taint_rule(rule(json!(null)).unwrap());
    assert_eq!(
        devices(world.allocate(&wanted).as_ref()),
        ["a"],
        "no selector is for none"
    );

    world.inventory.remove_taint_rule("rule");
    assert_eq!(devices(world.allocate(&wanted).as_ref()), ["a"]);
}

#[test]
fn an_interrupted_search_says_so() {
    let mut world = World::new("n1").unwrap();
    world.inventory.apply(slice("n1", &["a"]).unwrap()).unwrap();
    let wanted = claim("c", 1).unwrap();
    let claims = [&wanted];
    let input = Input {
        interrupt: &|| Some(Interrupt::DeadlineExceeded),
        ..world.input(&claims)
    };
    let error = allocate(&input).unwrap_err();
    assert!(matches!(error, AllocateError::Interrupted(_)));
    assert_eq!(
        error.to_string(),
        "filter operation aborted: context deadline exceeded"
    );
    assert!(!error.is_node_local());
}

#[test]
fn the_search_counts_its_steps() {
    let mut world = World::new("n1").unwrap();
    world
        .inventory
        .apply(slice("n1", &["a", "b"]).unwrap())
        .unwrap();
    let wanted = claim("c", 2).unwrap();
    let (result, stats) = allocate_counted(&world.input(&[&wanted]));
    assert!(result.unwrap().is_some());
    // Two devices; the ends of the request, of the claim and of all claims.
    assert_eq!(stats.steps, 5);
    assert_eq!(CANNOT_ALLOCATE, "cannot allocate all claims");
}

#[test]
fn a_plain_device_of_a_node_has_no_extras_but_the_node() {
    let mut world = World::new("n1").unwrap();
    world.inventory.apply(slice("n1", &["a"]).unwrap()).unwrap();
    let result = world.allocate(&claim("c", 1).unwrap()).unwrap();
    assert_eq!(
        Extras::of(&result),
        Extras {
            node_selector: true,
            ..Extras::default()
        }
    );
}
