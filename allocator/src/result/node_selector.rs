//! Where a claim with the chosen devices can be used.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};

use crate::error::AllocateError;
use crate::features::Channel;
use crate::input::Input;
use crate::inventory::NodePools;
use crate::plan::ClaimPlan;
use crate::search::Chosen;

/// The selector of the result: the node, if any device is local to it; else what
/// the devices demand together; `None` if they are available everywhere.
pub(super) fn for_devices(
    input: &Input<'_>,
    pools: &NodePools,
    plan: &ClaimPlan<'_>,
    chosen: &[Chosen],
) -> Result<Option<NodeSelector>, AllocateError> {
    let mut term = NodeSelectorTerm::default();
    // The stable allocator predates devices that bind to a node.
    let may_bind = input.features.channel() != Channel::Stable;
    for chosen in chosen {
        let device = pools.device(chosen.place);
        let (is_local, selector) = device.slice().node_limits(device.index());
        let binds = device
            .object()
            .is_some_and(|object| object.binds_to_node == Some(true));
        if is_local || binds && may_bind {
            let name = input.node.metadata.name.clone().unwrap_or_default();
            return Ok(Some(only_node(name)));
        }
        match selector.map(|selector| selector.node_selector_terms.as_slice()) {
            None | Some([]) => {}
            Some([only]) => {
                add_new(&mut term.match_fields, only.match_fields.as_deref());
                add_new(
                    &mut term.match_expressions,
                    only.match_expressions.as_deref(),
                );
            }
            Some(terms) => {
                return Err(AllocateError::ResultNodeSelector {
                    claim: plan.claim.metadata.name.clone().unwrap_or_default(),
                    terms: terms.len(),
                });
            }
        }
    }
    if term.match_fields.is_none() && term.match_expressions.is_none() {
        return Ok(None);
    }
    Ok(Some(NodeSelector {
        node_selector_terms: vec![term],
    }))
}

fn only_node(name: String) -> NodeSelector {
    NodeSelector {
        node_selector_terms: vec![NodeSelectorTerm {
            match_expressions: None,
            match_fields: Some(vec![NodeSelectorRequirement {
                key: "metadata.name".to_owned(),
                operator: "In".to_owned(),
                values: Some(vec![name]),
            }]),
        }],
    }
}

/// Adds the requirements that are not there yet; the order of values is no difference.
fn add_new(
    to: &mut Option<Vec<NodeSelectorRequirement>>,
    from: Option<&[NodeSelectorRequirement]>,
) {
    fn values(requirement: &NodeSelectorRequirement) -> BTreeSet<&String> {
        requirement.values.iter().flatten().collect()
    }
    for requirement in from.unwrap_or_default() {
        let known = to.iter().flatten().any(|known| {
            known.key == requirement.key
                && known.operator == requirement.operator
                && values(known) == values(requirement)
        });
        if !known {
            to.get_or_insert_default().push(requirement.clone());
        }
    }
}
