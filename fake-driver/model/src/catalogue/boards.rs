//! Server boards: where GPUs and NICs sit.

/// A server.
#[derive(Debug)]
pub(super) struct Board {
    /// What stands at the head of the profile: name, and what was inferred.
    pub(super) notes: &'static str,
    pub(super) gpus: &'static [Gpu],
    pub(super) nics: &'static [Nic],
    pub(super) nic_model: &'static NicModel,
}

/// Place of a GPU. A server with one NUMA node publishes none.
#[derive(Debug)]
pub(super) struct Gpu {
    /// PCI address, `dddd:bb:dd.f`.
    pub(super) address: &'static str,
    /// Root bus, `dddd:bb`.
    pub(super) root: &'static str,
    pub(super) numa: u8,
}

/// Place and names of a NIC.
#[derive(Debug)]
pub(super) struct Nic {
    pub(super) address: &'static str,
    /// Empty when sysfs shows no PCI root (virtual functions on Hyper-V).
    pub(super) root: &'static str,
    pub(super) numa: u8,
    /// Empty when there is no network interface (EFA, InfiniBand-only functions).
    pub(super) netdev: &'static str,
    pub(super) rdma: &'static str,
}

/// What all NICs of a board have in common.
#[derive(Debug)]
pub(super) struct NicModel {
    pub(super) vendor: &'static str,
    pub(super) device: &'static str,
    pub(super) subsystem: Option<&'static str>,
    pub(super) mtu: Option<u16>,
    pub(super) encapsulation: Option<&'static str>,
    pub(super) virtual_function: bool,
}

const fn gpu(address: &'static str, root: &'static str, numa: u8) -> Gpu {
    Gpu {
        address,
        root,
        numa,
    }
}

const fn nic(
    address: &'static str,
    root: &'static str,
    numa: u8,
    netdev: &'static str,
    rdma: &'static str,
) -> Nic {
    Nic {
        address,
        root,
        numa,
        netdev,
        rdma,
    }
}

const fn efa(address: &'static str, root: &'static str, numa: u8, rdma: &'static str) -> Nic {
    nic(address, root, numa, "", rdma)
}

const CONNECTX: NicModel = NicModel {
    vendor: "Mellanox Technologies",
    device: "MT2910 Family [ConnectX-7]",
    subsystem: None,
    mtu: Some(4092),
    encapsulation: Some("infiniband"),
    virtual_function: false,
};
static CONNECTX_7: NicModel = CONNECTX;
static CONNECTX_6: NicModel = NicModel {
    device: "MT28908 Family [ConnectX-6]",
    ..CONNECTX
};
static CONNECTX_7_ROCE: NicModel = NicModel {
    mtu: Some(8896),
    encapsulation: Some("ether"),
    ..CONNECTX
};
static CONNECTX_VF: NicModel = NicModel {
    device: "ConnectX Family mlx5Gen Virtual Function",
    subsystem: Some("0101"),
    mtu: None,
    encapsulation: None,
    virtual_function: true,
    ..CONNECTX
};

const EFA: NicModel = NicModel {
    vendor: "Amazon.com, Inc.",
    device: "Elastic Fabric Adapter (EFA)",
    subsystem: Some("efa0"),
    mtu: None,
    encapsulation: None,
    virtual_function: false,
};
static EFA_0: NicModel = EFA;
static EFA_1: NicModel = NicModel {
    subsystem: Some("efa1"),
    ..EFA
};

pub(super) static DGX_A100: Board = Board {
    notes: "NVIDIA DGX A100 (AMD Rome): two GPUs and two NICs share a root bus.\n\
            Inferred: root buses, GPU buses but 07, the text of dra.net/pciDevice, dra.net/mtu. Storage NICs are left out.",
    gpus: &[
        gpu("0000:07:00.0", "0000:00", 3),
        gpu("0000:0f:00.0", "0000:00", 3),
        gpu("0000:47:00.0", "0000:40", 1),
        gpu("0000:4e:00.0", "0000:40", 1),
        gpu("0000:87:00.0", "0000:80", 7),
        gpu("0000:90:00.0", "0000:80", 7),
        gpu("0000:b7:00.0", "0000:b0", 5),
        gpu("0000:bd:00.0", "0000:b0", 5),
    ],
    nics: &[
        nic("0000:0c:00.0", "0000:00", 3, "ibp12s0", "mlx5_0"),
        nic("0000:12:00.0", "0000:00", 3, "ibp18s0", "mlx5_1"),
        nic("0000:4b:00.0", "0000:40", 1, "ibp75s0", "mlx5_2"),
        nic("0000:54:00.0", "0000:40", 1, "ibp84s0", "mlx5_3"),
        nic("0000:8d:00.0", "0000:80", 7, "ibp141s0", "mlx5_6"),
        nic("0000:94:00.0", "0000:80", 7, "ibp148s0", "mlx5_7"),
        nic("0000:ba:00.0", "0000:b0", 5, "ibp186s0", "mlx5_8"),
        nic("0000:cc:00.0", "0000:b0", 5, "ibp204s0", "mlx5_9"),
    ],
    nic_model: &CONNECTX_6,
};

/// The PCI map of DGX H100, H200 and B200.
const DGX_GPUS: &[Gpu] = &[
    gpu("0000:1b:00.0", "0000:15", 0),
    gpu("0000:43:00.0", "0000:3d", 0),
    gpu("0000:52:00.0", "0000:4c", 0),
    gpu("0000:61:00.0", "0000:5b", 0),
    gpu("0000:9d:00.0", "0000:97", 1),
    gpu("0000:c3:00.0", "0000:bd", 1),
    gpu("0000:d1:00.0", "0000:cb", 1),
    gpu("0000:df:00.0", "0000:d9", 1),
];

pub(super) static DGX_H100: Board = Board {
    notes: "NVIDIA DGX H100 and H200: each GPU shares its root bus with one NIC and with nothing else.\n\
            Inferred: the text of dra.net/pciDevice, dra.net/mtu. Storage and in-band NICs are left out.",
    gpus: DGX_GPUS,
    nics: &[
        nic("0000:18:00.0", "0000:15", 0, "ibp24s0", "mlx5_0"),
        nic("0000:40:00.0", "0000:3d", 0, "ibp64s0", "mlx5_3"),
        nic("0000:4f:00.0", "0000:4c", 0, "ibp79s0", "mlx5_4"),
        nic("0000:5e:00.0", "0000:5b", 0, "ibp94s0", "mlx5_5"),
        nic("0000:9a:00.0", "0000:97", 1, "ibp154s0", "mlx5_6"),
        nic("0000:c0:00.0", "0000:bd", 1, "ibp192s0", "mlx5_9"),
        nic("0000:ce:00.0", "0000:cb", 1, "ibp206s0", "mlx5_10"),
        nic("0000:dc:00.0", "0000:d9", 1, "ibp220s0", "mlx5_11"),
    ],
    nic_model: &CONNECTX_7,
};

pub(super) static DGX_B200: Board = Board {
    notes: "NVIDIA DGX B200: the PCI map of the DGX H100, other RDMA names.\n\
            Inferred: the text of dra.net/pciDevice, dra.net/mtu. Storage and management NICs are left out.",
    gpus: DGX_GPUS,
    nics: &[
        nic("0000:18:00.0", "0000:15", 0, "ibp24s0", "mlx5_4"),
        nic("0000:40:00.0", "0000:3d", 0, "ibp64s0", "mlx5_7"),
        nic("0000:4f:00.0", "0000:4c", 0, "ibp79s0", "mlx5_8"),
        nic("0000:5e:00.0", "0000:5b", 0, "ibp94s0", "mlx5_9"),
        nic("0000:9a:00.0", "0000:97", 1, "ibp154s0", "mlx5_10"),
        nic("0000:c0:00.0", "0000:bd", 1, "ibp192s0", "mlx5_13"),
        nic("0000:ce:00.0", "0000:cb", 1, "ibp206s0", "mlx5_14"),
        nic("0000:dc:00.0", "0000:d9", 1, "ibp220s0", "mlx5_15"),
    ],
    nic_model: &CONNECTX_7,
};

pub(super) static AWS_P4D: Board = Board {
    notes: "AWS p4d.24xlarge: two GPUs and one EFA share a root bus. ENA cards are left out.",
    gpus: &[
        gpu("0000:10:1c.0", "0000:10", 0),
        gpu("0000:10:1d.0", "0000:10", 0),
        gpu("0000:20:1c.0", "0000:20", 0),
        gpu("0000:20:1d.0", "0000:20", 0),
        gpu("0000:90:1c.0", "0000:90", 1),
        gpu("0000:90:1d.0", "0000:90", 1),
        gpu("0000:a0:1c.0", "0000:a0", 1),
        gpu("0000:a0:1d.0", "0000:a0", 1),
    ],
    nics: &[
        efa("0000:10:1b.0", "0000:10", 0, "rdmap16s27"),
        efa("0000:20:1b.0", "0000:20", 0, "rdmap32s27"),
        efa("0000:90:1b.0", "0000:90", 1, "rdmap144s27"),
        efa("0000:a0:1b.0", "0000:a0", 1, "rdmap160s27"),
    ],
    nic_model: &EFA_0,
};

pub(super) static AWS_P5: Board = Board {
    notes: "AWS p5.48xlarge: each GPU shares its root bus with four EFA. ENA cards are left out.",
    gpus: &[
        gpu("0000:53:00.0", "0000:44", 0),
        gpu("0000:64:00.0", "0000:55", 0),
        gpu("0000:75:00.0", "0000:66", 0),
        gpu("0000:86:00.0", "0000:77", 0),
        gpu("0000:97:00.0", "0000:88", 1),
        gpu("0000:a8:00.0", "0000:99", 1),
        gpu("0000:b9:00.0", "0000:aa", 1),
        gpu("0000:ca:00.0", "0000:bb", 1),
    ],
    nics: &[
        efa("0000:4f:00.0", "0000:44", 0, "rdmap79s0"),
        efa("0000:50:00.0", "0000:44", 0, "rdmap80s0"),
        efa("0000:51:00.0", "0000:44", 0, "rdmap81s0"),
        efa("0000:52:00.0", "0000:44", 0, "rdmap82s0"),
        efa("0000:60:00.0", "0000:55", 0, "rdmap96s0"),
        efa("0000:61:00.0", "0000:55", 0, "rdmap97s0"),
        efa("0000:62:00.0", "0000:55", 0, "rdmap98s0"),
        efa("0000:63:00.0", "0000:55", 0, "rdmap99s0"),
        efa("0000:71:00.0", "0000:66", 0, "rdmap113s0"),
        efa("0000:72:00.0", "0000:66", 0, "rdmap114s0"),
        efa("0000:73:00.0", "0000:66", 0, "rdmap115s0"),
        efa("0000:74:00.0", "0000:66", 0, "rdmap116s0"),
        efa("0000:82:00.0", "0000:77", 0, "rdmap130s0"),
        efa("0000:83:00.0", "0000:77", 0, "rdmap131s0"),
        efa("0000:84:00.0", "0000:77", 0, "rdmap132s0"),
        efa("0000:85:00.0", "0000:77", 0, "rdmap133s0"),
        efa("0000:93:00.0", "0000:88", 1, "rdmap147s0"),
        efa("0000:94:00.0", "0000:88", 1, "rdmap148s0"),
        efa("0000:95:00.0", "0000:88", 1, "rdmap149s0"),
        efa("0000:96:00.0", "0000:88", 1, "rdmap150s0"),
        efa("0000:a4:00.0", "0000:99", 1, "rdmap164s0"),
        efa("0000:a5:00.0", "0000:99", 1, "rdmap165s0"),
        efa("0000:a6:00.0", "0000:99", 1, "rdmap166s0"),
        efa("0000:a7:00.0", "0000:99", 1, "rdmap167s0"),
        efa("0000:b5:00.0", "0000:aa", 1, "rdmap181s0"),
        efa("0000:b6:00.0", "0000:aa", 1, "rdmap182s0"),
        efa("0000:b7:00.0", "0000:aa", 1, "rdmap183s0"),
        efa("0000:b8:00.0", "0000:aa", 1, "rdmap184s0"),
        efa("0000:c6:00.0", "0000:bb", 1, "rdmap198s0"),
        efa("0000:c7:00.0", "0000:bb", 1, "rdmap199s0"),
        efa("0000:c8:00.0", "0000:bb", 1, "rdmap200s0"),
        efa("0000:c9:00.0", "0000:bb", 1, "rdmap201s0"),
    ],
    nic_model: &EFA_1,
};

pub(super) static GCP_A3_ULTRA: Board = Board {
    notes: "GCP a3-ultragpu-8g: two GPUs and two NICs share a root bus, so a match by root is two to two.\n\
            Inferred: roots 93 and c1, buses but 8f 91 96 98 cc cd, dra.net/pciDevice. gVNICs are left out.",
    gpus: &[
        gpu("0000:8f:00.0", "0000:8c", 0),
        gpu("0000:90:00.0", "0000:8c", 0),
        gpu("0000:96:00.0", "0000:93", 0),
        gpu("0000:97:00.0", "0000:93", 0),
        gpu("0000:c4:00.0", "0000:c1", 1),
        gpu("0000:c5:00.0", "0000:c1", 1),
        gpu("0000:cb:00.0", "0000:c8", 1),
        gpu("0000:cc:00.0", "0000:c8", 1),
    ],
    nics: &[
        nic("0000:91:00.0", "0000:8c", 0, "gpu0rdma0", "mlx5_0"),
        nic("0000:92:00.0", "0000:8c", 0, "gpu1rdma0", "mlx5_1"),
        nic("0000:98:00.0", "0000:93", 0, "gpu2rdma0", "mlx5_2"),
        nic("0000:99:00.0", "0000:93", 0, "gpu3rdma0", "mlx5_3"),
        nic("0000:c6:00.0", "0000:c1", 1, "gpu4rdma0", "mlx5_4"),
        nic("0000:c7:00.0", "0000:c1", 1, "gpu5rdma0", "mlx5_5"),
        nic("0000:cd:00.0", "0000:c8", 1, "gpu6rdma0", "mlx5_6"),
        nic("0000:ce:00.0", "0000:c8", 1, "gpu7rdma0", "mlx5_7"),
    ],
    nic_model: &CONNECTX_7_ROCE,
};

pub(super) static AZURE_ND_H100: Board = Board {
    notes: "Azure ND96isr_H100_v5: NICs are virtual functions without PCI root and interface name.\n\
            Inferred: GPU roots (the domain's bus 00).",
    gpus: &[
        gpu("0001:00:00.0", "0001:00", 0),
        gpu("0002:00:00.0", "0002:00", 0),
        gpu("0003:00:00.0", "0003:00", 0),
        gpu("0008:00:00.0", "0008:00", 0),
        gpu("0009:00:00.0", "0009:00", 1),
        gpu("000a:00:00.0", "000a:00", 1),
        gpu("000b:00:00.0", "000b:00", 1),
        gpu("000c:00:00.0", "000c:00", 1),
    ],
    nics: &[
        nic("0101:00:00.0", "", 0, "", "mlx5_0"),
        nic("0102:00:00.0", "", 0, "", "mlx5_1"),
        nic("0103:00:00.0", "", 0, "", "mlx5_2"),
        nic("0104:00:00.0", "", 0, "", "mlx5_3"),
        nic("0105:00:00.0", "", 1, "", "mlx5_4"),
        nic("0106:00:00.0", "", 1, "", "mlx5_5"),
        nic("0107:00:00.0", "", 1, "", "mlx5_6"),
        nic("0108:00:00.0", "", 1, "", "mlx5_7"),
    ],
    nic_model: &CONNECTX_VF,
};
