//! Sockets that appear when they are ready and go with their owner.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};

use crate::error::StartError;

/// How long the owner of an existing socket may take to answer. A connection to
/// a living listener needs no cooperation of its process.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);

/// A socket file that we made; removed when this is dropped. Remembers which
/// one, so that a later instance's file of the same name is not taken away.
/// Must go before its listener: an inode number is free again after that.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketFile {
    /// For the registration socket this is what tells the kubelet that the
    /// driver is gone.
    fn drop(&mut self) {
        let ours = std::fs::symlink_metadata(&self.path)
            .is_ok_and(|meta| (meta.dev(), meta.ino()) == self.identity);
        if ours && let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "socket file not removed");
        }
    }
}

/// Listens on `path`, reachable for this user only.
///
/// The socket is bound under a hidden name (the kubelet ignores names that
/// start with a dot) and renamed when it listens: who sees it can connect. A
/// file that a dead process left behind is replaced; one that somebody answers
/// on is not, nor is anything that is no socket.
pub(crate) async fn listen(path: &Path) -> Result<(SocketFile, UnixListener), StartError> {
    ensure_free(path).await?;
    let hidden = hidden_path(path);
    let failed = |source| StartError::Listen {
        path: path.to_owned(),
        source,
    };
    let listener = UnixListener::bind(&hidden).map_err(failed)?;
    let settled = settle(&hidden, path);
    if settled.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&hidden);
    }
    let identity = settled.map_err(failed)?;
    let file = SocketFile {
        path: path.to_owned(),
        identity,
    };
    Ok((file, listener))
}

fn settle(hidden: &Path, path: &Path) -> io::Result<(u64, u64)> {
    std::fs::set_permissions(hidden, std::fs::Permissions::from_mode(0o600))?;
    let meta = std::fs::symlink_metadata(hidden)?;
    std::fs::rename(hidden, path)?;
    Ok((meta.dev(), meta.ino()))
}

/// Never longer than the shortest socket name, `dra.sock`.
fn hidden_path(path: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_mul(7919) ^ std::process::id();
    path.with_file_name(format!(".{:06x}", number & 0x00ff_ffff))
}

async fn ensure_free(path: &Path) -> Result<(), StartError> {
    let failed = |source| StartError::Listen {
        path: path.to_owned(),
        source,
    };
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
        Ok(meta) if !meta.file_type().is_socket() => {
            return Err(StartError::NotASocket {
                path: path.to_owned(),
            });
        }
        Ok(_) => {}
    }
    match tokio::time::timeout(ANSWER_LIMIT, UnixStream::connect(path)).await {
        Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(Err(error)) if error.kind() != io::ErrorKind::WouldBlock => Err(failed(error)),
        // Connected, or a queue so full that nobody could.
        _ => Err(StartError::Occupied {
            path: path.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_appears_private_and_listening() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dra.sock");
        let (file, _listener) = listen(&path).await.unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        UnixStream::connect(&path).await.unwrap();
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_socket_that_a_dead_process_left_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dra.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let _alive = listen(&path).await.unwrap();
        UnixStream::connect(&path).await.unwrap();
    }

    #[tokio::test]
    async fn a_socket_that_somebody_answers_on_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dra.sock");
        let _first = listen(&path).await.unwrap();
        let error = listen(&path).await.unwrap_err();
        assert!(matches!(error, StartError::Occupied { .. }), "{error}");
        UnixStream::connect(&path).await.unwrap();
    }

    #[tokio::test]
    async fn a_file_that_is_no_socket_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dra.sock");
        std::fs::write(&path, "mine").unwrap();
        let error = listen(&path).await.unwrap_err();
        assert!(matches!(error, StartError::NotASocket { .. }), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }

    #[tokio::test]
    async fn removing_spares_the_socket_of_a_later_instance() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dra.sock");
        let (old, listener) = listen(&path).await.unwrap();
        // Its file was taken away, so the later instance finds the path free.
        std::fs::remove_file(&path).unwrap();
        let _new = listen(&path).await.unwrap();
        drop(old);
        drop(listener);
        UnixStream::connect(&path).await.unwrap();
    }
}
