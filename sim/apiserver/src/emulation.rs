//! What the simulation does not do, in one place.
//!
//! An object of such a kind would be stored and then ignored, which looks like success. It is
//! refused instead.

/// Group, plural, and why its objects cannot be created. `*` stands for every kind of the group.
const REFUSED: &[(&str, &str, &str)] = &[
    ("", "limitranges", "no limits are applied to pods"),
    ("", "persistentvolumeclaims", "there are no volumes"),
    ("", "persistentvolumes", "there are no volumes"),
    (
        "",
        "replicationcontrollers",
        "no controller would act on it; use a Deployment",
    ),
    ("", "resourcequotas", "no quota is enforced"),
    (
        "admissionregistration.k8s.io",
        "*",
        "no admission webhooks or policies are called",
    ),
    (
        "apiextensions.k8s.io",
        "*",
        "custom resources are not served",
    ),
    (
        "apiregistration.k8s.io",
        "*",
        "aggregated API servers are not called",
    ),
    (
        "apps",
        "statefulsets",
        "no controller would act on it; use a Deployment",
    ),
    ("autoscaling", "*", "nothing is scaled by metrics"),
    (
        "batch",
        "cronjobs",
        "no controller would act on it; use a Job",
    ),
    ("certificates.k8s.io", "*", "no certificates are signed"),
    (
        "flowcontrol.apiserver.k8s.io",
        "*",
        "requests are not prioritised",
    ),
    ("networking.k8s.io", "ingressclasses", "there is no network"),
    ("networking.k8s.io", "ingresses", "there is no network"),
    ("networking.k8s.io", "ipaddresses", "there is no network"),
    ("networking.k8s.io", "servicecidrs", "there is no network"),
    (
        "node.k8s.io",
        "*",
        "there is no container runtime to choose",
    ),
    (
        "policy",
        "poddisruptionbudgets",
        "evictions are not budgeted",
    ),
    ("storage.k8s.io", "*", "there are no volumes"),
];

/// Why objects of this kind are refused, if they are.
pub(crate) fn refusal(group: &str, plural: &str) -> Option<&'static str> {
    REFUSED
        .iter()
        .find(|(g, p, _)| *g == group && (*p == "*" || *p == plural))
        .map(|(_, _, why)| *why)
}

/// Subresources of pods that need a running container, and other calls that are not answered.
pub(crate) fn missing_subresource(name: &str) -> Option<&'static str> {
    match name {
        "attach" | "exec" | "portforward" => Some("containers do not run"),
        "proxy" => Some("there is no network"),
        "ephemeralcontainers" => Some("containers cannot be added to a pod"),
        "resize" => Some("pods cannot be resized"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn kinds_that_nothing_would_act_on_are_refused_and_dra_kinds_are_not() {
        assert!(refusal("apps", "statefulsets").is_some());
        assert!(refusal("storage.k8s.io", "storageclasses").is_some());
        for (group, plural) in [
            ("apps", "deployments"),
            ("resource.k8s.io", "resourceclaims"),
            ("", "secrets"),
        ] {
            assert_eq!(refusal(group, plural), None, "{group}/{plural}");
        }
    }
}
