//! The folders are the architecture: a crate may depend only on what docs/architecture.md draws.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// Crate folder, and the folders that it may use. A folder that ends in `/` stands for all below it.
const MAY_USE: &[(&str, &[&str])] = &[
    ("api", &[]),
    ("proto", &["api"]),
    ("allocator", &["api", "allocator/"]),
    ("allocator/cel", &["api"]),
    ("fake-driver/model", &["api"]),
    ("fake-driver/plugin", &["api", "proto", "fake-driver/model"]),
    ("fake-driver/publisher", &["api", "fake-driver/model"]),
    ("fake-driver", &["api", "fake-driver/"]),
    ("sim/store", &["api"]),
    ("sim/schema", &["api"]),
    (
        "sim/apiserver",
        &["api", "allocator/", "sim/store", "sim/schema"],
    ),
    ("sim/controllers", &["api", "sim/store"]),
    ("sim/scheduler", &["api", "allocator", "sim/store"]),
    ("sim/kubelet", &["api", "proto", "sim/store"]),
    (
        "sim",
        &["api", "proto", "allocator", "conformance/kit", "sim/"],
    ),
    ("conformance/kit", &["api", "proto"]),
    ("conformance/cluster-cases", &["api", "conformance/kit"]),
    (
        "cli",
        &[
            "api",
            "allocator",
            "fake-driver",
            "fake-driver/model",
            "sim",
            "conformance/kit",
            "conformance/cluster-cases",
        ],
    ),
    (
        "bench",
        &["api", "fake-driver/model", "conformance/kit", "sim"],
    ),
    ("golden", &[]),
    ("xtask", &[]),
];

/// Crates that decide and do not act: all input comes as arguments.
const PURE: &[&str] = &[
    "api",
    "allocator",
    "allocator/cel",
    "fake-driver/model",
    "sim/schema",
];
/// What acts: runtimes, sockets, files, clients.
const IMPURE: &[&str] = &[
    "tokio", "kube", "tonic", "hyper", "axum", "tempfile", "notify", "nix", "rand",
];

fn members() -> (BTreeMap<String, String>, Vec<(String, Package)>) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(root)
        .no_deps()
        .exec()
        .unwrap();
    let base = metadata.workspace_root.clone();
    let folder = |p: &Package| {
        p.manifest_path
            .parent()
            .unwrap()
            .strip_prefix(&base)
            .unwrap()
            .to_string()
    };
    let packages: Vec<_> = metadata
        .packages
        .iter()
        .map(|p| (folder(p), p.clone()))
        .collect();
    (
        packages
            .iter()
            .map(|(folder, p)| (p.name.to_string(), folder.clone()))
            .collect(),
        packages,
    )
}

fn allows(allowed: &[&str], used: &str) -> bool {
    allowed.iter().any(|a| {
        a.strip_suffix('/')
            .map_or(*a == used, |group| used.starts_with(group))
    })
}

#[test]
fn every_crate_uses_only_what_is_drawn() {
    let (folders, packages) = members();
    let mut wrong = Vec::new();
    for (folder, package) in &packages {
        let Some((_, allowed)) = MAY_USE.iter().find(|(f, _)| f == folder) else {
            wrong.push(format!("{folder} is not in the table"));
            continue;
        };
        for dependency in package
            .dependencies
            .iter()
            .filter(|d| d.kind == DependencyKind::Normal)
        {
            if let Some(used) = folders.get(&dependency.name)
                && !allows(allowed, used)
            {
                wrong.push(format!("{folder} must not use {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_row_of_the_table_is_a_crate() {
    let (_, packages) = members();
    for (folder, _) in MAY_USE {
        assert!(
            packages.iter().any(|(f, _)| f == folder),
            "{folder} is no crate"
        );
    }
}

#[test]
fn pure_crates_name_nothing_that_acts() {
    let (_, packages) = members();
    for (folder, package) in packages.iter().filter(|(f, _)| PURE.contains(&f.as_str())) {
        for dependency in package
            .dependencies
            .iter()
            .filter(|d| d.kind == DependencyKind::Normal)
        {
            assert!(
                !IMPURE.contains(&dependency.name.as_str()),
                "{folder} must not use {}",
                dependency.name
            );
        }
    }
}
