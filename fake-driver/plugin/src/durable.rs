//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Ending of files that are being written. Not `.json`: the container runtime
/// reads every `.json` file in a CDI folder.
const UNFINISHED: &str = ".drakit-tmp";

/// What must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Survives {
    /// The end of this process at any moment.
    Kill,
    /// Also the loss of power: the bytes are on the disk before the name is.
    PowerLoss,
}

/// Replaces `folder/name` by `bytes`: written beside it, then renamed.
///
/// The folder itself is not synchronised. After a power loss a rename may be
/// undone, which the kubelet heals: it prepares every claim again after a
/// reboot; and what comes back by an undone removal is found when claims are
/// compared with the API server.
pub(crate) fn write(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    mode: u32,
    survives: Survives,
) -> io::Result<()> {
    let unfinished = unfinished_path(folder, name);
    let written = write_new(&unfinished, bytes, mode, survives)
        .and_then(|()| fs::rename(&unfinished, folder.join(name)));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8], mode: u32, survives: Survives) -> io::Result<()> {
    let mut file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?;
    file.write_all(bytes)?;
    if survives == Survives::PowerLoss {
        file.sync_data()?;
    }
    Ok(())
}

fn unfinished_path(folder: &Path, name: &str) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!(
        ".{name}.{}-{number}{UNFINISHED}",
        std::process::id()
    ))
}

/// Whether a file of this name was never finished. `of` is the start of the
/// finished name, so that files of other drivers are left alone.
pub(crate) fn is_unfinished(file_name: &str, of: &str) -> bool {
    file_name.ends_with(UNFINISHED)
        && file_name
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(of))
}

/// Removes a file; one that is not there is removed already.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether files can be made here; asked at start, because a folder that
/// cannot be written would fail every later Prepare.
pub(crate) fn probe(folder: &Path, of: &str) -> io::Result<()> {
    let path = unfinished_path(folder, of);
    write_new(&path, b"", 0o600, Survives::Kill)?;
    fs::remove_file(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_the_file_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["one", "two"] {
            write(
                folder.path(),
                "a.json",
                text.as_bytes(),
                0o644,
                Survives::PowerLoss,
            )
            .unwrap();
        }
        let names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(names, ["a.json"]);
        assert_eq!(fs::read(folder.path().join("a.json")).unwrap(), b"two");
    }

    #[test]
    fn a_failed_write_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a.json")).unwrap();
        write(folder.path(), "a.json", b"x", 0o644, Survives::Kill).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unfinished_files_are_told_from_those_of_others() {
        let path = unfinished_path(Path::new("/x"), "gpu.example.com_1.json");
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(is_unfinished(name, "gpu.example.com"));
        assert!(!is_unfinished(name, "nic.example.com"));
        assert!(!is_unfinished("gpu.example.com_1.json", "gpu.example.com"));
    }
}
