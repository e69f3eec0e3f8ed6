//! Names in `PluginInfo`, the driver's answer to the kubelet's `GetInfo`.
//!
//! They are not the gRPC paths: `v1.DRAPlugin` is served below
//! `/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/`. List the newest version
//! first: the kubelet takes the first that it knows.
//! Source: `types.go` beside each vendored protocol file.

/// `PluginInfo.type` of a DRA driver (`pluginregistration/v1/constants.go`).
pub const DRA_PLUGIN_TYPE: &str = "DRAPlugin";

/// `PluginInfo.supported_versions`: serves [`crate::dra_v1`].
pub const DRA_V1: &str = "v1.DRAPlugin";

/// `PluginInfo.supported_versions`: serves [`crate::dra_v1beta1`].
pub const DRA_V1BETA1: &str = "v1beta1.DRAPlugin";

/// `PluginInfo.supported_versions`: serves [`crate::dra_health_v1`].
pub const DRA_HEALTH_V1: &str = "v1.DRAResourceHealth";

/// `PluginInfo.supported_versions`: serves [`crate::dra_health_v1alpha1`].
pub const DRA_HEALTH_V1ALPHA1: &str = "v1alpha1.DRAResourceHealth";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dra_health_v1::dra_resource_health_server::SERVICE_NAME as HEALTH_V1_PATH;
    use crate::dra_health_v1alpha1::dra_resource_health_server::SERVICE_NAME as HEALTH_V1ALPHA1_PATH;
    use crate::dra_v1::dra_plugin_server::SERVICE_NAME as DRA_V1_PATH;
    use crate::dra_v1beta1::dra_plugin_server::SERVICE_NAME as DRA_V1BETA1_PATH;

    #[test]
    fn health_is_advertised_under_its_grpc_service_name() {
        assert_eq!(DRA_HEALTH_V1, HEALTH_V1_PATH);
        assert_eq!(DRA_HEALTH_V1ALPHA1, HEALTH_V1ALPHA1_PATH);
    }

    #[test]
    fn dra_is_advertised_under_the_last_two_parts_of_its_grpc_service_name() {
        let package = "k8s.io.kubelet.pkg.apis.dra";
        assert_eq!(format!("{package}.{DRA_V1}"), DRA_V1_PATH);
        assert_eq!(format!("{package}.{DRA_V1BETA1}"), DRA_V1BETA1_PATH);
    }
}
