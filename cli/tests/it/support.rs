//! Processes of the program under test, and looking at what they do.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use drakit_kit::{Cluster, KubeconfigCluster};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::watch;

/// The most that a loaded machine needs; every wait ends as soon as its condition holds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// The program.
pub(crate) fn drakit() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drakit"));
    command
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .env_remove("KUBECONFIG")
        .env_remove("NODE_NAME")
        .env_remove("DEVICE_PROFILE")
        .env_remove("DRAKIT_FLEET");
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
        let folder = tempfile::Builder::new().prefix("dk-").tempdir().unwrap();
        std::fs::write(folder.path().join("fleet.yaml"), fleet).unwrap();
        let process = Self::spawn(folder.path());
        let client = Self::connect(folder.path()).await;
        Self {
            folder,
            process,
            client,
        }
    }

    fn spawn(folder: &Path) -> Child {
        let mut command = drakit();
        command
            .args(["up", "--no-driver", "--time-scale", "0.02", "--fleet"])
            .arg(folder.join("fleet.yaml"));
        command.arg("--state-dir").arg(folder.join("s"));
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
        self.driver_through(&self.folder.path().join("s/kubeconfig"))
    }

    /// A driver that reaches the API server by this kubeconfig.
    pub(crate) fn driver_through(&self, kubeconfig: &Path) -> Child {
        let mut command = drakit();
        command
            .args(["driver", "--all-nodes", "--fleet"])
            .arg(self.folder.path().join("fleet.yaml"));
        command.arg("--kubeconfig").arg(kubeconfig);
        for (flag, name) in [
            ("--registrar-dir", "plugins_registry"),
            ("--plugins-dir", "plugins"),
            ("--cdi-dir", "cdi"),
        ] {
            command.arg(flag).arg(self.node_dir("{node}").join(name));
        }
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    /// A kubeconfig that goes through a door which can be shut.
    pub(crate) async fn door(&self) -> (Door, PathBuf) {
        let text = std::fs::read_to_string(self.folder.path().join("s/kubeconfig")).unwrap();
        let server = text
            .lines()
            .find_map(|l| l.trim().strip_prefix("server: https://"))
            .unwrap();
        let address = server
            .trim_matches(|c: char| !c.is_ascii_alphanumeric())
            .to_owned();
        let door = Door::new(address.clone()).await;
        let file = self.folder.path().join("door.kubeconfig");
        std::fs::write(&file, text.replace(&address, &door.address)).unwrap();
        (door, file)
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

/// A TCP forwarder to the API server. Shut, it accepts nobody and hangs up on everybody.
pub(crate) struct Door {
    address: String,
    open: watch::Sender<bool>,
}

impl Door {
    async fn new(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (open, is_open) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok((mut inside, _)) = listener.accept().await {
                let (mut is_open, target) = (is_open.clone(), target.clone());
                tokio::spawn(async move {
                    if !*is_open.borrow_and_update() {
                        return;
                    }
                    let Ok(mut outside) = TcpStream::connect(&target).await else {
                        return;
                    };
                    tokio::select! {
                        _ = is_open.changed() => {}
                        _ = tokio::io::copy_bidirectional(&mut inside, &mut outside) => {}
                    }
                });
            }
        });
        Self { address, open }
    }

    pub(crate) fn set_open(&self, open: bool) {
        self.open.send_replace(open);
    }
}
