//! The body of a watch.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use drakit_sim_store::{Object, Store, Watch, WatchEvent};
use futures::Stream;
use futures::stream;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::BOOKMARK_EVERY;
use super::frames::Frames;
use crate::failure::Failure;

/// Events that wait are sent in pieces of about this size.
const CHUNK: usize = 64 * 1024;

/// What a watch has to send.
#[derive(Debug)]
pub(crate) struct Feed {
    /// `None` once the store has ended the watch.
    watch: Option<Watch>,
    store: Store,
    frames: Frames,
    bookmarks: bool,
    /// Written and not yet sent.
    pending: Vec<u8>,
}

impl Feed {
    pub(crate) fn new(watch: Watch, store: Store, frames: Frames, bookmarks: bool) -> Self {
        Self {
            watch: Some(watch),
            store,
            frames,
            bookmarks,
            pending: Vec::new(),
        }
    }

    /// A watch that only says why it does not run.
    pub(crate) fn ended(store: Store, frames: Frames, why: &Failure) -> Self {
        let mut pending = Vec::new();
        Frames::error(&mut pending, why);
        Self {
            watch: None,
            store,
            frames,
            bookmarks: false,
            pending,
        }
    }

    /// An object of the initial state.
    pub(crate) fn added(&mut self, object: &Object) {
        self.frames.object(&mut self.pending, "ADDED", object);
    }

    /// The bookmark after the initial state.
    pub(crate) fn initial_events_end(&mut self, version: u64) {
        self.frames.bookmark(&mut self.pending, version, true);
    }

    /// Writes what has happened, up to a chunk. Returns whether anything may still come.
    fn drain(&mut self) {
        while self.pending.len() < CHUNK
            && let Some(event) = self.watch.as_mut().and_then(Watch::try_next)
        {
            self.write(&event);
        }
    }

    fn write(&mut self, event: &WatchEvent) {
        match event {
            WatchEvent::Change(change) => self.frames.change(&mut self.pending, change),
            WatchEvent::Progress(version) if self.bookmarks => {
                self.frames.bookmark(&mut self.pending, *version, false);
            }
            WatchEvent::Progress(_) => {}
        }
    }

    /// Writes a bookmark. Every change up to the version that is read first is queued already.
    fn bookmark(&mut self) {
        let version = self.store.version();
        while let Some(event) = self.watch.as_mut().and_then(Watch::try_next) {
            self.write(&event);
        }
        self.frames.bookmark(&mut self.pending, version, false);
    }

    /// The next piece; empty when the watch is over.
    async fn next(&mut self, bookmark_at: Instant) -> Vec<u8> {
        while self.pending.is_empty() {
            let Some(watch) = self.watch.as_mut() else {
                break;
            };
            tokio::select! {
                event = watch.next() => match event {
                    Some(event) => self.write(&event),
                    None => self.watch = None,
                },
                () = sleep_until(bookmark_at), if self.bookmarks => self.bookmark(),
            }
        }
        self.drain();
        std::mem::take(&mut self.pending)
    }
}

/// The body: pieces until the lifetime is over, the store ends the watch, or the server stops.
pub(crate) fn body(
    feed: Feed,
    lifetime: Duration,
    shutdown: CancellationToken,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let deadline = Instant::now() + lifetime;
    stream::unfold(Some(feed), move |feed| {
        let shutdown = shutdown.clone();
        async move {
            let mut feed = feed?;
            let bookmark_at = Instant::now() + BOOKMARK_EVERY;
            let piece = tokio::select! {
                // A cut-off watch is resumed by its client; a half-sent one must not be.
                biased;
                () = shutdown.cancelled() => return None,
                piece = feed.next(bookmark_at) => piece,
                () = sleep_until(deadline) => {
                    // Lets an idle client resume from here instead of from its last event.
                    if !feed.bookmarks {
                        return None;
                    }
                    feed.bookmark();
                    let last = std::mem::take(&mut feed.pending);
                    return Some((Ok(Bytes::from(last)), None));
                }
            };
            (!piece.is_empty()).then(|| (Ok(Bytes::from(piece)), Some(feed)))
        }
    })
}
