//! Server-side apply.

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::verbs::options::WriteOptions;
use crate::verbs::update::Part;

/// Answers an apply patch.
pub(crate) fn run(
    _call: Call<'_>,
    _bytes: &[u8],
    _part: Part,
    _options: &WriteOptions,
    _force: bool,
) -> Result<Answer, Failure> {
    Err(Failure::not_emulated("apply", "not yet"))
}
