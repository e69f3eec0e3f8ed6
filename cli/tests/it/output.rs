//! What the program prints.

use insta::assert_snapshot;

use crate::support::run;

async fn printed(arguments: &[&str]) -> String {
    let (code, out, err) = run(arguments).await;
    assert_eq!(code, 0, "{err}");
    out
}

#[tokio::test]
async fn the_help_is_enough_to_work_from() {
    assert_snapshot!("help", printed(&["--help"]).await);
}

#[tokio::test]
async fn profiles_are_listed_with_what_they_are() {
    assert_snapshot!("profiles", printed(&["profiles"]).await);
}

#[tokio::test]
async fn a_profile_is_shown_as_it_could_stand_in_a_fleet() {
    assert_snapshot!("profile_demo_gpu", printed(&["profiles", "demo-gpu"]).await);
}

#[tokio::test]
async fn a_fleet_is_rendered_as_a_table() {
    let fleet = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/fleet.yaml");
    assert_snapshot!("render_table", printed(&["render", "--fleet", fleet]).await);
}

#[tokio::test]
async fn a_profile_is_rendered_as_yaml() {
    assert_snapshot!(
        "render_yaml",
        printed(&["render", "--profile", "demo-gpu", "-o", "yaml"]).await
    );
}

#[tokio::test]
async fn json_and_yaml_hold_the_same_objects() {
    let list: serde_json::Value =
        serde_json::from_str(&printed(&["render", "--profile", "dgx-h100", "-o", "json"]).await)
            .unwrap();
    let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(
        &printed(&["render", "--profile", "dgx-h100", "-o", "yaml"]).await,
    )
    .unwrap();
    assert_eq!(list["items"], serde_json::Value::Array(documents));
}
