//! Constraints across the devices of a claim.
//!
//! * `attribute`: finding the attribute that is compared;
//! * `values`: comparing attributes, as scalars or as sets;
//! * `matching`, `distinct`: the two kinds of constraint.
//!
//! Constraints are monotonic: what they reject stays rejected when more devices
//! are added, so that the search may stop early.

mod attribute;
mod distinct;
mod matching;
mod values;

use k8s_openapi::api::resource::v1::DeviceConstraint;

pub(crate) use attribute::Attribute;
pub(crate) use attribute::published;
use distinct::Distinct;
use matching::Matching;

use crate::features::{Channel, Features};
use crate::request::RequestView;

/// A constraint with the devices that it holds so far.
#[derive(Debug)]
pub(crate) struct Constraint<'a> {
    requests: &'a [String],
    attribute: &'a str,
    state: State<'a>,
}

#[derive(Debug)]
enum State<'a> {
    Matching(Matching<'a>),
    Distinct(Distinct<'a>),
}

impl<'a> Constraint<'a> {
    /// `None` if the constraint is of a kind that the features do not know.
    pub(crate) fn new(source: &'a DeviceConstraint, features: Features) -> Option<Self> {
        let lists = features.list_type_attributes;
        let (attribute, state) = match (&source.match_attribute, &source.distinct_attribute) {
            (Some(name), _) => (name, State::Matching(Matching::new(lists))),
            // The stable allocator does not know distinct attributes.
            (None, Some(name)) if features.channel() != Channel::Stable => {
                (name, State::Distinct(Distinct::new(lists)))
            }
            _ => return None,
        };
        Some(Self {
            requests: source.requests.as_deref().unwrap_or_default(),
            attribute,
            state,
        })
    }

    /// The qualified name of the attribute that is compared.
    pub(crate) fn attribute(&self) -> &'a str {
        self.attribute
    }

    /// Whether devices of the request are subject to the constraint.
    pub(crate) fn applies_to(&self, request: &RequestView<'_>) -> bool {
        self.requests.is_empty() || request.is_named_in(self.requests)
    }

    /// Takes in one more device with this attribute, if it may be added.
    pub(crate) fn add(&mut self, attribute: Option<Attribute<'a>>) -> bool {
        // A device without the attribute satisfies neither kind.
        let Some(attribute) = attribute else {
            return false;
        };
        match &mut self.state {
            State::Matching(state) => state.add(attribute),
            State::Distinct(state) => state.add(attribute),
        }
    }

    /// Takes the device that was added last out again.
    pub(crate) fn remove(&mut self) {
        match &mut self.state {
            State::Matching(state) => state.remove(),
            State::Distinct(state) => state.remove(),
        }
    }
}
