//! Facts about a process, from /proc.

use anyhow::Context;

/// Resident memory of a process in MiB, now and at most so far.
pub(crate) fn memory(pid: u32) -> anyhow::Result<(f64, f64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))
        .with_context(|| format!("read /proc/{pid}/status"))?;
    let field = |name: &str| -> anyhow::Result<f64> {
        let line = status
            .lines()
            .find_map(|l| l.strip_prefix(name))
            .with_context(|| format!("find {name}"))?;
        let kib: f64 = line
            .trim()
            .trim_end_matches(" kB")
            .trim()
            .parse()
            .with_context(|| format!("read {line:?}"))?;
        Ok(kib / 1024.0)
    };
    Ok((field("VmRSS:")?, field("VmHWM:")?))
}

/// `12.3 MB`.
pub(crate) fn megabytes(mib: f64) -> String {
    format!("{:.1} MB", mib * 1.048_576)
}
