//! Rust bindings for the vendored kubelet protocol files.
//!
//! Checked in, so that neither a build nor an install needs a protobuf compiler.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

/// One package per module: two of the packages are plain `v1` and `v1alpha1`,
/// names that every further Kubernetes API could claim too.
const MODULES: [(&str, &str); 5] = [
    ("pluginregistration/v1", "plugin_registration_v1"),
    ("dra/v1", "dra_v1"),
    ("dra/v1beta1", "dra_v1beta1"),
    ("dra-health/v1", "dra_health_v1"),
    ("dra-health/v1alpha1", "dra_health_v1alpha1"),
];

const REGENERATE: &str = "cargo xtask proto";

/// Writes every module below `proto/src/generated`.
pub(crate) fn write() -> anyhow::Result<()> {
    for (path, text) in generate_all()? {
        let temporary = path.with_extension("rs.new");
        fs::write(&temporary, text).with_context(|| format!("write {}", temporary.display()))?;
        fs::rename(&temporary, &path).with_context(|| format!("replace {}", path.display()))?;
    }
    Ok(())
}

/// Fails when a checked-in module is not what [`write()`] would write.
pub(crate) fn check() -> anyhow::Result<()> {
    let mut stale = Vec::new();
    for (path, text) in generate_all()? {
        if fs::read_to_string(&path).ok().as_deref() != Some(text.as_str()) {
            stale.push(path.display().to_string());
        }
    }
    ensure!(
        stale.is_empty(),
        "stale generated code: {}\nrun: {REGENERATE}",
        stale.join(", ")
    );
    Ok(())
}

fn generate_all() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let root = proto_root()?;
    MODULES
        .iter()
        .map(|(api, module)| {
            let text = generate(&root.join("vendor"), api)
                .with_context(|| format!("generate module {module}"))?;
            Ok((root.join(format!("src/generated/{module}.rs")), text))
        })
        .collect()
}

fn generate(vendor: &Path, api: &str) -> anyhow::Result<String> {
    let file = format!("k8s.io/kubelet/pkg/apis/{api}/api.proto");
    let descriptors = protox::compile([vendor.join(&file)], [vendor])
        .with_context(|| format!("compile proto/vendor/{file}"))?;
    let out = tempfile::tempdir().context("create a folder for the generated code")?;
    tonic_prost_build::configure()
        .build_client(true)
        .build_server(true)
        // The order of claims in an answer is then the same in every run.
        .btree_map(".")
        .out_dir(out.path())
        .compile_fds(descriptors)?;
    let mut written = fs::read_dir(out.path())?.collect::<Result<Vec<_>, _>>()?;
    let (Some(only), true) = (written.pop(), written.is_empty()) else {
        bail!("proto/vendor/{file} holds not exactly one package");
    };
    let code = fs::read_to_string(only.path())?;
    Ok(format!(
        "// Written by `{REGENERATE}` from proto/vendor/{file}.\n{code}"
    ))
}

fn proto_root() -> anyhow::Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(|workspace| workspace.join("proto"))
        .context("find the workspace above xtask/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_in_bindings_are_what_the_vendored_files_generate() {
        if let Err(error) = check() {
            panic!("{error:#}");
        }
    }
}
