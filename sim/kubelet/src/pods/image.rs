//! Names and ids of images and containers.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::view::{Container, PodView};

fn sha256(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// A stable id, since nothing is created that would have one.
pub(super) fn container_id(pod: &PodView, container: &Container) -> String {
    sha256(&format!("{}/{}", pod.metadata.uid, container.name))
}

/// The image as containerd names it, and its digest (of the name: nothing is pulled).
pub(super) fn image_names(image: &str) -> (String, String) {
    let (name, digest) = image.split_once('@').unwrap_or((image, ""));
    let first = name.split('/').next().unwrap_or("");
    let has_registry = name.contains('/') && (first.contains(['.', ':']) || first == "localhost");
    let full = match (has_registry, name.contains('/')) {
        (true, _) => name.to_owned(),
        (false, true) => format!("docker.io/{name}"),
        (false, false) => format!("docker.io/library/{name}"),
    };
    let slash = full.rfind('/').map_or(0, |at| at + 1);
    let (repository, tagged) = match full[slash..].rfind(':') {
        Some(colon) => (full[..slash + colon].to_owned(), full.clone()),
        None => (full.clone(), format!("{full}:latest")),
    };
    if digest.is_empty() {
        let id = format!("{repository}@sha256:{}", sha256(&tagged));
        (tagged, id)
    } else {
        let id = format!("{repository}@{digest}");
        (id.clone(), id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_named_as_containerd_names_them() {
        let name = |image| image_names(image).0;
        assert_eq!(name("nginx:1.29"), "docker.io/library/nginx:1.29");
        assert_eq!(name("a/b"), "docker.io/a/b:latest");
        assert_eq!(
            name("registry.k8s.io/pause:3.10"),
            "registry.k8s.io/pause:3.10"
        );
        assert_eq!(name("localhost:5000/x"), "localhost:5000/x:latest");
        assert_eq!(image_names("a/b:1@sha256:00").1, "docker.io/a/b@sha256:00");
    }
}
