//! Which nodes a slice or a device is for.

use k8s_openapi::api::core::v1::{Node, NodeSelector};

use crate::node_selector::CompiledSelector;

/// The node selection of a slice or of one device in it, `NodeMatches` of
/// `structured/internal/*/pools_*.go`.
#[derive(Debug, Clone)]
pub(crate) enum NodeRule {
    /// Only the node with this name.
    Name(String),
    /// Every node.
    All,
    /// The nodes that the selector matches.
    Selector(Box<CompiledSelector>),
    /// No node.
    None,
}

impl NodeRule {
    pub(crate) fn new(
        name: Option<&str>,
        all: Option<bool>,
        selector: Option<&NodeSelector>,
    ) -> Self {
        match (name, all, selector) {
            (Some(name), _, _) if !name.is_empty() => Self::Name(name.to_owned()),
            (_, Some(true), _) => Self::All,
            (_, _, Some(selector)) => Self::Selector(Box::new(CompiledSelector::new(selector))),
            _ => Self::None,
        }
    }

    /// Whether the node is selected; the text of what is wrong with the selector otherwise.
    pub(crate) fn matches(&self, node: &Node) -> Result<bool, &str> {
        match self {
            Self::Name(name) => Ok(node.metadata.name.as_deref() == Some(name)),
            Self::All => Ok(true),
            Self::Selector(selector) => selector.matches(node),
            Self::None => Ok(false),
        }
    }
}
