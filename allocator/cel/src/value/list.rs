//! Lists: written out, or an attribute of the device.

use std::sync::Arc;

use super::{Held, Value};
use drakit_api::Semver;

/// A list of values.
#[derive(Debug, Clone)]
pub(crate) enum List<'a> {
    Values(Arc<Vec<Value<'a>>>),
    Slice(&'a [Value<'a>]),
    Bools(&'a [bool]),
    Ints(&'a [i64]),
    Strings(&'a [String]),
    Versions(&'a [Semver]),
}

impl<'a> List<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Slice(values) => values.len(),
            Self::Bools(values) => values.len(),
            Self::Ints(values) => values.len(),
            Self::Strings(values) => values.len(),
            Self::Versions(values) => values.len(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<Value<'a>> {
        match self {
            Self::Values(values) => values.get(index).cloned(),
            Self::Slice(values) => values.get(index).map(Value::borrowed),
            Self::Bools(values) => values.get(index).map(|value| Value::Bool(*value)),
            Self::Ints(values) => values.get(index).map(|value| Value::Int(*value)),
            Self::Strings(values) => values.get(index).map(|value| Value::text(value)),
            Self::Versions(values) => values
                .get(index)
                .map(|value| Value::Semver(Held::Borrowed(value))),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Value<'a>> {
        (0..self.len()).map_while(|index| self.get(index))
    }
}
