//! The worked examples of `examples/`, as cases: each applies the manifests that people read and
//! checks what the README promises.

use std::time::Duration;

use drakit_kit::Case;

mod access;
mod alignment;
mod checks;
mod lifetime;
mod old;
mod selection;
mod sharing;

/// The most time that a conforming cluster needs for one step of an example. Real clusters pull no
/// image here, so this is generous.
const PATIENCE: Duration = Duration::from_secs(60);

macro_rules! manifests {
    ($folder:literal: $($file:literal),+) => {
        &[$(($file, include_str!(concat!("../../../../examples/", $folder, "/", $file)))),+]
    };
}

/// The fleet that the examples are written for.
pub const FLEET: &str = include_str!("../../../../examples/fleet.yaml");

/// Every example, in order.
pub const ALL: &[Case] = &[
    Case {
        id: "01-two-gpus",
        requirement: "A claim for two GPUs gives its pod two different devices of one node.",
        manifests: manifests!("01-two-gpus": "two-gpus.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(selection::two_gpus(stage)),
    },
    Case {
        id: "02-attribute-selection",
        requirement: "CEL selectors give four GPUs that are A100 with at least 80 GiB.",
        manifests: manifests!("02-attribute-selection": "attribute-selection.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(selection::by_attributes(stage)),
    },
    Case {
        id: "03-shared-inference",
        requirement: "Four replicas get a MIG partition each; four others share one time-sliced GPU.",
        manifests: manifests!("03-shared-inference": "partitions.yaml", "time-sliced.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(sharing::inference(stage)),
    },
    Case {
        id: "04-same-numa",
        requirement: "Two GPUs come from one NUMA node, and a GPU and a NIC from one PCIe root.",
        manifests: manifests!("04-same-numa": "same-numa.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(alignment::same_numa(stage)),
    },
    Case {
        id: "05-shared-rdma",
        requirement: "Two pods share one network-attached RDMA NIC through one claim.",
        manifests: manifests!("05-shared-rdma": "shared-rdma.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(sharing::rdma(stage)),
    },
    Case {
        id: "06-claim-outlives-pod",
        requirement: "A claim stays when its pod goes, loses its devices, and serves the next pod.",
        manifests: manifests!("06-claim-outlives-pod": "claim.yaml", "second-pod.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(lifetime::claim_outlives_pod(stage)),
    },
    Case {
        id: "07-all-devices",
        requirement: "Allocation mode All gives every matching device of a node.",
        manifests: manifests!("07-all-devices": "all-devices.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(selection::all_devices(stage)),
    },
    Case {
        id: "08-admin-access",
        requirement: "A monitor with admin access sees the devices that a workload uses.",
        manifests: manifests!("08-admin-access": "admin-access.yaml", "monitor.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(access::admin(stage)),
    },
    Case {
        id: "09-opaque-config",
        requirement: "Opaque parameters reach the driver per request, and containers see only their requests.",
        manifests: manifests!("09-opaque-config": "opaque-config.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(access::opaque_config(stage)),
    },
    Case {
        id: "old-manifests",
        requirement: "Fields that the API never had are refused by name.",
        manifests: manifests!("old-manifests": "selectable-attributes.yaml", "count-beside-class.yaml", "source-in-pod.yaml"),
        patience: PATIENCE,
        run: |stage| Box::pin(old::refused(stage)),
    },
];
