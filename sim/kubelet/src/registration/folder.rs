//! Which registration sockets exist (`pluginmanager/pluginwatcher/plugin_watcher.go`).

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use notify::event::{EventKind, ModifyKind, RenameMode};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::socket::{Signal, SocketTask};
use crate::driver::Plugins;
use crate::timing::Timing;

/// Deeper folders than this are not looked into: a chain of links could go on for ever.
const MAX_DEPTH: usize = 16;

/// Handshakes that may run at once over all nodes.
const HANDSHAKES_AT_ONCE: usize = 64;

/// Watches the registration folders of all nodes with one inotify instance, of which a machine has
/// few (128 by default).
#[derive(Debug)]
pub struct Registrar {
    watcher: Mutex<RecommendedWatcher>,
    orders: mpsc::UnboundedSender<Order>,
}

enum Order {
    Watch(PathBuf, Arc<Plugins>),
    Again(PathBuf),
    Seen(notify::Event),
}

impl Registrar {
    /// A registrar whose tasks run in `tasks` until `stop`.
    ///
    /// # Errors
    /// When the machine gives no inotify instance.
    pub fn start(
        timing: Timing,
        tasks: &TaskTracker,
        stop: CancellationToken,
    ) -> Result<Self, notify::Error> {
        let (orders, inbox) = mpsc::unbounded_channel();
        let seen = orders.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            match event {
                // The receiver is gone only after the stop.
                Ok(event) => drop(seen.send(Order::Seen(event))),
                Err(error) => tracing::warn!(%error, "cannot follow registration folders"),
            }
        })?;
        let folders = Folders {
            roots: BTreeMap::new(),
            sockets: BTreeMap::new(),
            leaving: BTreeMap::new(),
            timing,
            tasks: tasks.clone(),
            turns: Arc::new(Semaphore::new(HANDSHAKES_AT_ONCE)),
            stop: stop.clone(),
        };
        tasks.spawn(async move {
            let _ = stop.run_until_cancelled(folders.run(inbox)).await;
        });
        Ok(Self {
            watcher: Mutex::new(watcher),
            orders,
        })
    }

    /// Registers the plugins whose sockets are or will be in `folder` (or below it) with `plugins`.
    ///
    /// # Errors
    /// When the folder cannot be watched.
    pub fn watch(&self, folder: &Path, plugins: Arc<Plugins>) -> Result<(), notify::Error> {
        // Watched before it is read, so that no socket falls between.
        self.watcher
            .lock()
            .watch(folder, RecursiveMode::Recursive)?;
        let _ = self.orders.send(Order::Watch(folder.to_owned(), plugins));
        Ok(())
    }

    /// Deregisters and registers again everything in `folder`, as a kubelet that starts does.
    pub fn register_again(&self, folder: &Path) {
        let _ = self.orders.send(Order::Again(folder.to_owned()));
    }
}

/// Tells one file from another at the same path: inode, and when it was made (inodes are used again).
type Identity = (u64, Option<SystemTime>);

struct Socket {
    identity: Identity,
    signal: watch::Sender<Signal>,
    task: JoinHandle<()>,
}

struct Folders {
    roots: BTreeMap<PathBuf, Arc<Plugins>>,
    sockets: BTreeMap<PathBuf, Socket>,
    /// Tasks of sockets that are gone and that may still deregister.
    leaving: BTreeMap<PathBuf, JoinHandle<()>>,
    timing: Timing,
    tasks: TaskTracker,
    turns: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Folders {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Order>) {
        while let Some(order) = inbox.recv().await {
            match order {
                Order::Watch(root, plugins) => {
                    self.roots.insert(root.clone(), plugins);
                    self.walk(&root, 0);
                }
                Order::Again(root) => self.again(&root),
                Order::Seen(event) if event.need_rescan() => self.rescan(),
                Order::Seen(event) => self.seen(&event),
            }
        }
    }

    /// As the kubelet: a file that is made or moved here counts as new, one that is moved away stays.
    fn seen(&mut self, event: &notify::Event) {
        match event.kind {
            EventKind::Create(_) => {
                for path in &event.paths {
                    self.created(path, 0);
                }
            }
            EventKind::Modify(ModifyKind::Name(RenameMode::To)) => {
                if let Some(path) = event.paths.last() {
                    self.created(path, 0);
                }
            }
            EventKind::Remove(_) => {
                for path in &event.paths {
                    self.removed(path);
                }
            }
            _ => {}
        }
    }

    /// Events were lost: compares what is there with what is known.
    fn rescan(&mut self) {
        let gone: Vec<_> = self
            .sockets
            .keys()
            .filter(|path| !path.exists())
            .cloned()
            .collect();
        for path in gone {
            self.removed(&path);
        }
        for root in self.roots.keys().cloned().collect::<Vec<_>>() {
            self.walk(&root, 0);
        }
    }

    fn again(&mut self, root: &Path) {
        for (path, socket) in &self.sockets {
            if path.starts_with(root) {
                socket.signal.send_modify(|signal| signal.incarnation += 1);
            }
        }
    }

    fn walk(&mut self, folder: &Path, depth: usize) {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                tracing::debug!(folder = %folder.display(), %error, "cannot list a registration folder");
                return;
            }
        };
        for entry in entries.flatten() {
            self.created(&entry.path(), depth + 1);
        }
    }

    fn created(&mut self, path: &Path, depth: usize) {
        if hidden(path) || depth > MAX_DEPTH {
            return;
        }
        // What is gone again was not meant for us.
        let Ok(metadata) = std::fs::symlink_metadata(path) else {
            return;
        };
        if metadata.is_dir() {
            self.walk(path, depth);
        } else if metadata.file_type().is_socket() {
            self.socket(path, (metadata.ino(), metadata.created().ok()));
        }
    }

    fn socket(&mut self, path: &Path, identity: Identity) {
        if let Some(socket) = self.sockets.get_mut(path) {
            if socket.identity != identity {
                socket.identity = identity;
                socket.signal.send_modify(|signal| signal.incarnation += 1);
            }
            return;
        }
        let Some(plugins) = path.ancestors().find_map(|root| self.roots.get(root)) else {
            return;
        };
        let (signal, receiver) = watch::channel(Signal {
            incarnation: 0,
            present: true,
        });
        let task = SocketTask {
            socket: path.to_owned(),
            plugins: plugins.clone(),
            timing: self.timing.clone(),
            signal: receiver,
            earlier: self.leaving.remove(path),
            turns: self.turns.clone(),
            stop: self.stop.clone(),
        };
        let task = self.tasks.spawn(task.run());
        self.sockets.insert(
            path.to_owned(),
            Socket {
                identity,
                signal,
                task,
            },
        );
    }

    fn removed(&mut self, path: &Path) {
        let Some(socket) = self.sockets.remove(path) else {
            return;
        };
        socket.signal.send_modify(|signal| signal.present = false);
        self.leaving.retain(|_, task| !task.is_finished());
        self.leaving.insert(path.to_owned(), socket.task);
    }
}

/// The kubelet ignores names that start with a dot.
fn hidden(path: &Path) -> bool {
    path.file_name()
        .map(OsStr::as_encoded_bytes)
        .is_some_and(|name| name.starts_with(b"."))
}
