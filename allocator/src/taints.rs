//! Taints of devices and the tolerations of requests (KEP-5055).

use k8s_openapi::api::resource::v1::{DeviceTaint, DeviceToleration};

use crate::request::RequestView;

/// Whether one of the taints keeps the device from the request. Only `NoSchedule` and
/// `NoExecute` do; `None` and effects of the future are ignored.
pub(crate) fn prevent<'a>(
    mut taints: impl Iterator<Item = &'a DeviceTaint>,
    request: &RequestView<'_>,
) -> bool {
    let tolerations = request.tolerations.map_or(&[][..], Vec::as_slice);
    taints.any(|taint| {
        matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute")
            && !tolerations.iter().any(|each| tolerates(each, taint))
    })
}

/// Whether the toleration covers the taint, whatever the taint's effect
/// (`resourceclaim.ToleratesTaint`): an empty effect or key covers all, `Exists`
/// covers all values.
pub fn tolerates(toleration: &DeviceToleration, taint: &DeviceTaint) -> bool {
    let covers = |wanted: Option<&str>, actual: &str| {
        wanted.is_none_or(|wanted| wanted.is_empty() || wanted == actual)
    };
    covers(toleration.effect.as_deref(), &taint.effect)
        && covers(toleration.key.as_deref(), &taint.key)
        && match toleration.operator.as_deref() {
            None | Some("" | "Equal") => {
                toleration.value.as_deref().unwrap_or_default()
                    == taint.value.as_deref().unwrap_or_default()
            }
            Some("Exists") => true,
            Some(_) => false,
        }
}
