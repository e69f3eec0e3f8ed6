//! Types of other API groups. Source: `k8s.io/api/core/v1`, `apimachinery/pkg/apis/meta/v1`, v0.37.2.

use super::types::{BOOL, Field, INT, Shape, TEXT};

/// `core.NodeSelector`
pub(super) static NODE_SELECTOR: Shape = Shape::Struct(&[Field::always(
    "nodeSelectorTerms",
    "NodeSelectorTerms",
    &Shape::List(&NODE_SELECTOR_TERM),
)]);

static NODE_SELECTOR_TERM: Shape = Shape::Struct(&[
    Field::new(
        "matchExpressions",
        "MatchExpressions",
        &Shape::List(&NODE_SELECTOR_REQUIREMENT),
    ),
    Field::new(
        "matchFields",
        "MatchFields",
        &Shape::List(&NODE_SELECTOR_REQUIREMENT),
    ),
]);

static NODE_SELECTOR_REQUIREMENT: Shape = Shape::Struct(&[
    Field::always("key", "Key", &TEXT),
    Field::always("operator", "Operator", &TEXT),
    Field::new("values", "Values", &Shape::List(&TEXT)),
]);

/// `metav1.Condition`
pub(super) static CONDITION: Shape = Shape::Struct(&[
    Field::tagged_always("type", &TEXT),
    Field::tagged_always("status", &TEXT),
    Field::tagged("observedGeneration", &INT),
    Field::tagged_always("lastTransitionTime", &TEXT),
    Field::tagged_always("reason", &TEXT),
    Field::tagged_always("message", &TEXT),
]);

/// `[]core.NodeSelectorTerm`
pub(in crate::validate) static NODE_SELECTOR_TERMS: Shape = Shape::List(&NODE_SELECTOR_TERM);

/// `metav1.OwnerReference`
pub(in crate::validate) static OWNER_REFERENCE: Shape = Shape::Struct(&[
    Field::tagged_always("apiVersion", &TEXT),
    Field::tagged_always("kind", &TEXT),
    Field::tagged_always("name", &TEXT),
    Field::tagged_always("uid", &TEXT),
    Field::tagged("controller", &BOOL).pointer(),
    Field::tagged("blockOwnerDeletion", &BOOL).pointer(),
]);

/// `[]metav1.OwnerReference`
pub(in crate::validate) static OWNER_REFERENCES: Shape = Shape::List(&OWNER_REFERENCE);
