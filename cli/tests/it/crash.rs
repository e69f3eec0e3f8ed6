//! Drivers that are killed, and API servers that go and come back.

use drakit_api::k8s::api::core::v1::Pod;
use drakit_api::k8s::api::resource::v1::{ResourceClaim, ResourceSlice};
use kube::api::{Api, DeleteParams, ListParams, PostParams};
use serde_json::json;

use crate::support::{Up, eventually, stop};

const FLEET: &str = "
apiVersion: drakit/v1alpha1
kind: Fleet
metadata: {name: crash}
nodes:
- name: n
  drivers:
  - {name: gpu.example.com, devices: [{name: 'gpu-{index}', count: 2}]}
";

async fn create_pod(up: &Up, name: &str) {
    let claim = json!({
        "metadata": {"name": name},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu.example.com"}}]}},
    });
    let pod = json!({
        "metadata": {"name": name},
        "spec": {
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}],
            "resourceClaims": [{"name": "g", "resourceClaimName": name}],
        },
    });
    let claims: Api<ResourceClaim> = Api::namespaced(up.client.clone(), "default");
    claims
        .create(
            &PostParams::default(),
            &serde_json::from_value(claim).unwrap(),
        )
        .await
        .unwrap();
    pods(up)
        .create(
            &PostParams::default(),
            &serde_json::from_value(pod).unwrap(),
        )
        .await
        .unwrap();
}

fn pods(up: &Up) -> Api<Pod> {
    Api::namespaced(up.client.clone(), "default")
}

async fn running(up: &Up, name: &str) {
    eventually("the pod to run", || async {
        let pod = pods(up).get(name).await.ok()?;
        (pod.status?.phase? == "Running").then_some(())
    })
    .await;
}

async fn gone(up: &Up, name: &str) {
    pods(up)
        .delete(name, &DeleteParams::default())
        .await
        .unwrap();
    eventually("the pod to go", || async {
        pods(up)
            .get_opt(name)
            .await
            .unwrap()
            .is_none()
            .then_some(())
    })
    .await;
}

async fn slices(up: &Up) -> Vec<ResourceSlice> {
    let api: Api<ResourceSlice> = Api::all(up.client.clone());
    api.list(&ListParams::default())
        .await
        .map(|l| l.items)
        .unwrap_or_default()
}

#[tokio::test]
async fn a_killed_driver_knows_its_claims_when_it_is_back() {
    let up = Up::start(FLEET).await;
    let mut driver = up.driver();
    create_pod(&up, "p").await;
    running(&up, "p").await;
    let before = up.cdi_files("n");
    assert_eq!(before.len(), 1, "{before:?}");
    let bytes = std::fs::read(&before[0]).unwrap();

    driver.kill().await.unwrap();
    // What a reboot takes: the CDI folder is volatile, the checkpoint is not.
    std::fs::remove_file(&before[0]).unwrap();
    let mut driver = up.driver();
    eventually("the CDI file to be written again", || async {
        std::fs::read(&before[0]).ok().filter(|b| *b == bytes)
    })
    .await;

    // It knows what it holds: the other device goes to the next pod, and the first can be let go.
    create_pod(&up, "q").await;
    running(&up, "q").await;
    assert_eq!(up.cdi_files("n").len(), 2);
    gone(&up, "p").await;
    eventually("the CDI file to go", || async {
        (!before[0].exists()).then_some(())
    })
    .await;
    gone(&up, "q").await;
    eventually("all CDI files to go", || async {
        up.cdi_files("n").is_empty().then_some(())
    })
    .await;
    stop(&mut driver).await;
    up.stop().await;
}

#[tokio::test]
async fn a_pod_that_was_deleted_while_the_driver_was_dead_is_let_go_when_it_is_back() {
    let up = Up::start(FLEET).await;
    let mut driver = up.driver();
    create_pod(&up, "p").await;
    running(&up, "p").await;
    driver.kill().await.unwrap();
    pods(&up)
        .delete("p", &DeleteParams::default())
        .await
        .unwrap();
    let mut driver = up.driver();
    eventually("the pod to go", || async {
        pods(&up)
            .get_opt("p")
            .await
            .unwrap()
            .is_none()
            .then_some(())
    })
    .await;
    eventually("its CDI file to go", || async {
        up.cdi_files("n").is_empty().then_some(())
    })
    .await;
    stop(&mut driver).await;
    up.stop().await;
}

#[tokio::test]
async fn slices_are_wiped_when_the_driver_stays_away_and_come_back_with_it() {
    let up = Up::start(FLEET).await;
    let mut driver = up.driver();
    eventually("slices", || async {
        (slices(&up).await.len() == 1).then_some(())
    })
    .await;
    eventually("registration", || async {
        up.node_dir("n")
            .join("plugins/gpu.example.com")
            .exists()
            .then_some(())
    })
    .await;
    create_pod(&up, "p").await;
    running(&up, "p").await;
    driver.kill().await.unwrap();
    eventually("the slices to be wiped", || async {
        slices(&up).await.is_empty().then_some(())
    })
    .await;
    let mut driver = up.driver();
    eventually("the slices to be back", || async {
        (slices(&up).await.len() == 1).then_some(())
    })
    .await;
    stop(&mut driver).await;
    up.stop().await;
}

#[tokio::test]
async fn a_damaged_checkpoint_is_not_taken_for_a_good_one() {
    let up = Up::start(FLEET).await;
    let mut driver = up.driver();
    create_pod(&up, "p").await;
    running(&up, "p").await;
    driver.kill().await.unwrap();
    let folder = up.node_dir("n").join("plugins/gpu.example.com/claims");
    let checkpoint = std::fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let whole = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &whole[..whole.len() / 2]).unwrap();

    let mut driver = up.driver();
    let status = tokio::time::timeout(crate::support::PATIENCE, driver.wait())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(status.code(), Some(4));
    assert_eq!(
        std::fs::read(&checkpoint).unwrap().len(),
        whole.len() / 2,
        "the damaged file is kept as it is"
    );
    up.stop().await;
}

#[tokio::test]
async fn an_api_server_that_goes_and_comes_back_finds_its_slices_mended() {
    let up = Up::start(FLEET).await;
    let (door, kubeconfig) = up.door().await;
    // The driver starts while the API server cannot be reached: it registers all the same.
    let mut driver = up.driver_through(&kubeconfig);
    eventually("the service socket", || async {
        up.node_dir("n")
            .join("plugins/gpu.example.com/dra.sock")
            .exists()
            .then_some(())
    })
    .await;
    assert!(slices(&up).await.is_empty());
    door.set_open(true);
    eventually("slices", || async {
        (slices(&up).await.len() == 1).then_some(())
    })
    .await;

    door.set_open(false);
    let api: Api<ResourceSlice> = Api::all(up.client.clone());
    let name = slices(&up).await[0].metadata.name.clone().unwrap();
    api.delete(&name, &DeleteParams::default()).await.unwrap();
    door.set_open(true);
    let again = eventually("the slice to be back", || async {
        slices(&up).await.into_iter().next()
    })
    .await;
    assert_ne!(again.metadata.name.unwrap(), name);
    stop(&mut driver).await;
    up.stop().await;
}
