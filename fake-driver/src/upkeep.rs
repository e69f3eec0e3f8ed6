//! Background work of a driver process.

use std::time::Duration;

use drakit_api::k8s::api::resource::v1::DeviceClass;
use drakit_driver_publisher::create_missing_classes;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::observer::Observer;

/// First comparison of prepared claims with the API server: after the
/// kubelet's own loop (60 s) had its chance to unprepare them.
const FIRST_RECONCILE: Duration = Duration::from_secs(90);
/// Time between comparisons.
const RECONCILE_EVERY: Duration = Duration::from_secs(600);
/// A kubelet that watches the folder comes within a second or two.
const CONTACT_LIMIT: Duration = Duration::from_secs(30);
/// First and longest wait before DeviceClasses are tried again.
const CLASS_RETRY: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));

/// Unprepares claims that do not exist any more (UNP-09), now and then.
pub(crate) async fn reconcile(observer: Observer, shutdown: CancellationToken) {
    let mut next = Instant::now() + FIRST_RECONCILE;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = sleep_until(next) => {}
        }
        for plugin in observer.plugins.iter() {
            tokio::select! {
                () = shutdown.cancelled() => return,
                result = plugin.reconcile() => if let Err(error) = result {
                    let identity = plugin.identity();
                    tracing::warn!(driver = %identity.driver, node = %identity.node, %error, "stale claim not unprepared");
                }
            }
        }
        next += RECONCILE_EVERY;
    }
}

/// Says so when no kubelet comes: the folder is probably not the one that it
/// watches.
pub(crate) async fn watch_contact(observer: Observer, shutdown: CancellationToken) {
    tokio::select! {
        () = shutdown.cancelled() => return,
        () = tokio::time::sleep(CONTACT_LIMIT) => {}
    }
    let waiting = observer
        .plugins
        .iter()
        .filter(|plugin| !plugin.status().contacted);
    let mut waiting = waiting.peekable();
    if let Some(first) = waiting.peek() {
        let socket = first.registration_socket().display().to_string();
        tracing::warn!(
            %socket, plugins = waiting.count(),
            "no kubelet asked at the registration socket yet; is this the folder that it watches?"
        );
    }
}

/// Creates missing DeviceClasses; tries until it works.
pub(crate) async fn ensure_classes(
    client: kube::Client,
    classes: Vec<DeviceClass>,
    shutdown: CancellationToken,
) {
    let mut delay = CLASS_RETRY.0;
    let mut last = String::new();
    loop {
        let tried = tokio::select! {
            () = shutdown.cancelled() => return,
            tried = create_missing_classes(client.clone(), &classes) => tried,
        };
        match tried {
            Ok(created) => {
                tracing::info!(created = created.len(), "device classes are there");
                return;
            }
            Err(error) => {
                let text = error.to_string();
                if text != last {
                    tracing::warn!(error = %text, "device classes not created; trying again");
                    last = text;
                }
            }
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(delay) => delay = (delay * 2).min(CLASS_RETRY.1),
        }
    }
}
