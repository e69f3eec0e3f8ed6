//! Fields that an endpoint resets and so nobody can own through it (`GetResetFields` of the
//! registry strategies).

use super::set::Set;
use crate::GroupVersionKind;

/// The fields that writes through an endpoint do not touch.
pub(super) fn reset_fields(gvk: &GroupVersionKind, has_status: bool, subresource: &str) -> Set {
    let status: &[&[&str]] = &[&["status"]];
    Set::of_fields(match (gvk.group.as_str(), gvk.kind.as_str(), subresource) {
        ("", "Namespace", "finalize") => status,
        (_, _, "") if has_status => status,
        ("", "Pod", "status") => &[
            &["spec"],
            &["metadata", "deletionTimestamp"],
            &["metadata", "ownerReferences"],
        ],
        ("apps", "Deployment", "status") => &[&["spec"], &["metadata", "labels"]],
        ("resource.k8s.io" | "storage.k8s.io", _, "status") => &[&["metadata"], &["spec"]],
        (_, _, "status") => &[&["spec"]],
        _ => &[],
    })
}

/// Fields that are never owned (`stripMetaManager`).
pub(super) fn never_owned() -> Set {
    Set::of_fields(&[
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "clusterName"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ])
}
