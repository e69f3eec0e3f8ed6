//! What people get wrong: one clear line, exit code 4, nothing started.

use crate::support::run;

async fn refused(arguments: &[&str]) -> String {
    let (code, out, err) = run(arguments).await;
    assert_eq!(code, 4, "{out}{err}");
    assert!(out.is_empty(), "{out}");
    assert!(!err.contains("panicked"), "{err}");
    err
}

fn file(text: &str) -> tempfile::NamedTempFile {
    use std::io::Write;
    let mut file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

async fn refused_fleet(text: &str) -> String {
    let file = file(text);
    let path = file.path().to_str().unwrap();
    refused(&["render", "--fleet", path])
        .await
        .replace(path, "FLEET")
}

#[tokio::test]
async fn broken_yaml_names_file_and_line() {
    let told = refused_fleet("apiVersion: drakit/v1alpha1\nkind: Fleet\nnodes: [").await;
    assert!(
        told.contains("FLEET:") && told.contains("broken YAML"),
        "{told}"
    );
}

#[tokio::test]
async fn every_problem_of_a_fleet_is_told_at_once() {
    let told = refused_fleet(
        "apiVersion: drakit/v1alpha1\nkind: Fleet\nmetadata: {name: x}\nnodes:\n- {name: a, profile: dgx-h1000}\n- name: b\n  drivers:\n  - name: gpu.example.com\n    devices:\n    - {name: g, capacity: {memory: lots}}\n    - {name: g}\n    colour: red\n",
    )
    .await;
    for problem in [
        "nodes[0].profile",
        "dgx-h100",
        "capacity.memory",
        "colour",
        "\"g\"",
    ] {
        assert!(told.contains(problem), "{problem} is missing in: {told}");
    }
}

#[tokio::test]
async fn an_absent_fleet_file_is_named() {
    assert!(
        refused(&["render", "--fleet", "/nowhere/fleet.yaml"])
            .await
            .contains("read fleet file /nowhere/fleet.yaml")
    );
}

#[tokio::test]
async fn a_fleet_file_without_an_end_is_not_read_to_the_end() {
    let told = refused(&["render", "--fleet", "/dev/zero"]).await;
    assert!(
        told.contains("read fleet file /dev/zero: it is longer than 16 MiB"),
        "{told}"
    );
}

#[tokio::test]
async fn a_state_folder_with_the_placeholder_of_nodes_in_its_name_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let state = parent.path().join("{node}");
    let state = state.to_str().unwrap();
    let told = refused(&["up", "--profile", "demo-gpu", "--state-dir", state]).await;
    assert!(told.contains("must not have {node} in its name"), "{told}");
}

#[tokio::test]
async fn a_driver_that_is_to_end_with_its_pipe_needs_one() {
    let arguments = [
        "driver",
        "--profile",
        "nic",
        "--all-nodes",
        "--until-stdin-closes",
    ];
    let told = refused(&arguments).await;
    assert!(told.contains("must be a pipe"), "{told}");
}

#[tokio::test]
async fn an_unknown_profile_is_told_with_the_known_ones() {
    let told = refused(&["render", "--profile", "dgx-h1000"]).await;
    assert!(
        told.contains("dgx-h1000") && told.contains("dgx-h100"),
        "{told}"
    );
}

#[tokio::test]
async fn wrong_usage_is_exit_code_two() {
    for arguments in [
        &["render"][..],
        &["up", "--profile", "demo-gpu", "--fleet", "x"],
        &["render", "-o", "xml", "--profile", "nic"],
    ] {
        let (code, _, err) = run(arguments).await;
        assert_eq!(code, 2, "{arguments:?}: {err}");
    }
}

#[tokio::test]
async fn an_occupied_port_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let told = refused(&["up", "--profile", "demo-gpu", "--listen", &address]).await;
    assert!(told.contains(&address) && told.contains("in use"), "{told}");
}

#[tokio::test]
async fn a_state_folder_that_cannot_be_made_is_named() {
    let file = file("not a folder");
    let below = format!("{}/state", file.path().display());
    let told = refused(&["up", "--profile", "demo-gpu", "--state-dir", &below]).await;
    assert!(told.contains(&below), "{told}");
}

#[tokio::test]
async fn a_socket_path_that_is_too_long_is_told_before_anything_is_bound() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("x".repeat(90));
    let told = refused(&[
        "up",
        "--profile",
        "demo-gpu",
        "--state-dir",
        long.to_str().unwrap(),
    ])
    .await;
    assert!(told.contains("107"), "{told}");
}

#[tokio::test]
async fn a_time_scale_without_sense_is_refused() {
    for scale in ["0", "-1", "NaN", "inf"] {
        let told = refused(&[
            "up",
            "--profile",
            "demo-gpu",
            &format!("--time-scale={scale}"),
        ])
        .await;
        assert!(told.contains("--time-scale"), "{told}");
    }
}

#[tokio::test]
async fn a_driver_without_folders_says_which_one_is_missing() {
    let kubeconfig = file(
        "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\ncurrent-context: c\n",
    );
    let told = refused(&[
        "driver",
        "--profile",
        "demo-gpu",
        "--node-name",
        "n",
        "--kubeconfig",
        kubeconfig.path().to_str().unwrap(),
        "--registrar-dir",
        "/nowhere/registry",
        "--plugins-dir",
        "/nowhere/plugins",
        "--cdi-dir",
        "/nowhere/cdi",
    ])
    .await;
    assert!(told.contains("/nowhere/"), "{told}");
}

#[tokio::test]
async fn an_unusable_kubeconfig_is_named() {
    let kubeconfig = file("clusters: 7");
    let path = kubeconfig.path().to_str().unwrap();
    let told = refused(&["demo", "--kubeconfig", path]).await;
    assert!(told.contains(path), "{told}");
}
