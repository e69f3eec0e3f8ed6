//! Regenerates `openapi/1.37` from the Kubernetes sources; `--check` only compares.
//!
//! ```text
//! cargo run -p drakit-sim-schema --example vendor-openapi -- [--check] \
//!     <dir of k8s.io/kubernetes> <dir of k8s.io/api> <dir of k8s.io/apimachinery>
//! ```

mod compact;
mod go_source;

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use flate2::{Compression, GzBuilder, read::GzDecoder};

/// The groups that a default 1.37 cluster serves and that the simulation knows.
const DOCUMENTS: [&str; 18] = [
    "api__v1",
    "apis__admissionregistration.k8s.io__v1",
    "apis__apps__v1",
    "apis__authentication.k8s.io__v1",
    "apis__authorization.k8s.io__v1",
    "apis__autoscaling__v1",
    "apis__autoscaling__v2",
    "apis__batch__v1",
    "apis__coordination.k8s.io__v1",
    "apis__discovery.k8s.io__v1",
    "apis__events.k8s.io__v1",
    "apis__networking.k8s.io__v1",
    "apis__node.k8s.io__v1",
    "apis__policy__v1",
    "apis__rbac.authorization.k8s.io__v1",
    "apis__resource.k8s.io__v1",
    "apis__scheduling.k8s.io__v1",
    "apis__storage.k8s.io__v1",
];

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = arguments.first().is_some_and(|first| first == "--check");
    if check {
        arguments.remove(0);
    }
    let [kubernetes, api, apimachinery] = arguments.as_slice() else {
        bail!(
            "usage: vendor-openapi [--check] <k8s.io/kubernetes> <k8s.io/api> <k8s.io/apimachinery>"
        );
    };
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/1.37");
    let mut stale = Vec::new();
    for (name, content) in generate(kubernetes.as_ref(), api.as_ref(), apimachinery.as_ref())? {
        let path = target.join(name);
        if !check {
            fs::write(&path, gzip(&content)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
        } else if read_gzip(&path).ok().as_ref() != Some(&content) {
            stale.push(path.display().to_string());
        }
    }
    if !stale.is_empty() {
        bail!(
            "not what the sources give, run without --check: {}",
            stale.join(", ")
        );
    }
    Ok(())
}

fn generate(kubernetes: &Path, api: &Path, apimachinery: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut go = go_source::GoStructs::new();
    go_source::read_tree(api, "io.k8s.api", &mut go)?;
    let meta = apimachinery.join("pkg/apis/meta/v1");
    go_source::read_tree(&meta, "io.k8s.apimachinery.pkg.apis.meta.v1", &mut go)?;
    let mut compactor = compact::Compactor::new(go);
    let mut files = Vec::new();
    for name in DOCUMENTS {
        let path = kubernetes.join(format!("api/openapi-spec/v3/{name}_openapi.json"));
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let document = serde_json::from_slice(&text)?;
        compactor.add(&document);
        // Without indentation: a third smaller, same document.
        files.push((format!("{name}.json.gz"), serde_json::to_vec(&document)?));
    }
    files.push((
        "types.json.gz".to_owned(),
        serde_json::to_vec(&compactor.finish())?,
    ));
    Ok(files)
}

fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    // No time and no file name in the header: same input, same bytes.
    let mut encoder = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

fn read_gzip(path: &PathBuf) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    GzDecoder::new(fs::File::open(path)?).read_to_end(&mut content)?;
    Ok(content)
}
