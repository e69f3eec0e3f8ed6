//! The folder of a cluster: one cluster at a time, files written whole.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cluster::StartError;

/// Held while a cluster uses the folder, so that a second one cannot replace its kubeconfig and sockets.
const LOCK: &str = "lock";

/// The folder, absolute (drivers and kubelets name sockets by it) and locked.
pub(crate) struct Folder {
    path: PathBuf,
    /// Goes with the process, however it ends.
    _lock: File,
    /// Removed with the cluster, if it made the folder.
    _made: Option<TempDir>,
}

impl Folder {
    /// Takes the folder `wanted`, made if missing, or a new one below the temporary folder.
    pub(crate) fn open(wanted: Option<PathBuf>) -> Result<Self, StartError> {
        let (path, made) = if let Some(path) = wanted {
            let path = std::path::absolute(&path).map_err(failed(&path))?;
            std::fs::create_dir_all(&path).map_err(failed(&path))?;
            (path, None)
        } else {
            let made = tempfile::Builder::new().prefix("drakit-").tempdir();
            let made = made.map_err(failed(&std::env::temp_dir()))?;
            (made.path().to_path_buf(), Some(made))
        };
        let file = path.join(LOCK);
        let lock = File::create(&file).map_err(failed(&file))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StartError::InUse { path }),
            Err(TryLockError::Error(error)) => return Err(failed(&file)(error)),
        }
        Ok(Self {
            path,
            _lock: lock,
            _made: made,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whole or not at all, and for its owner only: it holds the token.
    pub(crate) fn write_kubeconfig(&self, text: &str) -> Result<PathBuf, StartError> {
        let path = self.path.join("kubeconfig");
        let write = || -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(failed(&path))?;
        Ok(path)
    }
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> StartError + use<> {
    let path = path.to_path_buf();
    move |source| StartError::Write {
        path: path.clone(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_serves_one_cluster_at_a_time() {
        let parent = tempfile::tempdir().unwrap();
        let wanted = parent.path().join("s");
        let first = Folder::open(Some(wanted.clone())).unwrap();
        assert_eq!(
            Folder::open(Some(wanted.clone()))
                .err()
                .unwrap()
                .to_string(),
            format!(
                "use {}: another simulated cluster runs in it; stop it or choose another folder",
                wanted.display()
            )
        );
        drop(first);
        Folder::open(Some(wanted)).unwrap();
    }

    #[test]
    fn a_relative_folder_becomes_absolute() {
        let parent = tempfile::tempdir().unwrap();
        let depth = std::env::current_dir().unwrap().components().count() - 1;
        let below_root = parent.path().strip_prefix("/").unwrap();
        let relative = PathBuf::from("../".repeat(depth))
            .join(below_root)
            .join("s");
        let folder = Folder::open(Some(relative)).unwrap();
        assert!(folder.path().is_absolute());
        assert!(parent.path().join("s").join(LOCK).is_file());
    }

    #[test]
    fn a_folder_that_was_made_for_the_cluster_goes_with_it() {
        let folder = Folder::open(None).unwrap();
        let path = folder.path().to_path_buf();
        drop(folder);
        assert!(!path.exists());
    }
}
