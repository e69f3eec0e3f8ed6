//! Options of writes (`metav1.CreateOptions`, `UpdateOptions`, `PatchOptions`).

use drakit_sim_schema::FieldValidation;

use crate::call::Call;
use crate::failure::Failure;

/// What create, update and patch have in common.
#[derive(Debug, Clone)]
pub(crate) struct WriteOptions {
    pub(crate) dry_run: bool,
    pub(crate) validation: FieldValidation,
    pub(crate) manager: String,
}

impl WriteOptions {
    /// Reads them from the query. `kind` is `CreateOptions` and the like.
    pub(crate) fn read(call: &Call<'_>, kind: &str) -> Result<Self, Failure> {
        Ok(Self {
            dry_run: call.query.dry_run(kind)?,
            validation: call.query.field_validation(kind)?,
            manager: call.manager(),
        })
    }
}
