//! `labelSelector` and `fieldSelector` of a request, as a filter of the store.

use std::sync::Arc;

use drakit_sim_schema::{FieldSelector, LabelSelector, SelectorError};
use drakit_sim_store::{Filter, Predicate};
use serde_json::Value;

use crate::alias;
use crate::call::Call;
use crate::failure::Failure;

impl From<SelectorError> for Failure {
    fn from(error: SelectorError) -> Self {
        Self::bad_request(error.to_string())
    }
}

/// Which objects a list, watch or deletecollection is about.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) filter: Filter,
}

impl Selection {
    /// Reads the selectors of a request.
    pub(crate) fn read(call: &Call<'_>) -> Result<Self, Failure> {
        let labels = LabelSelector::parse(call.query.text("labelSelector").unwrap_or_default())?;
        let fields = call.query.text("fieldSelector").unwrap_or_default();
        let fields = FieldSelector::parse(&call.kind.schema, fields)?;
        let kind = call.kind.clone();
        let matches: Option<Predicate> = match (labels.is_empty(), fields.is_empty()) {
            (true, true) => None,
            (false, true) => Some(Arc::new(move |object: &Value| labels.matches(object))),
            (_, false) => Some(Arc::new(move |object: &Value| {
                labels.matches(object) && fields.matches(&alias::served(&kind, object))
            })),
        };
        let namespace = call.target.namespace.as_deref().map(str::to_owned);
        Ok(Self {
            filter: Filter { namespace, matches },
        })
    }

    /// True without selectors.
    pub(crate) fn is_everything(&self) -> bool {
        self.filter.matches.is_none()
    }
}
