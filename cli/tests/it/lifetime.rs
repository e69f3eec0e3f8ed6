//! What ends with what, and what stays: killed clusters, interrupted demos, surroundings that are meant for others.

use std::path::Path;
use std::process::Stdio;

use drakit_api::k8s::api::core::v1::Namespace;
use kube::Api;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt;
use tokio::process::Child;

use crate::support::{PATIENCE, Up, drakit, eventually, run, stop};

const FLEET: &str = "
apiVersion: drakit/v1alpha1
kind: Fleet
metadata: {name: lifetime}
nodes:
- name: n
  drivers:
  - {name: gpu.example.com, devices: [{name: gpu}]}
";

const REGISTRATION: &str = "nodes/n/plugins_registry/gpu.example.com@reg.sock";

/// `drakit up` with its driver; the fleet comes through a pipe, the folder is relative.
async fn up_in(parent: &Path) -> Child {
    let mut process = drakit()
        .args(["up", "--fleet", "/dev/stdin", "--state-dir", "s"])
        .current_dir(parent)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    input.write_all(FLEET.as_bytes()).await.unwrap();
    drop(input);
    let socket = parent.join("s").join(REGISTRATION);
    eventually("the driver", || async { socket.exists().then_some(()) }).await;
    process
}

fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("dk-").tempdir().unwrap()
}

#[tokio::test]
async fn a_driver_ends_with_its_cluster_even_if_that_is_killed() {
    let parent = folder();
    let mut up = up_in(parent.path()).await;
    up.kill().await.unwrap();
    let socket = parent.path().join("s").join(REGISTRATION);
    eventually("the driver to withdraw", || async {
        (!socket.exists()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_second_cluster_leaves_the_folder_of_the_first_alone() {
    let parent = folder();
    let mut up = up_in(parent.path()).await;
    let state = parent.path().join("s");
    let kubeconfig = std::fs::read(state.join("kubeconfig")).unwrap();
    let state = state.to_str().unwrap();
    let arguments = [
        "up",
        "--profile",
        "demo-gpu",
        "--no-driver",
        "--state-dir",
        state,
    ];
    let (code, _, told) = run(&arguments).await;
    assert_eq!(code, 4, "{told}");
    assert!(
        told.contains("another simulated cluster runs in it"),
        "{told}"
    );
    let now = std::fs::read(Path::new(state).join("kubeconfig")).unwrap();
    assert_eq!(now, kubeconfig);
    stop(&mut up).await;
}

#[tokio::test]
async fn an_environment_that_is_meant_for_others_does_not_disturb_a_demo() {
    let mut demo = drakit();
    demo.args(["demo", "old-manifests"])
        .env("NODE_NAME", "elsewhere")
        .env("DEVICE_PROFILE", "nic")
        .env("DRAKIT_FLEET", "/nowhere/fleet.yaml")
        .env("HTTPS_PROXY", "http://127.0.0.1:9");
    let output = tokio::time::timeout(PATIENCE, demo.output())
        .await
        .unwrap()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

#[tokio::test]
async fn an_interrupted_demo_leaves_nothing_on_a_cluster_that_stays() {
    let up = Up::start(FLEET).await;
    let demo = drakit()
        .args(["demo", "01-two-gpus", "--kubeconfig"])
        .arg(up.folder.path().join("s/kubeconfig"))
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let namespaces: Api<Namespace> = Api::all(up.client.clone());
    // No driver runs: the example's pod waits until it is interrupted.
    eventually("the example's namespace", || async {
        namespaces.get_opt("01-two-gpus").await.unwrap()
    })
    .await;
    let pid = i32::try_from(demo.id().unwrap()).unwrap();
    kill(Pid::from_raw(pid), Signal::SIGINT).unwrap();
    let output = tokio::time::timeout(PATIENCE, demo.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("interrupted in 01-two-gpus"), "{told}");
    assert!(namespaces.get_opt("01-two-gpus").await.unwrap().is_none());
    up.stop().await;
}
