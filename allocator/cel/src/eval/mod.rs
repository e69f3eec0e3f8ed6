//! Evaluation of a plan on a device.

mod attribute;
mod call;
mod collect;
mod machine;
mod track;

pub(crate) use call::call_with;
pub(crate) use collect::{not_an_optional_element, not_an_optional_entry};
pub(crate) use machine::Machine;
pub(crate) use track::{CostTracker, NoTracker};
