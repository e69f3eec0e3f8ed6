//! `labelSelector` and `fieldSelector` of a request, as a filter of the store.

use drakit_sim_store::Filter;

use crate::call::Call;
use crate::failure::Failure;

/// Which objects a list, watch or deletecollection is about.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) filter: Filter,
}

impl Selection {
    /// Reads the selectors of a request.
    pub(crate) fn read(call: &Call<'_>) -> Result<Self, Failure> {
        let filter = Filter {
            namespace: call.target.namespace.as_deref().map(str::to_owned),
            matches: None,
        };
        if call.query.text("labelSelector").or(call.query.text("fieldSelector")).is_some() {
            return Err(Failure::not_emulated("selectors", "not yet"));
        }
        Ok(Self { filter })
    }

    /// True without selectors.
    pub(crate) fn is_everything(&self) -> bool {
        self.filter.matches.is_none()
    }
}
