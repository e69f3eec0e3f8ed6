//! Processes of the program under test, and looking at what they do.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use drakit_kit::{Cluster, KubeconfigCluster};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// The most that a loaded machine needs; every wait ends as soon as its condition holds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// The program.
pub(crate) fn drakit() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drakit"));
    command
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .env_remove("KUBECONFIG")
        .env_remove("NODE_NAME");
    command
}

/// Runs the program to its end: exit code, standard output, standard error.
pub(crate) async fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = tokio::time::timeout(PATIENCE, drakit().args(arguments).output())
        .await
        .unwrap()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Looks until `look` sees something.
pub(crate) async fn eventually<T, F: Future<Output = Option<T>>>(
    what: &str,
    mut look: impl FnMut() -> F,
) -> T {
    let start = Instant::now();
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// A running `drakit up --no-driver`.
pub(crate) struct Up {
    pub(crate) folder: TempDir,
    process: Child,
    pub(crate) client: kube::Client,
}

impl Up {
    pub(crate) async fn start(fleet: &str) -> Self {
        Self::with(fleet, &[]).await
    }

    pub(crate) async fn with(fleet: &str, more: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("dk-").tempdir().unwrap();
        std::fs::write(folder.path().join("fleet.yaml"), fleet).unwrap();
        let process = Self::spawn(folder.path(), more);
        let client = Self::connect(folder.path()).await;
        Self {
            folder,
            process,
            client,
        }
    }

    fn spawn(folder: &Path, more: &[&str]) -> Child {
        let mut command = drakit();
        command
            .args(["up", "--no-driver", "--time-scale", "0.02", "--fleet"])
            .arg(folder.join("fleet.yaml"));
        command.arg("--state-dir").arg(folder.join("s")).args(more);
        command.stdout(Stdio::null()).spawn().unwrap()
    }

    async fn connect(folder: &Path) -> kube::Client {
        let file = folder.join("s/kubeconfig");
        eventually("the kubeconfig", || async { file.is_file().then_some(()) }).await;
        let client = KubeconfigCluster::from_file(&file).await.unwrap().client();
        eventually("the API server", || async {
            client.apiserver_version().await.ok()
        })
        .await;
        client
    }

    pub(crate) fn node_dir(&self, node: &str) -> PathBuf {
        self.folder.path().join("s/nodes").join(node)
    }

    /// Files in the CDI folder of a node.
    pub(crate) fn cdi_files(&self, node: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.node_dir(node).join("cdi")).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
        files.sort();
        files
    }

    /// A driver for all nodes, as a process of its own.
    pub(crate) fn driver(&self) -> Child {
        let mut command = drakit();
        command
            .args(["driver", "--all-nodes", "--fleet"])
            .arg(self.folder.path().join("fleet.yaml"));
        command
            .arg("--kubeconfig")
            .arg(self.folder.path().join("s/kubeconfig"));
        for (flag, name) in [
            ("--registrar-dir", "plugins_registry"),
            ("--plugins-dir", "plugins"),
            ("--cdi-dir", "cdi"),
        ] {
            command.arg(flag).arg(self.node_dir("{node}").join(name));
        }
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    pub(crate) async fn stop(mut self) {
        stop(&mut self.process).await;
    }
}

/// SIGTERM, and the process must end well.
pub(crate) async fn stop(process: &mut Child) {
    let pid = i32::try_from(process.id().expect("it still runs")).unwrap();
    kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
    let status = tokio::time::timeout(PATIENCE, process.wait())
        .await
        .expect("it ends when told to")
        .unwrap();
    assert!(status.success(), "{status}");
}
