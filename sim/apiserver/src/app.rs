//! One handler for every request: who asks, what for, and which verb answers.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use drakit_sim_schema::Schemas;
use drakit_sim_store::Store;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, Method};
use tokio_util::sync::CancellationToken;

use crate::call::Call;
use crate::catalogue::Catalogue;
use crate::config::{ApiConfig, PodLogs};
use crate::documents::Documents;
use crate::failure::Failure;
use crate::path::{self, Route};
use crate::query::Query;
use crate::respond::{Answer, failure_response};
use crate::verbs;
use crate::verbs::pages::Pages;

/// Everything that requests share.
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) schemas: Schemas,
    pub(crate) catalogue: Catalogue,
    pub(crate) documents: Documents,
    pub(crate) logs: Arc<dyn PodLogs>,
    pub(crate) pages: Pages,
    pub(crate) shutdown: CancellationToken,
    token: Option<String>,
}

impl App {
    pub(crate) fn new(
        config: &ApiConfig,
        shutdown: CancellationToken,
    ) -> Result<Self, drakit_sim_schema::LoadError> {
        let schemas = Schemas::load()?;
        let catalogue = Catalogue::new(&schemas);
        Ok(Self {
            documents: Documents::new(&catalogue, &config.version, config.address),
            store: config.store.clone(),
            logs: config.logs.clone(),
            token: config.token.clone(),
            pages: Pages::default(),
            schemas,
            catalogue,
            shutdown,
        })
    }

    /// Whether the request carries the token.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(expected) = self.token.as_deref() else {
            return true;
        };
        let sent = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        sent.and_then(|text| text.split_once(' '))
            .is_some_and(|(scheme, token)| {
                scheme.eq_ignore_ascii_case("bearer") && token.trim() == expected
            })
    }

    async fn answer(&self, parts: &Parts, body: Body) -> Result<Answer, Failure> {
        let route = path::parse(parts.uri.path());
        if route == Route::Health {
            return only_get(&parts.method, || Ok(Answer::text("ok")));
        }
        if !self.admits(&parts.headers) {
            return Err(Failure::unauthorized());
        }
        match route {
            Route::Objects(target) => {
                let kind = self
                    .catalogue
                    .get(target.group, target.version, target.resource)
                    .ok_or_else(Failure::no_such_path)?;
                let query = Query::parse(parts.uri.query().unwrap_or_default());
                let call = Call::new(self, kind, target, query, parts)?;
                verbs::dispatch(call, body).await
            }
            other => only_get(&parts.method, || {
                self.documents.answer(self, &other, &parts.headers)
            }),
        }
    }
}

fn only_get(
    method: &Method,
    answer: impl FnOnce() -> Result<Answer, Failure>,
) -> Result<Answer, Failure> {
    if matches!(*method, Method::GET | Method::HEAD) {
        answer()
    } else {
        Err(Failure::method_not_allowed())
    }
}

/// The service over an `App`.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new().fallback(handle).with_state(app)
}

async fn handle(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match app.answer(&parts, body).await {
        Ok(answer) => answer.into_response(&parts.headers),
        Err(failure) => {
            tracing::debug!(method = %parts.method, uri = %parts.uri, code = failure.code, %failure, "refused");
            failure_response(&failure)
        }
    }
}
