//! Kubelets that restart.

use drakit_sim_store::DeleteOptions;
use drakit_sim_store::resource::PODS;

use crate::driver::{Setup, TestDriver};
use crate::world::{DRIVER, NODE, World, fast};

#[tokio::test]
async fn a_restarted_kubelet_wipes_slices_registers_again_and_still_unprepares() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    let pod = world.pod_with_claims("p1", &["c"]);
    world.pod_phase("p1", "Running").await;
    world.slice("a", NODE, DRIVER);
    driver.forget_log();
    world.kubelets.restart(NODE).unwrap();
    assert!(world.slices().is_empty());
    driver.logged("Notify true").await;
    world.connected(1).await;
    // Whether it is prepared was only in memory.
    let second = world.pod_with_claims("p2", &["c"]);
    world.pod_phase("p2", "Running").await;
    for pod in [&pod, &second] {
        let deletion = DeleteOptions::default();
        world.store.delete(&PODS, &pod.key(), &deletion).unwrap();
    }
    world.pod_gone("p1").await;
    world.pod_gone("p2").await;
    assert_eq!(
        driver.log(),
        ["GetInfo", "Notify true", "v1 Prepare c", "v1 Unprepare c"]
    );
}

#[tokio::test]
async fn a_new_process_goes_on_with_running_pods_and_unprepares_them() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    let pod = world.pod_with_claims("p", &["c"]);
    world.pod_phase("p", "Running").await;
    world.end().await;
    driver.forget_log();
    let again = World::over(world.store.clone(), world.folder.clone(), fast()).await;
    again.connected(1).await;
    let deletion = DeleteOptions::default();
    again.store.delete(&PODS, &pod.key(), &deletion).unwrap();
    again.pod_gone("p").await;
    assert_eq!(driver.log(), ["GetInfo", "Notify true", "v1 Unprepare c"]);
}

#[tokio::test]
async fn claims_of_pods_that_vanished_while_the_kubelet_was_down_are_unprepared() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    let pod = world.pod_with_claims("p", &["c"]);
    world.pod_phase("p", "Running").await;
    world.end().await;
    let now = DeleteOptions::now(pod.uid());
    world.store.delete(&PODS, &pod.key(), &now).unwrap();
    let _again = World::over(world.store.clone(), world.folder.clone(), fast()).await;
    driver.logged("v1 Unprepare c").await;
}
