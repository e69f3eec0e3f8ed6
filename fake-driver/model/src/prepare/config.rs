//! Opaque parameters that the emulated drivers take: `GpuConfig` and `NicConfig` of `drakit/v1alpha1`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::strict::Object;
use crate::kind::DeviceKind;

/// `apiVersion` of both kinds.
pub const API_VERSION: &str = "drakit/v1alpha1";

/// Linux limits interface names to 15 bytes (IFNAMSIZ is 16 with the NUL).
const MAX_INTERFACE_NAME: usize = 15;

/// Why opaque parameters were refused: every problem, each with its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct ConfigError(pub Vec<String>);

/// How the containers of a claim share a GPU.
///
/// ```yaml
/// apiVersion: drakit/v1alpha1
/// kind: GpuConfig
/// sharing:
///   strategy: TimeSlicing        # or Partition
///   timeSlicing: {interval: Long}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuConfig {
    /// The strategy; time slicing with the default interval when nothing is written.
    pub sharing: GpuSharing,
}

/// Sharing strategy of a [`GpuConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuSharing {
    /// Processes take turns.
    TimeSlicing {
        /// Length of a turn.
        interval: Interval,
    },
    /// The GPU is cut into equal parts.
    Partition {
        /// How many parts, from 1 to 128.
        count: i64,
    },
}

impl Default for GpuSharing {
    fn default() -> Self {
        Self::TimeSlicing {
            interval: Interval::Default,
        }
    }
}

/// Length of a time slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interval {
    /// The driver's own choice.
    #[default]
    Default,
    /// Short turns.
    Short,
    /// Medium turns.
    Medium,
    /// Long turns.
    Long,
}

impl Interval {
    const WORDS: [(&'static str, Interval); 4] = [
        ("Default", Self::Default),
        ("Short", Self::Short),
        ("Medium", Self::Medium),
        ("Long", Self::Long),
    ];

    /// As it is written in a config and shown to containers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "Default",
            Self::Short => "Short",
            Self::Medium => "Medium",
            Self::Long => "Long",
        }
    }
}

/// How a network device appears in the pod.
///
/// ```yaml
/// apiVersion: drakit/v1alpha1
/// kind: NicConfig
/// interfaceName: net1
/// mtu: 9000
/// vlan: 100
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NicConfig {
    /// Name of the interface in the pod, 1 to 15 bytes.
    pub interface_name: Option<String>,
    /// Maximum transmission unit in bytes, 68 to 65535.
    pub mtu: Option<i64>,
    /// VLAN id, 1 to 4094.
    pub vlan: Option<i64>,
}

/// Decoded parameters of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DeviceConfig {
    Gpu(GpuConfig),
    Nic(NicConfig),
}

#[derive(Clone, Copy)]
enum Strategy {
    TimeSlicing,
    Partition,
}

impl DeviceConfig {
    /// Decodes strictly: unknown fields, wrong types and impossible values are all reported at once.
    pub(super) fn decode(parameters: &Value) -> Result<Self, ConfigError> {
        let mut problems = Vec::new();
        let version = parameters.get("apiVersion").and_then(Value::as_str);
        let kind = parameters.get("kind").and_then(Value::as_str);
        if parameters.is_object() && version != Some(API_VERSION) {
            let found = version.map_or("is missing".to_owned(), |version| {
                format!("unknown version {version:?}")
            });
            problems.push(format!("apiVersion: {found}; allowed: {API_VERSION}"));
        }
        let config = match kind {
            Some("GpuConfig") => Some(Self::Gpu(GpuConfig::read(parameters, &mut problems))),
            Some("NicConfig") => Some(Self::Nic(NicConfig::read(parameters, &mut problems))),
            _ if !parameters.is_object() => {
                Object::root(parameters, &[], &mut problems);
                None
            }
            kind => {
                let found = kind.map_or("is missing".to_owned(), |kind| {
                    format!("unknown kind {kind:?}")
                });
                problems.push(format!("kind: {found}; allowed: GpuConfig, NicConfig"));
                None
            }
        };
        match config {
            Some(config) if problems.is_empty() => Ok(config),
            _ => Err(ConfigError(problems)),
        }
    }

    /// Name of the kind, for error texts.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Gpu(_) => "GpuConfig",
            Self::Nic(_) => "NicConfig",
        }
    }

    /// Whether devices of this sort take the config.
    pub(super) fn fits(&self, kind: DeviceKind) -> bool {
        match self {
            Self::Gpu(_) => kind == DeviceKind::Gpu,
            Self::Nic(_) => matches!(kind, DeviceKind::Nic | DeviceKind::Rdma),
        }
    }

    /// What a container sees of it: suffixes of `GPU_DEVICE_<i>_…` and their values.
    pub(super) fn env(&self) -> BTreeMap<&'static str, String> {
        let mut env = BTreeMap::new();
        match self {
            Self::Gpu(GpuConfig {
                sharing: GpuSharing::TimeSlicing { interval },
            }) => {
                env.insert("SHARING_STRATEGY", "TimeSlicing".to_owned());
                env.insert("TIMESLICE_INTERVAL", interval.as_str().to_owned());
            }
            Self::Gpu(GpuConfig {
                sharing: GpuSharing::Partition { count },
            }) => {
                env.insert("SHARING_STRATEGY", "Partition".to_owned());
                env.insert("PARTITION_COUNT", count.to_string());
            }
            Self::Nic(NicConfig {
                interface_name,
                mtu,
                vlan,
            }) => {
                env.extend(interface_name.clone().map(|name| ("INTERFACE_NAME", name)));
                env.extend(mtu.map(|mtu| ("MTU", mtu.to_string())));
                env.extend(vlan.map(|vlan| ("VLAN", vlan.to_string())));
            }
        }
        env
    }
}

impl GpuConfig {
    fn read(parameters: &Value, problems: &mut Vec<String>) -> Self {
        let mut root = Object::root(parameters, &["apiVersion", "kind", "sharing"], problems);
        let Some(mut sharing) = root.object("sharing", &["strategy", "timeSlicing", "partition"])
        else {
            return Self::default();
        };
        if !sharing.has("strategy") {
            sharing.problem("strategy", "is missing", "TimeSlicing, Partition");
        }
        let words = [
            ("TimeSlicing", Strategy::TimeSlicing),
            ("Partition", Strategy::Partition),
        ];
        let strategy = sharing.word("strategy", &words);
        let interval = sharing
            .object("timeSlicing", &["interval"])
            .and_then(|mut slicing| slicing.word("interval", &Interval::WORDS));
        let count = sharing
            .object("partition", &["count"])
            .and_then(|mut partition| partition.int("count", 1..=128));
        let sharing = match strategy {
            None => return Self::default(),
            Some(Strategy::TimeSlicing) => {
                if sharing.has("partition") {
                    sharing.problem(
                        "partition",
                        "does not go with strategy TimeSlicing",
                        "timeSlicing",
                    );
                }
                GpuSharing::TimeSlicing {
                    interval: interval.unwrap_or_default(),
                }
            }
            Some(Strategy::Partition) => {
                if sharing.has("timeSlicing") {
                    sharing.problem(
                        "timeSlicing",
                        "does not go with strategy Partition",
                        "partition",
                    );
                }
                GpuSharing::Partition {
                    count: count.unwrap_or(1),
                }
            }
        };
        Self { sharing }
    }
}

impl NicConfig {
    fn read(parameters: &Value, problems: &mut Vec<String>) -> Self {
        let known = ["apiVersion", "kind", "interfaceName", "mtu", "vlan"];
        let mut root = Object::root(parameters, &known, problems);
        let interface_name = root.string("interfaceName").map(str::to_owned);
        if let Some(name) = &interface_name
            && !is_interface_name(name)
        {
            let allowed = "1 to 15 characters without spaces, `/` and `:`, not `.` or `..`";
            root.problem("interfaceName", &format!("is {name:?}"), allowed);
        }
        let mtu = root.int("mtu", 68..=65_535);
        let vlan = root.int("vlan", 1..=4094);
        Self {
            interface_name,
            mtu,
            vlan,
        }
    }
}

/// The kernel's own rule (`dev_valid_name`), and no control characters, since the name becomes a value of an env.
fn is_interface_name(name: &str) -> bool {
    let forbidden = |c: char| c.is_whitespace() || c.is_control() || c == '/' || c == ':';
    !name.is_empty()
        && name.len() <= MAX_INTERFACE_NAME
        && name != "."
        && name != ".."
        && !name.contains(forbidden)
}
