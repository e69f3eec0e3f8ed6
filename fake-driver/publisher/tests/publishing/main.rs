//! The publisher against an API server in this process.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "clippy allows it in test functions, not in what they call"
)]

mod api;
mod reading;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use api::Api;
use drakit_api::k8s::api::resource::v1::{Device, DeviceTaint, ResourcePool, ResourceSliceSpec};
use drakit_driver_publisher::{
    PoolKey, Pools, PublishStatus, Publisher, PublisherConfig, PublisherHandle,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const DRIVER: &str = "gpu.example.com";
/// More than any of these tests needs, less than anybody would wait.
const PATIENCE: Duration = Duration::from_secs(20);

struct Running {
    api: Api,
    handle: PublisherHandle,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    fn start(api: &Api, pools: Pools) -> Self {
        let config = PublisherConfig {
            driver: DRIVER.into(),
            pools,
        };
        let (publisher, handle) = Publisher::new(api.client(), config);
        let stop = CancellationToken::new();
        let task = tokio::spawn(publisher.run(stop.clone()));
        Self {
            api: api.clone(),
            handle,
            stop,
            task,
        }
    }

    async fn until(&self, what: &str, condition: impl Fn(&PublishStatus) -> bool) {
        let mut status = self.handle.status();
        let wait = status.wait_for(|status| condition(status));
        let waited = tokio::time::timeout(PATIENCE, wait).await;
        assert!(
            waited.is_ok(),
            "{what}: {:?}",
            self.handle.status().borrow().clone()
        );
    }

    async fn published(&self) {
        self.until("published", |status| {
            status.pools > 0 && status.is_published() && status.idle
        })
        .await;
    }

    async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.task)
            .await
            .unwrap()
            .unwrap();
    }
}

fn device(name: &str) -> Device {
    Device {
        name: name.into(),
        ..Device::default()
    }
}

fn slices(node: Option<&str>, pool: &str, slices: &[&[Device]]) -> Vec<ResourceSliceSpec> {
    let spec = |devices: &&[Device]| ResourceSliceSpec {
        driver: DRIVER.into(),
        node_name: node.map(Into::into),
        all_nodes: node.is_none().then_some(true),
        pool: ResourcePool {
            name: pool.into(),
            resource_slice_count: i64::try_from(slices.len()).unwrap(),
            ..ResourcePool::default()
        },
        devices: Some(devices.to_vec()),
        ..ResourceSliceSpec::default()
    };
    slices.iter().map(spec).collect()
}

fn key(node: &str) -> PoolKey {
    PoolKey {
        node: Some(node.into()),
        pool: node.into(),
    }
}

fn pool(node: &str, content: &[&[Device]]) -> Pools {
    BTreeMap::from([(key(node), Arc::new(slices(Some(node), node, content)) as _)])
}

fn two_slices() -> Pools {
    pool("n1", &[&[device("gpu-0")], &[device("gpu-1")]])
}

#[tokio::test]
async fn slices_are_owned_by_their_node_complete_and_named_by_index() {
    let api = Api::with_nodes(&["n1"]);
    let running = Running::start(&api, two_slices());
    running.published().await;
    let slices = api.slices();
    assert_eq!(slices.len(), 2);
    for (index, slice) in slices.iter().enumerate() {
        let name = slice["metadata"]["name"].as_str().unwrap();
        assert!(
            name.starts_with(&format!("0000{index}-{DRIVER}-n1-")),
            "{name}"
        );
        let owner = &slice["metadata"]["ownerReferences"][0];
        assert_eq!(owner["kind"], "Node");
        assert_eq!(owner["uid"], "uid-of-n1");
        assert_eq!(owner["controller"], true);
        assert_eq!(slice["spec"]["pool"]["generation"], 1);
        assert_eq!(slice["spec"]["pool"]["resourceSliceCount"], 2);
        assert_eq!(slice["spec"]["nodeName"], "n1");
    }
    running.stop().await;
    assert_eq!(api.slices().len(), 2, "stopping takes nothing back");
}

#[tokio::test]
async fn a_restart_writes_nothing() {
    let api = Api::with_nodes(&["n1"]);
    let running = Running::start(&api, two_slices());
    running.published().await;
    running.stop().await;
    let before = api.writes();
    let running = Running::start(&api, two_slices());
    running.published().await;
    running.stop().await;
    assert_eq!(api.writes(), before);
}

#[tokio::test]
async fn deleted_and_edited_slices_are_healed() {
    let api = Api::with_nodes(&["n1"]);
    let running = Running::start(&api, pool("n1", &[&[device("gpu-0")]]));
    running.published().await;
    let name = api.slices()[0]["metadata"]["name"]
        .as_str()
        .unwrap()
        .to_owned();

    api.edit(&name, |slice| {
        slice["spec"]["devices"][0]["name"] = "stolen".into();
    });
    running
        .until("edit healed", |status| status.updates == 1 && status.idle)
        .await;
    assert_eq!(api.slices()[0]["spec"]["devices"][0]["name"], "gpu-0");

    api.remove(&name);
    running
        .until("deletion healed", |status| {
            status.creates == 2 && status.idle
        })
        .await;
    let slices = api.slices();
    assert_eq!(slices.len(), 1);
    assert_eq!(
        slices[0]["spec"]["pool"]["generation"], 2,
        "never an old generation again"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_replaced_node_owns_the_slices_that_are_made_anew() {
    let api = Api::with_nodes(&["n1"]);
    let running = Running::start(&api, pool("n1", &[&[device("gpu-0")]]));
    running.published().await;
    api.lock()
        .nodes
        .insert("n1".into(), "uid-of-the-next".into());
    let name = api.slices()[0]["metadata"]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    api.remove(&name);
    running
        .until("healed", |status| status.creates == 2 && status.idle)
        .await;
    assert_eq!(
        api.slices()[0]["metadata"]["ownerReferences"][0]["uid"],
        "uid-of-the-next"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_change_of_two_slices_bumps_the_generation_of_all_and_deletes_what_is_left() {
    let api = Api::with_nodes(&["n1"]);
    let three: &[&[Device]] = &[&[device("a")], &[device("b")], &[device("c")]];
    let running = Running::start(&api, pool("n1", three));
    running.published().await;
    let two: &[&[Device]] = &[&[device("a")], &[device("x")]];
    assert!(running.handle.set_pools(pool("n1", two)).await);
    running
        .until("changed", |status| {
            status.deletes == 1 && status.updates == 2 && status.idle
        })
        .await;
    let slices = api.slices();
    let seen: Vec<_> = slices
        .iter()
        .map(|slice| {
            let pool = &slice["spec"]["pool"];
            (
                pool["generation"].as_i64().unwrap(),
                pool["resourceSliceCount"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(seen, [(2, 2), (2, 2)]);
    running.stop().await;
}

#[tokio::test]
async fn a_conflict_is_tried_again() {
    let api = Api::with_nodes(&["n1"]);
    let running = Running::start(&api, pool("n1", &[&[device("gpu-0")]]));
    running.published().await;
    api.lock().conflicts = 3;
    assert!(
        running
            .handle
            .set_pools(pool("n1", &[&[device("gpu-7")]]))
            .await
    );
    running
        .until("updated", |status| status.updates == 1 && status.idle)
        .await;
    assert_eq!(api.slices()[0]["spec"]["devices"][0]["name"], "gpu-7");
    running.stop().await;
}

#[tokio::test]
async fn a_field_that_the_server_drops_is_reported_and_not_sent_again() {
    let api = Api::with_nodes(&["n1"]);
    api.lock().drop_taints = true;
    let tainted = |name: &str| Device {
        taints: Some(vec![DeviceTaint {
            key: "example.com/broken".into(),
            effect: "NoSchedule".into(),
            ..DeviceTaint::default()
        }]),
        ..device(name)
    };
    let running = Running::start(
        &api,
        pool("n1", &[&[tainted("gpu-0")], &[tainted("gpu-1")]]),
    );
    running.published().await;
    // Each foreign edit is healed by one write, before and after a new watch.
    for round in 1..=2 {
        let name = api.slices()[0]["metadata"]["name"]
            .as_str()
            .unwrap()
            .to_owned();
        api.edit(&name, |slice| {
            slice["spec"]["devices"][0]["name"] = "stolen".into();
        });
        running
            .until("healed", |status| status.updates == round && status.idle)
            .await;
        api.break_watches();
    }
    let dropped = running.handle.status().borrow().dropped_fields.clone();
    assert!(dropped.contains("spec.devices[0].taints"), "{dropped:?}");
    running.stop().await;
    assert_eq!(api.writes(), 4, "two creates, two healed edits");
}

#[tokio::test]
async fn an_api_server_that_comes_back_gets_what_it_missed() {
    let api = Api::with_nodes(&["n1"]);
    api.lock().away = true;
    let running = Running::start(&api, two_slices());
    // Nothing can be seen from outside while it is away, except that it stays so.
    assert!(!running.handle.status().borrow().is_published());
    api.lock().away = false;
    running.published().await;
    api.lock().away = true;
    api.break_watches();
    let name = api.slices()[0]["metadata"]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    api.remove(&name);
    api.lock().away = false;
    running
        .until("healed", |status| status.creates == 3 && status.idle)
        .await;
    assert_eq!(api.slices().len(), 2);
    running.stop().await;
}

#[tokio::test]
async fn a_node_that_does_not_exist_yet_is_waited_for() {
    let api = Api::with_nodes(&[]);
    let running = Running::start(&api, two_slices());
    running
        .until("reported", |status| status.last_error.is_some())
        .await;
    let error = running.handle.status().borrow().last_error.clone().unwrap();
    assert!(error.contains("the Node object does not exist"), "{error}");
    assert_eq!(api.writes(), 0);
    api.lock().nodes.insert("n1".into(), "late".into());
    running.published().await;
    running.stop().await;
}

#[tokio::test]
async fn network_pools_have_no_owner_and_go_on_request() {
    let api = Api::with_nodes(&["n1"]);
    let network = PoolKey {
        node: None,
        pool: "rack-1".into(),
    };
    let mut pools = two_slices();
    pools.insert(
        network,
        Arc::new(slices(None, "rack-1", &[&[device("nic-0")]])) as _,
    );
    let running = Running::start(&api, pools);
    running.published().await;
    let all = api.slices();
    let network = all
        .iter()
        .find(|slice| slice["spec"]["pool"]["name"] == "rack-1")
        .unwrap();
    assert!(network["metadata"].get("ownerReferences").is_none());
    assert!(network["spec"].get("nodeName").is_none());

    assert!(running.handle.set_pools(two_slices()).await);
    running
        .until("deleted", |status| status.deletes == 1 && status.idle)
        .await;
    assert_eq!(api.slices().len(), 2);
    running.stop().await;
}

#[tokio::test]
async fn slices_of_other_nodes_and_unknown_network_pools_are_left_alone() {
    let api = Api::with_nodes(&["n1", "n2"]);
    let other = Running::start(&api, pool("n2", &[&[device("gpu-0")]]));
    other.published().await;
    other.stop().await;
    let running = Running::start(&api, two_slices());
    running.published().await;
    running.stop().await;
    assert_eq!(api.slices().len(), 3);
    assert_eq!(api.lock().deletes, 0);
}

#[tokio::test]
async fn many_nodes_are_published_with_one_list_of_nodes() {
    let names: Vec<String> = (0..200).map(|index| format!("n{index}")).collect();
    let api = Api::with_nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let devices: Vec<Device> = (0..8)
        .map(|index| device(&format!("gpu-{index}")))
        .collect();
    let mut pools = Pools::new();
    for name in &names {
        pools.append(&mut pool(name, &[&devices]));
    }
    let running = Running::start(&api, pools);
    running.published().await;
    assert_eq!(api.lock().creates, 200);
    assert_eq!(api.lock().node_reads, 1);
    assert_eq!(running.api.writes(), 200);
    running.stop().await;
}
