//! Every example, end to end: simulated cluster in one process, driver in another.

use serde_json::Value;

use crate::support::run;

#[tokio::test]
async fn every_example_passes_in_the_simulated_cluster() {
    let (code, out, err) = run(&["demo", "-o", "json"]).await;
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
    let examples = report["examples"].as_array().unwrap();
    let failed: Vec<_> = examples.iter().filter(|e| e["passed"] != true).collect();
    assert!(failed.is_empty(), "{failed:#?}\n{err}");
    let names: Vec<_> = examples
        .iter()
        .map(|e| e["example"].as_str().unwrap())
        .collect();
    // One case for each folder of examples/.
    let mut folders: Vec<String> =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"))
            .unwrap()
            .map(|e| e.unwrap())
            .filter(|e| e.path().is_dir())
            .map(|e| e.file_name().into_string().unwrap())
            .collect();
    folders.sort();
    assert_eq!(names, folders);
    assert_eq!(code, 0);
}

#[tokio::test]
async fn one_example_can_be_chosen() {
    let (code, out, _) = run(&["demo", "old-manifests"]).await;
    assert!(out.ends_with("1 examples passed, 0 failed\n"), "{out}");
    assert_eq!(code, 0);
}

#[tokio::test]
async fn an_unknown_example_is_named_with_the_known_ones() {
    let (code, _, err) = run(&["demo", "10-magic"]).await;
    assert_eq!(code, 4);
    assert!(
        err.starts_with("error: there is no example \"10-magic\"; there are: 01-two-gpus, "),
        "{err}"
    );
}
