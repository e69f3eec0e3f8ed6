//! `watch`: newline-delimited JSON events.
//!
//! ```text
//! options   what a watch starts with and how it ends
//! frames    events as bytes, spliced from the stored JSON
//! stream    store events -> frames -> body, until time or the server is up
//! ```

mod frames;
mod options;
mod stream;

use std::time::Duration;

use axum::body::Body;
use drakit_sim_store::{Filter, StoreError};

use crate::call::Call;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::selectors::Selection;

use frames::Frames;
use options::{Start, WatchOptions};
use stream::Feed;

/// A bookmark is due this long after the last event or bookmark (`bookmarkFrequency`).
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);

/// Answers a watch of a collection.
pub(crate) fn run(call: Call<'_>) -> Result<Answer, Failure> {
    let options = WatchOptions::read(&call)?;
    let selection = Selection::read(&call)?;
    let frames = Frames::new(&call)?;
    let feed = begin(&call, &options, &selection.filter, frames)?;
    let body = stream::body(feed, options.lifetime, call.app.shutdown.clone());
    let mut answer = Answer::stream(Body::from_stream(body));
    answer.warnings = call.warnings;
    Ok(answer)
}

/// Subscribes, and puts into the feed what is sent first.
fn begin(
    call: &Call<'_>,
    options: &WatchOptions,
    filter: &Filter,
    frames: Frames,
) -> Result<Feed, Failure> {
    let resource = &call.kind.store;
    let store = call.app.store.clone();
    match options.start {
        Start::State { marked } => {
            let (objects, watch) = store.list_and_watch(resource, filter);
            let reached = watch.started_at();
            if options.minimum > reached {
                return Err(Failure::version_too_large(options.minimum, reached));
            }
            let mut feed = Feed::new(watch, store, frames, options.bookmarks);
            for object in &objects {
                feed.added(object);
            }
            if marked {
                feed.initial_events_end(reached);
            }
            Ok(feed)
        }
        Start::After(version) => match store.watch(resource, filter, version) {
            Ok(watch) => Ok(Feed::new(watch, store, frames, options.bookmarks)),
            Err(StoreError::Expired { requested, oldest }) => {
                // The cacher answers 200 and one event, since watches are negotiated before they start.
                let gone =
                    Failure::expired(format!("too old resource version: {requested} ({oldest})"));
                Ok(Feed::ended(store, frames, &gone))
            }
            Err(other) => Err(other.into()),
        },
    }
}
