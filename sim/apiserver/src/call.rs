//! One request about objects, read and ready for a verb.

use std::sync::Arc;

use drakit_sim_store::{Key, Store};
use http::header::USER_AGENT;
use http::request::Parts;
use http::{HeaderMap, Method};

use crate::app::App;
use crate::catalogue::Kind;
use crate::failure::Failure;
use crate::negotiate::{self, Form};
use crate::path::Target;
use crate::query::Query;

/// `FieldManagerMaxLength`.
const MAX_MANAGER: usize = 128;

/// One request about objects of one kind.
pub(crate) struct Call<'a> {
    pub(crate) app: &'a App,
    pub(crate) kind: &'a Arc<Kind>,
    pub(crate) target: Target<'a>,
    pub(crate) query: Query,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) method: &'a Method,
    pub(crate) form: Form,
    /// Sent with the answer.
    pub(crate) warnings: Vec<String>,
}

impl<'a> Call<'a> {
    /// Checks that the path fits the kind.
    pub(crate) fn new(
        app: &'a App,
        kind: &'a Arc<Kind>,
        target: Target<'a>,
        query: Query,
        parts: &'a Parts,
    ) -> Result<Self, Failure> {
        let misplaced = if kind.schema.namespaced {
            target.namespace.is_none() && target.name.is_some()
        } else {
            target.namespace.is_some()
        };
        if misplaced {
            return Err(Failure::no_such_path());
        }
        let form = negotiate::form(&parts.headers)?;
        Ok(Self {
            app,
            kind,
            target,
            query,
            headers: &parts.headers,
            method: &parts.method,
            form,
            warnings: Vec::new(),
        })
    }

    /// The store to write to: for `dryRun=All`, a view that keeps nothing.
    pub(crate) fn store(&self, dry_run: bool) -> Store {
        if dry_run {
            self.app.store.dry_run()
        } else {
            self.app.store.clone()
        }
    }

    /// Namespace of the path, empty without one.
    pub(crate) fn namespace(&self) -> &str {
        self.target.namespace.as_deref().unwrap_or_default()
    }

    /// Name of the path, empty for a collection.
    pub(crate) fn name(&self) -> &str {
        self.target.name.as_deref().unwrap_or_default()
    }

    /// Key of the object that the path names.
    pub(crate) fn key(&self) -> Key {
        Key::new(self.namespace(), self.name())
    }

    /// Who makes the change, for managed fields: `fieldManager`, or the start of the user agent.
    pub(crate) fn manager(&self) -> String {
        if let Some(manager) = self.query.text("fieldManager") {
            return manager.to_owned();
        }
        let agent = self
            .headers
            .get(USER_AGENT)
            .and_then(|v| v.to_str().ok())
            .unwrap_or_default();
        let prefix = agent.split('/').next().unwrap_or_default();
        prefix
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_MANAGER)
            .collect()
    }

    /// 405 for a verb that the kind does not have.
    pub(crate) fn not_supported(&self, verb: &str) -> Failure {
        Failure::method_not_supported(&self.kind.qualified, verb)
    }
}
