//! Slices of drivers that are gone.

use drakit_sim_store::resource::RESOURCE_SLICES;

use crate::driver::{Setup, TestDriver};
use crate::world::{DRIVER, NODE, World, fast};

async fn only(world: &World, expected: &[&str]) {
    world
        .until(
            &format!("slices are {expected:?}"),
            &RESOURCE_SLICES,
            |_| (world.slices() == expected).then_some(()),
        )
        .await;
}

#[tokio::test]
async fn slices_of_a_node_are_deleted_when_its_kubelet_starts() {
    let world = World::new(fast()).await;
    world.end().await;
    world.slice("mine", NODE, DRIVER);
    world.slice("other", "node-1", DRIVER);
    world.slice("network", "", DRIVER);
    let again = World::over(world.store.clone(), world.folder.clone(), fast()).await;
    assert_eq!(again.slices(), ["network", "other"]);
}

#[tokio::test]
async fn slices_of_a_driver_go_some_time_after_its_socket() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.slice("a", NODE, DRIVER);
    world.slice("b", NODE, "nic.example.com");
    world.slice("c", "node-1", DRIVER);
    driver.stop().await;
    only(&world, &["b", "c"]).await;
}

#[tokio::test]
async fn slices_of_a_driver_that_dies_with_its_sockets_left_go_too() {
    let world = World::new(fast()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    world.slice("a", NODE, DRIVER);
    driver.kill().await;
    only(&world, &[]).await;
}

#[tokio::test]
async fn slices_of_a_driver_that_comes_back_in_time_stay() {
    let timing = drakit_sim_kubelet::Timing {
        wipe_delay: std::time::Duration::from_secs(2),
        ..fast()
    };
    let world = World::new(timing).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    let other = TestDriver::start(&world.dirs(), Setup::new("nic.example.com"));
    world.connected(2).await;
    world.slice("a", NODE, DRIVER);
    world.slice("b", NODE, "nic.example.com");
    driver.stop().await;
    other.stop().await;
    let _again = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    // The one that stays away shows that the time has passed.
    only(&world, &["a"]).await;
}
