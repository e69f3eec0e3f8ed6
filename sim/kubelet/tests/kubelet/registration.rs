//! How drivers come and go.

use drakit_proto::services;
use drakit_sim_kubelet::Timing;
use drakit_sim_kubelet::driver::DraService;

use crate::driver::{Setup, TestDriver};
use crate::world::{DRIVER, NODE, World, fast};

#[tokio::test]
async fn a_driver_is_asked_then_told_that_it_is_registered() {
    let world = World::new(Timing::real()).await;
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    driver.logged("Notify true").await;
    assert_eq!(driver.log(), ["GetInfo", "Notify true"]);
    world.connected(1).await;
    let plugins = world.kubelets.plugins(NODE).unwrap();
    assert_eq!(plugins[0].driver(), DRIVER);
    assert_eq!(plugins[0].service(), DraService::V1);
    world.end().await;
}

#[tokio::test]
async fn sockets_that_are_there_before_the_kubelet_and_in_sub_folders_are_found() {
    let world = World::new(Timing::real()).await;
    let mut dirs = world.dirs();
    let early = TestDriver::start(&dirs, Setup::new("a.example.com"));
    world.connected(1).await;
    dirs.registry = dirs.registry.join("sub/folder");
    std::fs::create_dir_all(&dirs.registry).unwrap();
    let deep = TestDriver::start(&dirs, Setup::new("b.example.com"));
    world.connected(2).await;
    world.end().await;
    early.forget_log();
    let again = World::over(world.store.clone(), world.folder.clone(), Timing::real()).await;
    again.connected(2).await;
    early.logged("Notify true").await;
    deep.logged_times("Notify true", 2).await;
}

#[tokio::test]
async fn a_driver_without_an_at_sign_or_behind_a_dot_never_registers() {
    let world = World::new(fast()).await;
    let named = |name: &str, socket: &str| Setup {
        socket: socket.into(),
        ..Setup::new(name)
    };
    let refused = TestDriver::start(&world.dirs(), named("a.example.com", "a-reg.sock"));
    let hidden = TestDriver::start(&world.dirs(), named("b.example.com", ".b@reg.sock"));
    std::fs::write(world.dirs().registry.join("c@reg.sock"), "no socket").unwrap();
    // Comes last and is registered: the others had their time.
    let good = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    assert_eq!(good.log(), ["GetInfo", "Notify true"]);
    assert!(refused.log().is_empty() && hidden.log().is_empty());
}

#[tokio::test]
async fn a_wrong_type_is_refused_with_the_kubelets_words_and_tried_again() {
    let world = World::new(fast()).await;
    let setup = Setup {
        kind: "CSIDriver".into(),
        ..Setup::new(DRIVER)
    };
    let driver = TestDriver::start(&world.dirs(), setup);
    let socket = world.dirs().registry.join("gpu.example.com@reg.sock");
    let line = format!(
        "Notify false RegisterPlugin error -- no handler registered for plugin type: CSIDriver at socket {}",
        socket.display()
    );
    driver.logged_times(&line, 2).await;
    assert!(world.kubelets.plugins(NODE).unwrap().is_empty());
}

#[tokio::test]
async fn a_version_that_is_not_known_is_refused_with_the_kubelets_words() {
    let world = World::new(fast()).await;
    let setup = Setup {
        versions: vec!["1.0.0".into()],
        ..Setup::new(DRIVER)
    };
    let driver = TestDriver::start(&world.dirs(), setup);
    let endpoint = world.dirs().plugins.join("gpu.example.com.sock");
    let line = format!(
        "Notify false RegisterPlugin error -- plugin validation failed with err: invalid supported gRPC versions of DRA driver plugin gpu.example.com at endpoint {}: none of services supported by the plugin ([\"1.0.0\"]) are supported by the kubelet ([\"v1.DRAPlugin\" \"v1beta1.DRAPlugin\"])",
        endpoint.display()
    );
    driver.logged(&line).await;
}

#[tokio::test]
async fn the_plugins_order_decides_the_version() {
    let world = World::new(fast()).await;
    let setup = Setup {
        versions: vec![services::DRA_V1BETA1.into(), services::DRA_V1.into()],
        ..Setup::new(DRIVER)
    };
    let driver = TestDriver::start(&world.dirs(), setup);
    world.connected(1).await;
    world.claim("c", &[DRIVER]);
    world.cdi_file("c");
    world.pod_with_claims("p", &["c"]);
    world.pod_phase("p", "Running").await;
    assert!(driver.log().contains(&"v1beta1 Prepare c".to_owned()));
}

#[tokio::test]
async fn a_removed_socket_deregisters_and_a_new_one_registers_again() {
    let world = World::new(fast()).await;
    let mut driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    driver.remove_registration();
    world.connected(0).await;
    driver.serve_registration();
    driver.logged_times("Notify true", 2).await;
    world.connected(1).await;
}

#[tokio::test]
async fn an_endpoint_belongs_to_one_registration_only() {
    let world = World::new(fast()).await;
    let first = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    let setup = Setup {
        socket: "second@reg.sock".into(),
        ..Setup::new(DRIVER)
    };
    let second = TestDriver::start(&world.dirs(), setup);
    let endpoint = world.dirs().plugins.join("gpu.example.com.sock");
    let line = format!(
        "Notify false RegisterPlugin error -- plugin registration failed with err: endpoint {} already registered for DRA driver plugin gpu.example.com",
        endpoint.display()
    );
    second.logged(&line).await;
    drop(first);
}

#[tokio::test]
async fn the_newest_connected_instance_of_a_driver_is_called() {
    let world = World::new(fast()).await;
    let old = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    world.connected(1).await;
    let setup = Setup {
        socket: "new@reg.sock".into(),
        service: "new.sock".into(),
        ..Setup::new(DRIVER)
    };
    let new = TestDriver::start(&world.dirs(), setup);
    world.connected(2).await;
    for claim in ["c1", "c2"] {
        world.claim(claim, &[DRIVER]);
        world.cdi_file(claim);
    }
    world.pod_with_claims("p1", &["c1"]);
    world.pod_phase("p1", "Running").await;
    assert!(new.log().contains(&"v1 Prepare c1".to_owned()));
    new.stop().await;
    world.connected(1).await;
    world.pod_with_claims("p2", &["c2"]);
    world.pod_phase("p2", "Running").await;
    assert!(old.log().contains(&"v1 Prepare c2".to_owned()));
}

#[tokio::test]
async fn a_driver_that_does_not_answer_at_first_is_asked_again() {
    let world = World::new(fast()).await;
    let failing = [("GetInfo", 2)].into();
    let driver = TestDriver::start_failing(&world.dirs(), Setup::new(DRIVER), failing);
    driver.logged("Notify true").await;
    assert_eq!(
        driver.log(),
        ["GetInfo", "GetInfo", "GetInfo", "Notify true"]
    );
    world.connected(1).await;
}

#[tokio::test]
async fn a_driver_that_will_not_hear_of_its_registration_is_removed_and_asked_again() {
    let world = World::new(fast()).await;
    let failing = [("Notify", 1)].into();
    let driver = TestDriver::start_failing(&world.dirs(), Setup::new(DRIVER), failing);
    driver.logged_times("Notify true", 2).await;
    assert_eq!(
        driver.log(),
        ["GetInfo", "Notify true", "GetInfo", "Notify true"]
    );
    world.connected(1).await;
}

#[tokio::test]
async fn a_socket_that_speaks_garbage_is_tried_again_and_harms_nobody() {
    use tokio::io::AsyncWriteExt;
    let world = World::new(fast()).await;
    let socket = world.dirs().registry.join("garbage@reg.sock");
    let listener = tokio::net::UnixListener::bind(socket).unwrap();
    // A greeting of the right form, then a header block that is cut off.
    let garbage = b"\0\0\0\x04\0\0\0\0\0\0\0\x01\x01\x05\0\0\0\x01\x3f";
    for _ in 0..3 {
        let (mut connection, _) = listener.accept().await.unwrap();
        connection.write_all(garbage).await.unwrap();
    }
    let driver = TestDriver::start(&world.dirs(), Setup::new(DRIVER));
    driver.logged("Notify true").await;
    world.connected(1).await;
}

#[tokio::test]
async fn a_socket_that_is_moved_into_place_is_found() {
    let world = World::new(fast()).await;
    let setup = Setup {
        socket: ".hidden".into(),
        ..Setup::new(DRIVER)
    };
    let driver = TestDriver::start(&world.dirs(), setup);
    let folder = world.dirs().registry;
    std::fs::rename(folder.join(".hidden"), folder.join("a@reg.sock")).unwrap();
    driver.logged("Notify true").await;
    world.connected(1).await;
}

#[tokio::test]
async fn a_kit_registers_and_calls_a_driver_without_a_cluster() {
    use drakit_proto::dra_v1::{Claim, NodePrepareResourcesRequest};
    use drakit_sim_kubelet::driver::Plugins;
    let folder = tempfile::tempdir().unwrap();
    let dirs = drakit_sim_kubelet::NodeDirs::of(folder.path(), "n");
    std::fs::create_dir_all(&dirs.registry).unwrap();
    std::fs::create_dir_all(&dirs.plugins).unwrap();
    let driver = TestDriver::start(&dirs, Setup::new(DRIVER));
    let (tasks, stop) = Default::default();
    let plugins = Plugins::alone(Timing::real(), tasks, stop);
    let socket = dirs.registry.join("gpu.example.com@reg.sock");
    drakit_sim_kubelet::registration::register(&socket, &plugins, &Timing::real())
        .await
        .unwrap();
    let claim = Claim {
        namespace: "ns".into(),
        uid: "u".into(),
        name: "c".into(),
    };
    let request = NodePrepareResourcesRequest {
        claims: vec![claim],
    };
    let plugin = plugins.get(DRIVER).unwrap();
    let answer = plugin.prepare(request).await.unwrap();
    assert_eq!(answer.claims["u"].devices[0].device_name, "dev-c");
    assert_eq!(driver.log(), ["GetInfo", "Notify true", "v1 Prepare c"]);
}
