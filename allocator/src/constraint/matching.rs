//! `matchAttribute`: all devices have a value in common.

use super::attribute::Attribute;
use super::values::{Scalar, ValueSet};

/// The devices added so far.
#[derive(Debug)]
pub(super) enum Matching<'a> {
    /// Lists are unknown: the first device's value, and how many devices there are.
    Scalars(Option<Attribute<'a>>, usize),
    /// The values in common after each device.
    Sets(Vec<ValueSet>),
}

impl<'a> Matching<'a> {
    pub(super) fn new(lists: bool) -> Self {
        if lists {
            Self::Sets(Vec::new())
        } else {
            Self::Scalars(None, 0)
        }
    }

    pub(super) fn add(&mut self, attribute: Attribute<'a>) -> bool {
        match self {
            Self::Scalars(first, count) => {
                if let Some(first) = first {
                    let value = Scalar::of(attribute.as_ref());
                    if !value.is_some_and(|value| value.is_in(first.as_ref())) {
                        return false;
                    }
                } else {
                    // The first device always fits, whatever its value.
                    *first = Some(attribute);
                }
                *count += 1;
                true
            }
            Self::Sets(stack) => {
                let values = ValueSet::of(attribute.as_ref());
                let values = values.and_then(|values| match stack.last() {
                    Some(common) => common.common(&values),
                    None => Some(values),
                });
                let fits = values.is_some();
                stack.extend(values);
                fits
            }
        }
    }

    pub(super) fn remove(&mut self) {
        match self {
            Self::Scalars(first, count) => {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    *first = None;
                }
            }
            Self::Sets(stack) => {
                stack.pop();
            }
        }
    }
}
