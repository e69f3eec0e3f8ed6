//! Writes the profile of a server with NVIDIA GPUs: `gpu.nvidia.com` for the GPUs, `dra.net` for the NICs, with the
//! attributes that the real drivers publish (dra-driver-nvidia-gpu, dranet).

use std::fmt::Write as _;

use super::boards::{Board, Nic, NicModel};
use super::models::{MigProfile, Model};

/// Seen together on real nodes; published in canonical form as 580.105.8.
const DRIVER_VERSION: &str = "580.105.08";
const CUDA_VERSION: &str = "13.0.0";

/// The profile as YAML.
pub(super) fn profile(board: &Board, model: &Model, mig: bool) -> String {
    let mut text = String::new();
    for line in board.notes.lines() {
        let _ = writeln!(text, "# {line}");
    }
    text.push_str("labels: {nvidia.com/gpu.present: \"true\"}\ndrivers:\n- name: gpu.nvidia.com\n  kind: gpu\n");
    match model.mig.last().filter(|_| mig) {
        Some(whole) => partitioned(&mut text, board, model, whole),
        None => whole_gpus(&mut text, board, model),
    }
    nics(&mut text, board.nics, board.nic_model);
    classes(&mut text, mig);
    text
}

fn whole_gpus(text: &mut String, board: &Board, model: &Model) {
    text.push_str("  devices:\n  - name: \"gpu-{index}\"\n    each:\n");
    for gpu in board.gpus {
        let _ = writeln!(
            text,
            "    - {{pci: \"{}\", root: \"{}\", numa: {}}}",
            gpu.address, gpu.root, gpu.numa
        );
    }
    text.push_str(
        "    attributes:\n      type: {string: gpu}\n      uuid: {string: \"GPU-{uuid}\"}\n",
    );
    common_attributes(text, model);
    let _ = writeln!(text, "    capacity: {{memory: {}}}", model.memory);
}

fn common_attributes(text: &mut String, model: &Model) {
    let Model {
        product,
        architecture,
        compute,
        addressing,
        ..
    } = model;
    let _ = write!(
        text,
        "      productName: {{string: {product}}}
      brand: {{string: Nvidia}}
      architecture: {{string: {architecture}}}
      cudaComputeCapability: {{version: {compute}}}
      driverVersion: {{version: {DRIVER_VERSION}}}
      cudaDriverVersion: {{version: {CUDA_VERSION}}}
      addressingMode: {{string: {addressing}}}
      resource.kubernetes.io/pciBusID: {{string: \"{{pci}}\"}}
      resource.kubernetes.io/pcieRoot: {{string: \"pci{{root}}\"}}
      resource.kubernetes.io/numaNode: {{int: \"{{numa}}\"}}
"
    );
}

/// Dynamic MIG: every GPU whole and in every placement of every profile. What one GPU has is a counter set, and each
/// device consumes its part, so the scheduler finds out by itself what can live side by side. All counter sets are in
/// the first slice, each GPU's devices in a slice of their own.
fn partitioned(text: &mut String, board: &Board, model: &Model, whole: &MigProfile) {
    text.push_str("  sharedCounters:\n  - name: \"gpu-{index}-counter-set\"\n");
    let _ = writeln!(text, "    count: {}", board.gpus.len());
    text.push_str("    counters:\n");
    let most = |figure: fn(&MigProfile) -> u16| model.mig.iter().map(figure).max().unwrap_or(0);
    for (key, figure) in FIGURES {
        let _ = writeln!(text, "      {}: {}", dashed(key), most(*figure));
    }
    let _ = writeln!(text, "      memory: {}", whole.memory);
    for slice in 0..whole.size {
        let _ = writeln!(text, "      memory-slice-{slice}: 1");
    }
    text.push_str("  devices:\n");
    for (minor, gpu) in board.gpus.iter().enumerate() {
        let row = format!(
            "pci: \"{}\", root: \"{}\", numa: {}",
            gpu.address, gpu.root, gpu.numa
        );
        let _ = writeln!(
            text,
            "  - name: gpu-{minor}\n    startsSlice: true\n    each: [{{{row}}}]"
        );
        text.push_str(
            "    attributes:\n      type: {string: gpu}\n      uuid: {string: \"GPU-{uuid}\"}\n",
        );
        common_attributes(text, model);
        figures(text, minor, whole);
        for profile in model.mig {
            placements(text, minor, &row, model, profile);
        }
    }
}

/// All placements of one profile on one GPU.
fn placements(text: &mut String, minor: usize, row: &str, model: &Model, profile: &MigProfile) {
    let label = profile.name.replace('.', "").replace('+', "-");
    let _ = writeln!(
        text,
        "  - name: \"gpu-{minor}-mig-{label}-{}-{{s0}}\"\n    each:",
        profile.id
    );
    for start in profile.starts {
        let _ = write!(text, "    - {{{row}");
        for slice in 0..profile.size {
            let _ = write!(text, ", s{slice}: {}", start + slice);
        }
        text.push_str("}\n");
    }
    let _ = write!(
        text,
        "    attributes:
      type: {{string: mig}}
      parentUUID: {{string: \"GPU-{{uuid:gpu-{minor}}}\"}}
      profile: {{string: {}}}
",
        profile.name
    );
    common_attributes(text, model);
    figures(text, minor, profile);
}

/// Capacities of a partition, and the same figures as what it consumes of its GPU.
fn figures(text: &mut String, minor: usize, profile: &MigProfile) {
    text.push_str("    capacity:\n");
    for (key, figure) in FIGURES {
        let _ = writeln!(text, "      {key}: {}", figure(profile));
    }
    let _ = writeln!(text, "      memory: {}", profile.memory);
    let _ = writeln!(
        text,
        "    consumesCounters:\n    - counterSet: gpu-{minor}-counter-set\n      counters:"
    );
    for (key, figure) in FIGURES {
        let _ = writeln!(text, "        {}: {}", dashed(key), figure(profile));
    }
    let _ = writeln!(text, "        memory: {}", profile.memory);
    let whole = profile.starts.len() == 1 && profile.size == 8;
    for slice in 0..profile.size {
        let name = if whole {
            slice.to_string()
        } else {
            format!("{{s{slice}}}")
        };
        let _ = writeln!(text, "        memory-slice-{name}: 1");
    }
}

type Figure = fn(&MigProfile) -> u16;

/// Capacity names and where their values are; counters have the same names in dashed form.
const FIGURES: &[(&str, Figure)] = &[
    ("multiprocessors", |profile| profile.multiprocessors),
    ("copyEngines", |profile| profile.copy_engines.into()),
    ("decoders", |profile| profile.decoders.into()),
    ("encoders", |profile| profile.encoders.into()),
    ("jpegEngines", |profile| profile.jpeg_engines.into()),
    ("ofaEngines", |profile| profile.ofa_engines.into()),
];

/// `copyEngines` to `copy-engines`.
fn dashed(name: &str) -> String {
    name.replace("Engines", "-engines")
}

fn nics(text: &mut String, nics: &[Nic], model: &NicModel) {
    text.push_str(
        "- name: dra.net\n  kind: nic\n  devices:\n  - name: \"pci-{slug}\"\n    each:\n",
    );
    for nic in nics {
        let slug = nic.address.replace([':', '.'], "-");
        let _ = write!(
            text,
            "    - {{slug: {slug}, pci: \"{}\", numa: {}, rdma: {}",
            nic.address, nic.numa, nic.rdma
        );
        if !nic.root.is_empty() {
            let _ = write!(text, ", root: \"{}\"", nic.root);
        }
        if !nic.netdev.is_empty() {
            let _ = write!(text, ", netdev: {}", nic.netdev);
        }
        text.push_str("}\n");
    }
    nic_attributes(text, nics, model);
}

/// What dranet reads from sysfs and, when there is one, from the network interface.
fn nic_attributes(text: &mut String, nics: &[Nic], model: &NicModel) {
    text.push_str("    attributes:\n");
    let mut put = |name: &str, value: &str| {
        let _ = writeln!(text, "      {name}: {{{value}}}");
    };
    put("dra.net/pciAddress", "string: \"{pci}\"");
    put(
        "dra.net/pciVendor",
        &format!("string: \"{}\"", model.vendor),
    );
    put(
        "dra.net/pciDevice",
        &format!("string: \"{}\"", model.device),
    );
    if let Some(subsystem) = model.subsystem {
        put("dra.net/pciSubsystem", &format!("string: \"{subsystem}\""));
    }
    put("dra.net/numaNode", "int: \"{numa}\"");
    put("dra.net/rdma", "bool: true");
    put("dra.net/rdmaDevice", "string: \"{rdma}\"");
    if nics.iter().all(|nic| !nic.netdev.is_empty()) {
        put("dra.net/ifName", "string: \"{netdev}\"");
        put("dra.net/alias", "string: \"\"");
        put("dra.net/state", "string: up");
        put("dra.net/type", "string: device");
        put("dra.net/ebpf", "bool: false");
        put("dra.net/virtual", "bool: false");
        put("dra.net/sriov", "bool: false");
        if let Some(mtu) = model.mtu {
            put("dra.net/mtu", &format!("int: {mtu}"));
        }
        if let Some(encapsulation) = model.encapsulation {
            put("dra.net/encapsulation", &format!("string: {encapsulation}"));
        }
    }
    if model.virtual_function {
        put("dra.net/isSriovVf", "bool: true");
    }
    if nics.iter().all(|nic| !nic.root.is_empty()) {
        put("resource.kubernetes.io/pcieRoot", "string: \"pci{root}\"");
    }
    put("resource.kubernetes.io/numaNode", "int: \"{numa}\"");
}

fn classes(text: &mut String, mig: bool) {
    text.push_str(
        "deviceClasses:
- name: gpu.nvidia.com
  selectors: [\"device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'\"]
  extendedResourceName: nvidia.com/gpu
",
    );
    if mig {
        text.push_str(
            "- name: mig.nvidia.com
  selectors: [\"device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'\"]
",
        );
    }
    text.push_str(
        "- name: dra.net
  selectors: [\"device.driver == 'dra.net'\"]
- name: rdma.dra.net
  selectors: [\"device.driver == 'dra.net' && device.attributes['dra.net'].rdma == true\"]
",
    );
}
