//! `distinctAttribute`: no two devices have a value in common.

use super::attribute::Attribute;
use super::values::{Scalar, ValueSet};

/// The devices added so far.
#[derive(Debug)]
pub(super) enum Distinct<'a> {
    /// Lists are unknown.
    Scalars(Vec<Attribute<'a>>),
    /// The values of each device.
    Sets(Vec<ValueSet>),
}

impl<'a> Distinct<'a> {
    pub(super) fn new(lists: bool) -> Self {
        if lists {
            Self::Sets(Vec::new())
        } else {
            Self::Scalars(Vec::new())
        }
    }

    pub(super) fn add(&mut self, attribute: Attribute<'a>) -> bool {
        match self {
            Self::Scalars(others) => {
                let value = Scalar::of(attribute.as_ref());
                // A value of an unknown kind fits only where nothing is compared.
                let fits = others.iter().all(|other| {
                    let value = value.as_ref();
                    value.is_some_and(|value| !value.is_in(other.as_ref()))
                });
                if fits {
                    others.push(attribute);
                }
                fits
            }
            Self::Sets(others) => {
                let Some(values) = ValueSet::of(attribute.as_ref()) else {
                    return false;
                };
                let fits = others.iter().all(|other| values.common(other).is_none());
                if fits {
                    others.push(values);
                }
                fits
            }
        }
    }

    pub(super) fn remove(&mut self) {
        match self {
            Self::Scalars(others) => {
                others.pop();
            }
            Self::Sets(others) => {
                others.pop();
            }
        }
    }
}
