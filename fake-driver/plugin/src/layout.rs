//! Where the files of one driver on one node are.

use std::path::{Path, PathBuf};

use crate::error::StartError;

/// Longest path of a Unix socket: `sun_path` has 108 bytes with the final NUL.
pub const SOCKET_PATH_LIMIT: usize = 107;

/// The folders of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// Watched by the kubelet for registration sockets
    /// (`/var/lib/kubelet/plugins_registry`).
    pub registrar: PathBuf,
    /// Holds one data folder for each driver (`/var/lib/kubelet/plugins`).
    pub plugins: PathBuf,
    /// Read by the container runtime (`/var/run/cdi`).
    pub cdi: PathBuf,
    /// Make `registrar` and `plugins` when they are missing. On a real node
    /// that would hide a wrong kubelet root; a simulation may start the driver
    /// before its kubelet.
    pub create: bool,
}

/// The paths of one driver in the [`Folders`] of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) folders: Folders,
    /// `<plugins>/<driver>`.
    pub(crate) data: PathBuf,
    /// One file for each prepared claim.
    pub(crate) checkpoint: PathBuf,
    pub(crate) registration_socket: PathBuf,
    pub(crate) dra_socket: PathBuf,
}

impl Layout {
    /// The paths, checked before anything is touched: absolute, because the
    /// kubelet dials the DRA socket by the path that it is told (REG-05), and
    /// short enough to bind (REG-15).
    pub(crate) fn new(folders: &Folders, driver: &str) -> Result<Self, StartError> {
        for (what, path) in [
            ("plugin registration folder", &folders.registrar),
            ("plugin folder", &folders.plugins),
            ("CDI folder", &folders.cdi),
        ] {
            if !path.is_absolute() {
                return Err(StartError::NotAbsolute {
                    what,
                    path: path.clone(),
                });
            }
        }
        let data = folders.plugins.join(driver);
        let layout = Self {
            checkpoint: data.join("claims"),
            registration_socket: folders.registrar.join(registration_file(driver)),
            dra_socket: data.join("dra.sock"),
            data,
            folders: folders.clone(),
        };
        check_length(&layout.registration_socket)?;
        check_length(&layout.dra_socket)?;
        Ok(layout)
    }
}

/// File name of the registration socket. The `@` is needed: the kubelet sends
/// the percent-encoded path as `:authority`, which Rust's HTTP/2 refuses unless
/// what stands before an `@` makes it userinfo (`drakit_proto` has the test
/// that watches this rule).
pub(crate) fn registration_file(driver: &str) -> String {
    format!("{driver}@reg.sock")
}

fn check_length(path: &Path) -> Result<(), StartError> {
    let bytes = path.as_os_str().len();
    if bytes > SOCKET_PATH_LIMIT {
        return Err(StartError::PathTooLong {
            path: path.to_owned(),
            bytes,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(root: &str) -> Folders {
        Folders {
            registrar: Path::new(root).join("plugins_registry"),
            plugins: Path::new(root).join("plugins"),
            cdi: "/var/run/cdi".into(),
            create: false,
        }
    }

    #[test]
    fn a_socket_path_of_107_bytes_is_accepted_and_one_of_108_is_not() {
        let root = "/var/lib/kubelet";
        let fixed = Layout::new(&folders(root), "")
            .unwrap()
            .registration_socket
            .as_os_str()
            .len();
        let longest = "d".repeat(SOCKET_PATH_LIMIT - fixed);
        assert!(Layout::new(&folders(root), &longest).is_ok());
        let error = Layout::new(&folders(root), &format!("{longest}d")).unwrap_err();
        assert!(
            matches!(error, StartError::PathTooLong { bytes: 108, .. }),
            "{error}"
        );
    }

    #[test]
    fn a_driver_name_of_63_bytes_fits_below_the_default_kubelet_root() {
        assert!(Layout::new(&folders("/var/lib/kubelet"), &"d".repeat(63)).is_ok());
    }

    #[test]
    fn a_relative_or_empty_folder_is_refused() {
        for root in ["", "kubelet"] {
            let error = Layout::new(&folders(root), "gpu.example.com").unwrap_err();
            assert!(matches!(error, StartError::NotAbsolute { .. }), "{error}");
        }
    }
}
