//! GPU models: what NVML says about them, and how MIG can partition them.

/// A GPU model.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) product: &'static str,
    pub(super) architecture: &'static str,
    /// CUDA compute capability.
    pub(super) compute: &'static str,
    /// NVML's total; with dynamic MIG the 7g profile's memory is published instead.
    pub(super) memory: &'static str,
    pub(super) addressing: &'static str,
    /// MIG profiles, smallest first, the whole GPU last.
    pub(super) mig: &'static [MigProfile],
}

/// A MIG GPU instance profile: seven figures that are published as capacities.
#[derive(Debug)]
pub(super) struct MigProfile {
    pub(super) name: &'static str,
    /// Id of the GPU instance profile.
    pub(super) id: u8,
    /// Memory slices that it takes.
    pub(super) size: u8,
    /// First memory slices where it can be placed.
    pub(super) starts: &'static [u8],
    pub(super) memory: &'static str,
    pub(super) multiprocessors: u16,
    pub(super) copy_engines: u8,
    pub(super) decoders: u8,
    pub(super) encoders: u8,
    pub(super) jpeg_engines: u8,
    pub(super) ofa_engines: u8,
}

/// Placements of the seven profiles are the same on A100, H100, H200 and B200.
const ONE: (u8, u8, &[u8]) = (19, 1, &[0, 1, 2, 3, 4, 5, 6]);
const ONE_MEDIA: (u8, u8, &[u8]) = (20, 1, &[0, 1, 2, 3, 4, 5, 6]);
const ONE_DOUBLE: (u8, u8, &[u8]) = (15, 2, &[0, 2, 4, 6]);
const TWO: (u8, u8, &[u8]) = (14, 2, &[0, 2, 4]);
const THREE: (u8, u8, &[u8]) = (9, 4, &[0, 4]);
const FOUR: (u8, u8, &[u8]) = (5, 4, &[0]);
const SEVEN: (u8, u8, &[u8]) = (0, 8, &[0]);

/// `engines`: multiprocessors, then copy, decoder, encoder, JPEG and OFA engines.
const fn mig(
    name: &'static str,
    (id, size, starts): (u8, u8, &'static [u8]),
    memory: &'static str,
    engines: (u16, u8, u8, u8, u8, u8),
) -> MigProfile {
    let (multiprocessors, copy_engines, decoders, encoders, jpeg_engines, ofa_engines) = engines;
    MigProfile {
        name,
        id,
        size,
        starts,
        memory,
        multiprocessors,
        copy_engines,
        decoders,
        encoders,
        jpeg_engines,
        ofa_engines,
    }
}

/// Two nvidia-smi dumps and a captured layout agree.
pub(super) static A100_40: Model = Model {
    product: "NVIDIA A100-SXM4-40GB",
    architecture: "Ampere",
    compute: "8.0.0",
    memory: "40Gi",
    addressing: "HMM",
    mig: &[
        mig("1g.5gb", ONE, "4864Mi", (14, 1, 0, 0, 0, 0)),
        mig("1g.5gb+me", ONE_MEDIA, "4864Mi", (14, 1, 1, 0, 1, 1)),
        mig("1g.10gb", ONE_DOUBLE, "9984Mi", (14, 1, 1, 0, 0, 0)),
        mig("2g.10gb", TWO, "9984Mi", (28, 2, 1, 0, 0, 0)),
        mig("3g.20gb", THREE, "20096Mi", (42, 3, 2, 0, 0, 0)),
        mig("4g.20gb", FOUR, "20096Mi", (56, 4, 2, 0, 0, 0)),
        mig("7g.40gb", SEVEN, "40320Mi", (98, 7, 5, 0, 1, 1)),
    ],
};

/// Memory from an nvidia-smi dump of an older driver, engines as A100 40 GB.
pub(super) static A100_80: Model = Model {
    product: "NVIDIA A100-SXM4-80GB",
    architecture: "Ampere",
    compute: "8.0.0",
    memory: "80Gi",
    addressing: "HMM",
    mig: &[
        mig("1g.10gb", ONE, "9728Mi", (14, 1, 0, 0, 0, 0)),
        mig("1g.10gb+me", ONE_MEDIA, "9728Mi", (14, 1, 1, 0, 1, 1)),
        mig("1g.20gb", ONE_DOUBLE, "19968Mi", (14, 1, 1, 0, 0, 0)),
        mig("2g.20gb", TWO, "19968Mi", (28, 2, 1, 0, 0, 0)),
        mig("3g.40gb", THREE, "40192Mi", (42, 3, 2, 0, 0, 0)),
        mig("4g.40gb", FOUR, "40192Mi", (56, 4, 2, 0, 0, 0)),
        mig("7g.80gb", SEVEN, "79Gi", (98, 7, 5, 0, 1, 1)),
    ],
};

/// Captured from a p5.48xlarge, nvidia-smi dumps agree.
pub(super) static H100: Model = Model {
    product: "NVIDIA H100 80GB HBM3",
    architecture: "Hopper",
    compute: "9.0.0",
    memory: "81559Mi",
    addressing: "HMM",
    mig: &[
        mig("1g.10gb", ONE, "9984Mi", (16, 1, 1, 0, 1, 0)),
        mig("1g.10gb+me", ONE_MEDIA, "9984Mi", (16, 1, 1, 0, 1, 1)),
        mig("1g.20gb", ONE_DOUBLE, "20096Mi", (26, 1, 1, 0, 1, 0)),
        mig("2g.20gb", TWO, "20096Mi", (32, 2, 2, 0, 2, 0)),
        mig("3g.40gb", THREE, "40448Mi", (60, 3, 3, 0, 3, 0)),
        mig("4g.40gb", FOUR, "40448Mi", (64, 4, 4, 0, 4, 0)),
        mig("7g.80gb", SEVEN, "81152Mi", (132, 8, 7, 0, 7, 1)),
    ],
};

/// Memory and multiprocessors from nvidia-smi dumps, engines from the vendor's documentation.
pub(super) static H200: Model = Model {
    product: "NVIDIA H200",
    architecture: "Hopper",
    compute: "9.0.0",
    memory: "143771Mi",
    addressing: "HMM",
    mig: &[
        mig("1g.18gb", ONE, "16Gi", (16, 1, 1, 0, 1, 0)),
        mig("1g.18gb+me", ONE_MEDIA, "16Gi", (16, 1, 1, 0, 1, 1)),
        mig("1g.35gb", ONE_DOUBLE, "33024Mi", (26, 1, 1, 0, 1, 0)),
        mig("2g.35gb", TWO, "33024Mi", (32, 2, 2, 0, 2, 0)),
        mig("3g.71gb", THREE, "71168Mi", (60, 3, 3, 0, 3, 0)),
        mig("4g.71gb", FOUR, "71168Mi", (64, 4, 4, 0, 4, 0)),
        mig("7g.141gb", SEVEN, "140Gi", (132, 8, 7, 0, 7, 1)),
    ],
};

/// Captured from a p6-b200.48xlarge. NVIDIA's MIG guide has other engine counts, which hardware contradicts.
pub(super) static B200: Model = Model {
    product: "NVIDIA B200",
    architecture: "Blackwell",
    compute: "10.0.0",
    memory: "183359Mi",
    addressing: "HMM",
    mig: &[
        mig("1g.23gb", ONE, "20992Mi", (18, 2, 1, 0, 1, 0)),
        mig("1g.23gb+me", ONE_MEDIA, "20992Mi", (18, 2, 1, 0, 1, 1)),
        mig("1g.45gb", ONE_DOUBLE, "45312Mi", (30, 2, 1, 0, 1, 0)),
        mig("2g.45gb", TWO, "45312Mi", (36, 4, 2, 0, 2, 0)),
        mig("3g.90gb", THREE, "89Gi", (70, 6, 3, 0, 3, 0)),
        mig("4g.90gb", FOUR, "89Gi", (72, 8, 4, 0, 4, 0)),
        mig("7g.180gb", SEVEN, "182784Mi", (148, 16, 7, 0, 7, 1)),
    ],
};
