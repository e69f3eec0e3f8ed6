//! A line on standard error while something takes more than a second.

use std::future::Future;
use std::io::Write;
use std::time::{Duration, Instant};

use tokio::time::MissedTickBehavior;

/// How long something may be silent.
const SILENCE: Duration = Duration::from_secs(1);

/// Runs `work`; tells once a second that `what` is still going on.
pub(crate) async fn shown<T>(what: &str, work: impl Future<Output = T>) -> T {
    let start = Instant::now();
    let mut tick = tokio::time::interval_at((start + SILENCE).into(), SILENCE);
    // A busy machine tells late, not the same second several times.
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(work);
    loop {
        tokio::select! {
            result = &mut work => return result,
            _ = tick.tick() => line(&format!("{what} … {} s", start.elapsed().as_secs())),
        }
    }
}

/// One line for a person who watches; nobody misses it if standard error is closed.
pub(crate) fn line(text: &str) {
    let _written = writeln!(std::io::stderr().lock(), "{text}");
}
