//! Which kinds exist and what their metadata rules are.

use std::borrow::Cow;

/// A kind of object, as a REST resource.
///
/// Equal when group and plural are: versions of a kind share their objects.
#[derive(Debug, Clone)]
pub struct Resource {
    /// `""` for core, `resource.k8s.io`.
    pub group: Cow<'static, str>,
    /// `v1`.
    pub version: Cow<'static, str>,
    /// `resourceclaims`.
    pub plural: Cow<'static, str>,
    /// `ResourceClaim`.
    pub kind: Cow<'static, str>,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Whether `status` is a subresource: a plain write then leaves the status as it was, and a
    /// status write leaves everything else.
    pub has_status: bool,
}

impl PartialEq for Resource {
    fn eq(&self, other: &Self) -> bool {
        self.group == other.group && self.plural == other.plural
    }
}

impl Eq for Resource {}

impl Resource {
    const fn fixed(
        group: &'static str,
        version: &'static str,
        plural: &'static str,
        kind: &'static str,
        namespaced: bool,
        has_status: bool,
    ) -> Self {
        Self {
            group: Cow::Borrowed(group),
            version: Cow::Borrowed(version),
            plural: Cow::Borrowed(plural),
            kind: Cow::Borrowed(kind),
            namespaced,
            has_status,
        }
    }

    /// `v1`, `resource.k8s.io/v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// `pods`, `resourceclaims.resource.k8s.io`: how error texts name it.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() {
            self.plural.to_string()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// `Pod`, `ResourceClaim.resource.k8s.io`: how error texts about one object name it.
    pub fn qualified_kind(&self) -> String {
        if self.group.is_empty() {
            self.kind.to_string()
        } else {
            format!("{}.{}", self.kind, self.group)
        }
    }
}

macro_rules! resources {
    ($($name:ident = $group:literal $version:literal $plural:literal $kind:literal $namespaced:literal $status:literal;)*) => {
        $(
            #[doc = concat!("`", $kind, "` of `", $group, "/", $version, "`.")]
            pub const $name: Resource = Resource::fixed($group, $version, $plural, $kind, $namespaced, $status);
        )*
        /// Every kind that the simulation itself works with.
        pub const BUILT_IN: &[Resource] = &[$($name),*];
    };
}

resources! {
    NAMESPACES = "" "v1" "namespaces" "Namespace" false true;
    NODES = "" "v1" "nodes" "Node" false true;
    PODS = "" "v1" "pods" "Pod" true true;
    EVENTS = "" "v1" "events" "Event" true false;
    SERVICE_ACCOUNTS = "" "v1" "serviceaccounts" "ServiceAccount" true false;
    CONFIG_MAPS = "" "v1" "configmaps" "ConfigMap" true false;
    SECRETS = "" "v1" "secrets" "Secret" true false;
    DEPLOYMENTS = "apps" "v1" "deployments" "Deployment" true true;
    REPLICA_SETS = "apps" "v1" "replicasets" "ReplicaSet" true true;
    DAEMON_SETS = "apps" "v1" "daemonsets" "DaemonSet" true true;
    JOBS = "batch" "v1" "jobs" "Job" true true;
    LEASES = "coordination.k8s.io" "v1" "leases" "Lease" true false;
    RESOURCE_CLAIMS = "resource.k8s.io" "v1" "resourceclaims" "ResourceClaim" true true;
    RESOURCE_CLAIM_TEMPLATES = "resource.k8s.io" "v1" "resourceclaimtemplates" "ResourceClaimTemplate" true false;
    RESOURCE_SLICES = "resource.k8s.io" "v1" "resourceslices" "ResourceSlice" false false;
    DEVICE_CLASSES = "resource.k8s.io" "v1" "deviceclasses" "DeviceClass" false false;
    DEVICE_TAINT_RULES = "resource.k8s.io" "v1" "devicetaintrules" "DeviceTaintRule" false true;
}
