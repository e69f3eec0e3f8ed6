//! What the server says about itself: version, discovery, OpenAPI. Made once.

use std::net::SocketAddr;

use bytes::Bytes;
use drakit_sim_schema::openapi;
use http::{HeaderMap, StatusCode};

use crate::app::App;
use crate::catalogue::Catalogue;
use crate::discovery;
use crate::failure::Failure;
use crate::negotiate::{self, Discovery};
use crate::path::Route;
use crate::respond::{Answer, Payload};

/// Content type of aggregated discovery, which kubectl looks at.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The documents, as the bytes that are sent.
#[derive(Debug)]
pub(crate) struct Documents {
    version: Bytes,
    core_versions: Bytes,
    groups: Bytes,
    aggregated_core: Bytes,
    aggregated_groups: Bytes,
    openapi_index: Bytes,
}

impl Documents {
    pub(crate) fn new(catalogue: &Catalogue, version: &str, address: SocketAddr) -> Self {
        let bytes = |value: serde_json::Value| Bytes::from(value.to_string());
        Self {
            version: bytes(discovery::version(version)),
            core_versions: bytes(discovery::core_versions(&address.to_string())),
            groups: bytes(discovery::groups(catalogue)),
            aggregated_core: bytes(discovery::aggregated(catalogue, true)),
            aggregated_groups: bytes(discovery::aggregated(catalogue, false)),
            openapi_index: bytes(openapi::index()),
        }
    }

    /// The answer to anything but objects and health.
    pub(crate) fn answer(
        &self,
        app: &App,
        route: &Route<'_>,
        headers: &HeaderMap,
    ) -> Result<Answer, Failure> {
        let json = |bytes: &Bytes| Ok(Answer::json(StatusCode::OK, bytes.clone()));
        let choose = |legacy: &Bytes, aggregated: &Bytes| match negotiate::discovery(headers) {
            Discovery::Legacy => json(legacy),
            Discovery::Aggregated => Ok(Answer {
                content_type: AGGREGATED,
                ..Answer::json(StatusCode::OK, aggregated.clone())
            }),
        };
        match route {
            Route::Version => json(&self.version),
            Route::CoreVersions => choose(&self.core_versions, &self.aggregated_core),
            Route::Groups => choose(&self.groups, &self.aggregated_groups),
            Route::Group(name) => discovery::group(&app.catalogue, name)
                .map(|group| Answer::value(&group))
                .ok_or_else(Failure::no_such_path),
            Route::Resources { group, version } => {
                discovery::resources(&app.catalogue, group, version)
                    .map(|list| Answer::value(&list))
                    .ok_or_else(Failure::no_such_path)
            }
            Route::OpenApiIndex => json(&self.openapi_index),
            Route::OpenApiDocument(path) => {
                let document = openapi::document(path).ok_or_else(Failure::no_such_path)?;
                let mut answer = Answer::json(StatusCode::OK, Bytes::new());
                answer.etag = Some(format!("{:?}", document.hash()));
                answer.body = Payload::Gzip(document.gzip);
                Ok(answer)
            }
            Route::Health | Route::Objects(_) | Route::Unknown => Err(Failure::no_such_path()),
        }
    }
}
