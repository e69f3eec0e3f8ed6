//! The feature gates that change what the allocator does.

/// The optional behaviour of the allocator, one flag per Kubernetes feature gate.
///
/// Field by field the `Features` of `k8s.io/dynamic-resource-allocation/structured`
/// (v0.37.2). The default is [`Features::for_version`] of the newest version known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent feature gates, set one by one"
)]
pub struct Features {
    /// `DRAAdminAccess`: requests may ask for devices that are in use.
    pub admin_access: bool,
    /// `DRADeviceCompatibilityGroups`: devices on one counter set must share a group.
    pub compatibility_groups: bool,
    /// `DRAConsumableCapacity`: devices may be shared by claims, by capacity.
    pub consumable_capacity: bool,
    /// `DRADerivedAttributes`: requests may compute attributes for constraints.
    pub derived_attributes: bool,
    /// `DRADeviceBindingConditions` together with `DRAResourceClaimDeviceStatus`.
    pub device_binding_and_status: bool,
    /// `DRADeviceTaints`: tainted devices need a toleration.
    pub device_taints: bool,
    /// `DRAFractionalCapacityRange`: capacity ranges in thousandths.
    pub fractional_capacity_range: bool,
    /// `DRAListTypeAttributes`: attributes may hold lists.
    pub list_type_attributes: bool,
    /// `DRAOptionalNodeOperations`: slices may skip prepare and unprepare.
    pub optional_node_operations: bool,
    /// `DRAPartitionableDevices`: devices draw from shared counters.
    pub partitionable_devices: bool,
    /// `DRAPrioritizedList`: `firstAvailable` requests.
    pub prioritized_list: bool,
}

/// Why a list of feature gates could not be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeatureError {
    /// The Kubernetes version is not one that the allocator knows defaults for.
    #[error("unknown Kubernetes version {version:?}: known are 1.34, 1.35, 1.36, 1.37")]
    UnknownVersion {
        /// The version as given.
        version: String,
    },
    /// The name is no gate of the allocator.
    #[error("unknown feature gate {name:?}: known are {}", Features::GATES.join(", "))]
    UnknownGate {
        /// The name as given.
        name: String,
    },
}

/// Which of the three allocators of Kubernetes serves a set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    Stable,
    Incubating,
    Experimental,
}

impl Features {
    /// The names of all gates, sorted, as in `--feature-gates`.
    ///
    /// `DRADeviceBindingConditions` stands for itself and
    /// `DRAResourceClaimDeviceStatus`, which is on in every known version.
    pub const GATES: [&'static str; 11] = [
        "DRAAdminAccess",
        "DRAConsumableCapacity",
        "DRADerivedAttributes",
        "DRADeviceBindingConditions",
        "DRADeviceCompatibilityGroups",
        "DRADeviceTaints",
        "DRAFractionalCapacityRange",
        "DRAListTypeAttributes",
        "DRAOptionalNodeOperations",
        "DRAPartitionableDevices",
        "DRAPrioritizedList",
    ];

    /// No optional feature.
    pub const NONE: Self = Self::same(false);

    /// Every optional feature.
    pub const ALL: Self = Self::same(true);

    const fn same(on: bool) -> Self {
        Self {
            admin_access: on,
            compatibility_groups: on,
            consumable_capacity: on,
            derived_attributes: on,
            device_binding_and_status: on,
            device_taints: on,
            fractional_capacity_range: on,
            list_type_attributes: on,
            optional_node_operations: on,
            partitionable_devices: on,
            prioritized_list: on,
        }
    }

    /// The defaults of a Kubernetes version (`1.34` … `1.37`, patch ignored),
    /// from `pkg/features/kube_features.go`.
    pub fn for_version(version: &str) -> Result<Self, FeatureError> {
        let unknown = || FeatureError::UnknownVersion {
            version: version.to_owned(),
        };
        let mut parts = version.trim_start_matches('v').split('.');
        let minor: u32 = match (parts.next(), parts.next()) {
            (Some("1"), Some(minor)) => minor.parse().map_err(|_| unknown())?,
            _ => return Err(unknown()),
        };
        if !(34..=37).contains(&minor) {
            return Err(unknown());
        }
        Ok(Self {
            admin_access: true,
            prioritized_list: true,
            consumable_capacity: minor >= 36,
            device_binding_and_status: minor >= 36,
            device_taints: minor >= 36,
            partitionable_devices: minor >= 36,
            fractional_capacity_range: minor >= 37,
            ..Self::NONE
        })
    }

    /// Turns one gate, by its Kubernetes name, on or off.
    pub fn set(&mut self, gate: &str, on: bool) -> Result<(), FeatureError> {
        let flag = match gate {
            "DRAAdminAccess" => &mut self.admin_access,
            "DRAConsumableCapacity" => &mut self.consumable_capacity,
            "DRADerivedAttributes" => &mut self.derived_attributes,
            "DRADeviceBindingConditions" => &mut self.device_binding_and_status,
            "DRADeviceCompatibilityGroups" => &mut self.compatibility_groups,
            "DRADeviceTaints" => &mut self.device_taints,
            "DRAFractionalCapacityRange" => &mut self.fractional_capacity_range,
            "DRAListTypeAttributes" => &mut self.list_type_attributes,
            "DRAOptionalNodeOperations" => &mut self.optional_node_operations,
            "DRAPartitionableDevices" => &mut self.partitionable_devices,
            "DRAPrioritizedList" => &mut self.prioritized_list,
            _ => {
                return Err(FeatureError::UnknownGate {
                    name: gate.to_owned(),
                });
            }
        };
        *flag = on;
        Ok(())
    }

    /// The most stable of Kubernetes' allocators that supports these features.
    /// They differ in a few results, see the uses of this function.
    pub(crate) fn channel(self) -> Channel {
        let experimental = self.list_type_attributes
            || self.optional_node_operations
            || self.derived_attributes
            || self.compatibility_groups;
        let incubating = self.device_binding_and_status
            || self.consumable_capacity
            || self.fractional_capacity_range;
        if experimental {
            Channel::Experimental
        } else if incubating {
            Channel::Incubating
        } else {
            Channel::Stable
        }
    }
}

impl Default for Features {
    fn default() -> Self {
        Self {
            admin_access: true,
            prioritized_list: true,
            consumable_capacity: true,
            device_binding_and_status: true,
            device_taints: true,
            partitionable_devices: true,
            fractional_capacity_range: true,
            ..Self::NONE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_version_is_the_default() {
        assert_eq!(Features::for_version("1.37"), Ok(Features::default()));
        assert_eq!(Features::for_version("v1.37.2"), Ok(Features::default()));
    }

    #[test]
    fn taints_and_counters_came_on_in_1_36() {
        let old = Features::for_version("1.35").unwrap();
        let new = Features::for_version("1.36").unwrap();
        assert!(!old.device_taints && !old.partitionable_devices);
        assert!(new.device_taints && new.partitionable_devices);
        assert!(!new.fractional_capacity_range);
    }

    #[test]
    fn unknown_versions_and_gates_are_named() {
        assert_eq!(
            Features::for_version("1.33").unwrap_err().to_string(),
            "unknown Kubernetes version \"1.33\": known are 1.34, 1.35, 1.36, 1.37"
        );
        let mut features = Features::default();
        assert!(features.set("DRANope", true).is_err());
        for gate in Features::GATES {
            features.set(gate, false).unwrap();
        }
        assert_eq!(features, Features::NONE);
    }
}
