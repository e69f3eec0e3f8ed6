//! The columns of each resource.

use serde::Serialize;

use crate::ResourceType;

/// A `TableColumnDefinition` of meta.k8s.io/v1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Heading; kubectl prints it in capitals.
    pub name: &'static str,
    /// `string`, `integer`, `date`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `name` for the column that names the object.
    pub format: &'static str,
    /// What the column says.
    pub description: &'static str,
    /// 0 is always shown, 1 with `-o wide`.
    pub priority: i32,
}

const fn string(name: &'static str, description: &'static str) -> Column {
    Column {
        name,
        kind: "string",
        format: "",
        description,
        priority: 0,
    }
}

const fn integer(name: &'static str, description: &'static str) -> Column {
    Column {
        kind: "integer",
        ..string(name, description)
    }
}

const fn wide(name: &'static str, description: &'static str) -> Column {
    Column {
        priority: 1,
        ..string(name, description)
    }
}

const NAME: Column = Column {
    format: "name",
    ..string("Name", "Name must be unique within a namespace.")
};
const AGE: Column = string("Age", "The time since the object was created.");
const CONTAINERS: Column = wide("Containers", "Names of each container in the template.");
const IMAGES: Column = wide(
    "Images",
    "Images referenced by each container in the template.",
);
const SELECTOR: Column = wide("Selector", "Selector is a label query over pods.");

const PODS: &[Column] = &[
    NAME,
    string(
        "Ready",
        "The aggregate readiness state of this pod for accepting traffic.",
    ),
    string(
        "Status",
        "The aggregate status of the containers in this pod.",
    ),
    string(
        "Restarts",
        "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
    ),
    AGE,
    wide("IP", "The address of the pod."),
    wide("Node", "The node that the pod is bound to."),
    wide(
        "Nominated Node",
        "The node that the pod may be bound to after preemption.",
    ),
    wide(
        "Readiness Gates",
        "The pod's readiness gates that are true.",
    ),
];
const NODES: &[Column] = &[
    NAME,
    string("Status", "The status of the node"),
    string("Roles", "The roles of the node"),
    AGE,
    string("Version", "Kubelet Version reported by the node."),
    wide("Internal-IP", "List of addresses reachable to the node."),
    wide("External-IP", "List of addresses reachable to the node."),
    wide("OS-Image", "OS Image reported by the node."),
    wide("Kernel-Version", "Kernel Version reported by the node."),
    wide(
        "Container-Runtime",
        "ContainerRuntime Version reported by the node.",
    ),
];
const EVENTS: &[Column] = &[
    string(
        "Last Seen",
        "The time at which the most recent occurrence of this event was recorded.",
    ),
    string("Type", "Type of this event (Normal, Warning)."),
    string(
        "Reason",
        "The reason for the transition into the object's current status.",
    ),
    string("Object", "The object that this event is about."),
    wide(
        "Subobject",
        "The part of the object that this event is about.",
    ),
    wide("Source", "The component reporting this event."),
    string(
        "Message",
        "A human-readable description of the status of this operation.",
    ),
    wide(
        "First Seen",
        "The time at which the event was first recorded.",
    ),
    wide("Count", "The number of times this event has occurred."),
    Column {
        priority: 1,
        ..NAME
    },
];
const REPLICA_SETS: &[Column] = &[
    NAME,
    integer("Desired", "The number of desired pods."),
    integer("Current", "The most recently observed number of replicas."),
    integer("Ready", "The number of ready pods."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];
const DEPLOYMENTS: &[Column] = &[
    NAME,
    string("Ready", "Number of the pod with ready state"),
    string(
        "Up-to-date",
        "Number of pods that have the desired template spec.",
    ),
    string("Available", "Number of available pods."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];
const DAEMON_SETS: &[Column] = &[
    NAME,
    integer(
        "Desired",
        "The number of nodes that should be running the daemon pod.",
    ),
    integer(
        "Current",
        "The number of nodes that are running at least 1 daemon pod.",
    ),
    integer("Ready", "The number of nodes with a ready daemon pod."),
    integer(
        "Up-to-date",
        "The number of nodes that are running updated daemon pod.",
    ),
    integer(
        "Available",
        "The number of nodes with an available daemon pod.",
    ),
    string("Node Selector", "Labels of the nodes that the pods fit on."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];
const STATEFUL_SETS: &[Column] = &[
    NAME,
    string("Ready", "Number of the pod with ready state"),
    AGE,
    CONTAINERS,
    IMAGES,
];
const JOBS: &[Column] = &[
    NAME,
    string("Status", "Status of the job."),
    string(
        "Completions",
        "The number of pods which reached phase Succeeded.",
    ),
    string("Duration", "Time required to complete the job."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];
const SERVICES: &[Column] = &[
    NAME,
    string("Type", "How the service is exposed."),
    string("Cluster-IP", "The IP address of the service."),
    string(
        "External-IP",
        "The addresses at which the service is reached from outside.",
    ),
    string("Port(s)", "The ports that are exposed by this service."),
    AGE,
    wide("Selector", "Labels of the pods that the service routes to."),
];
const SECRETS: &[Column] = &[
    NAME,
    string("Type", "The kind of secret."),
    string("Data", "The number of keys."),
    AGE,
];
const CONFIG_MAPS: &[Column] = &[NAME, string("Data", "The number of keys."), AGE];
const NAMESPACES: &[Column] = &[NAME, string("Status", "The status of the namespace"), AGE];
const LEASES: &[Column] = &[NAME, string("Holder", "The holder of the lease."), AGE];
const PRIORITY_CLASSES: &[Column] = &[
    NAME,
    integer("Value", "The integer value of this priority class."),
    Column {
        kind: "boolean",
        ..string(
            "Global-Default",
            "Whether pods without a class have this one.",
        )
    },
    AGE,
    string(
        "PreemptionPolicy",
        "Whether pods of this class preempt others.",
    ),
];
const CLAIMS: &[Column] = &[
    NAME,
    string(
        "State",
        "A summary of the current state (allocated, pending, reserved, etc.).",
    ),
    AGE,
];
const SLICES: &[Column] = &[
    NAME,
    string("Node", "The node that provides the devices."),
    string(
        "Driver",
        "The DRA driver that provides the capacity information.",
    ),
    string("Pool", "The pool that the devices belong to."),
    AGE,
];
const TAINT_RULES: &[Column] = &[
    NAME,
    string("Key", "The taint key to be applied to a device."),
    string("Value", "The taint value corresponding to the taint key."),
    string(
        "Effect",
        "The effect of the taint on claims that do not tolerate the taint.",
    ),
    string("TimeAdded", "The time since the taint was added."),
    AGE,
];
const NAME_AND_AGE: &[Column] = &[NAME, AGE];
const UNKNOWN: &[Column] = &[
    NAME,
    Column {
        kind: "date",
        ..string("Created At", "The time at which the object was created.")
    },
];

/// The columns of a resource, in order.
pub fn columns(resource: &ResourceType) -> &'static [Column] {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Pod") => PODS,
        ("", "Node") => NODES,
        ("" | "events.k8s.io", "Event") => EVENTS,
        ("", "Namespace") => NAMESPACES,
        ("", "Service") => SERVICES,
        ("", "Secret") => SECRETS,
        ("", "ConfigMap") => CONFIG_MAPS,
        ("", "ServiceAccount") | ("resource.k8s.io", "DeviceClass" | "ResourceClaimTemplate") => {
            NAME_AND_AGE
        }
        ("apps", "ReplicaSet") => REPLICA_SETS,
        ("apps", "Deployment") => DEPLOYMENTS,
        ("apps", "DaemonSet") => DAEMON_SETS,
        ("apps", "StatefulSet") => STATEFUL_SETS,
        ("batch", "Job") => JOBS,
        ("coordination.k8s.io", "Lease") => LEASES,
        ("scheduling.k8s.io", "PriorityClass") => PRIORITY_CLASSES,
        ("resource.k8s.io", "ResourceClaim") => CLAIMS,
        ("resource.k8s.io", "ResourceSlice") => SLICES,
        ("resource.k8s.io", "DeviceTaintRule") => TAINT_RULES,
        _ => UNKNOWN,
    }
}
