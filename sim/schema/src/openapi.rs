//! The vendored OpenAPI v3 documents, as `/openapi/v3` serves them.
//!
//! `/openapi/v2` is not vendored (4.5 MB): kubectl from 1.27 on asks for v3
//! first, and treats a 404 on v2 as "not there".

use std::io::{self, Read};

use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

macro_rules! vendored {
    ($($path:literal => $file:literal,)*) => {
        const DOCUMENTS: &[(&str, &[u8])] = &[
            $(($path, include_bytes!(concat!("../openapi/1.37/", $file, ".json.gz")))),*
        ];
    };
}

vendored! {
    "api/v1" => "api__v1",
    "apis/admissionregistration.k8s.io/v1" => "apis__admissionregistration.k8s.io__v1",
    "apis/apps/v1" => "apis__apps__v1",
    "apis/authentication.k8s.io/v1" => "apis__authentication.k8s.io__v1",
    "apis/authorization.k8s.io/v1" => "apis__authorization.k8s.io__v1",
    "apis/autoscaling/v1" => "apis__autoscaling__v1",
    "apis/autoscaling/v2" => "apis__autoscaling__v2",
    "apis/batch/v1" => "apis__batch__v1",
    "apis/coordination.k8s.io/v1" => "apis__coordination.k8s.io__v1",
    "apis/discovery.k8s.io/v1" => "apis__discovery.k8s.io__v1",
    "apis/events.k8s.io/v1" => "apis__events.k8s.io__v1",
    "apis/networking.k8s.io/v1" => "apis__networking.k8s.io__v1",
    "apis/node.k8s.io/v1" => "apis__node.k8s.io__v1",
    "apis/policy/v1" => "apis__policy__v1",
    "apis/rbac.authorization.k8s.io/v1" => "apis__rbac.authorization.k8s.io__v1",
    "apis/resource.k8s.io/v1" => "apis__resource.k8s.io__v1",
    "apis/scheduling.k8s.io/v1" => "apis__scheduling.k8s.io__v1",
    "apis/storage.k8s.io/v1" => "apis__storage.k8s.io__v1",
}

pub(crate) const TYPES: &[u8] = include_bytes!("../openapi/1.37/types.json.gz");

/// One OpenAPI v3 document.
#[derive(Clone, Copy, Debug)]
pub struct Document {
    /// The document, gzip; may be sent with `Content-Encoding: gzip`.
    pub gzip: &'static [u8],
}

impl Document {
    /// The document as JSON text.
    ///
    /// # Errors
    /// When the vendored bytes are not gzip.
    pub fn json(&self) -> io::Result<Vec<u8>> {
        gunzip(self.gzip)
    }

    /// Changes when the content does: the checksum and length that end a gzip stream.
    pub fn hash(&self) -> String {
        let tail = self.gzip.last_chunk::<8>().copied().unwrap_or_default();
        format!("{:016X}", u64::from_be_bytes(tail))
    }
}

/// The document of a group and version: `api/v1`, `apis/apps/v1`.
pub fn document(path: &str) -> Option<Document> {
    let (_, gzip) = DOCUMENTS.iter().find(|(known, _)| *known == path)?;
    Some(Document { gzip })
}

/// The body of `GET /openapi/v3`: each document's path and its URL with hash.
pub fn index() -> Value {
    let paths: Map<String, Value> = DOCUMENTS
        .iter()
        .map(|(path, gzip)| {
            let url = format!("/openapi/v3/{path}?hash={}", Document { gzip }.hash());
            ((*path).to_owned(), json!({ "serverRelativeURL": url }))
        })
        .collect();
    json!({ "paths": paths })
}

pub(crate) fn gunzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut content)?;
    Ok(content)
}
