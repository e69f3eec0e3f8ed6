//! `pods/log`: what a container has written (`pkg/registry/core/pod/strategy.go`, `LogLocation`).

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use drakit_sim_store::resource::PODS;
use drakit_sim_store::{Key, Object, Store};
use futures::stream;
use serde_json::Value;

use crate::call::Call;
use crate::config::{LogError, PodLogs};
use crate::failure::Failure;
use crate::respond::Answer;
use tokio_util::sync::CancellationToken;

/// How often a followed log is looked at.
const FOLLOW_EVERY: Duration = Duration::from_millis(200);

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        match error {
            LogError::NotStarted(text) => Self::bad_request(text),
            LogError::NotFound(text) => Self {
                message: text,
                ..Self::not_found("pods", "")
            },
        }
    }
}

/// Answers `GET pods/NAME/log`.
pub(crate) fn read(call: &Call<'_>) -> Result<Answer, Failure> {
    let pod = call.app.store.get(&PODS, &call.key())?;
    let container = container(&pod, call.query.text("container"))?;
    if call.query.flag("previous") == Some(true) {
        return Err(Failure::bad_request(format!(
            "previous terminated container {container:?} in pod {:?} not found",
            pod.name()
        )));
    }
    if pod.str_at(&["spec", "nodeName"]).is_empty() {
        // kubectl shows this as an empty log, as a real server answers for a pending pod.
        return Ok(Answer::text(""));
    }
    let text = call.app.logs.log(pod.namespace(), pod.name(), &container)?;
    let shown = cut(
        &text,
        call.query.number("tailLines")?,
        call.query.number("limitBytes")?,
    )
    .to_owned();
    if call.query.flag("follow") != Some(true) {
        return Ok(Answer::text(shown));
    }
    let follow = Follow {
        logs: call.app.logs.clone(),
        store: call.app.store.clone(),
        shutdown: call.app.shutdown.clone(),
        key: pod.key(),
        uid: pod.uid().to_owned(),
        container,
        seen: text.len(),
        first: Some(shown),
    };
    let mut answer = Answer::stream(Body::from_stream(stream::unfold(follow, Follow::next)));
    answer.content_type = "text/plain; charset=utf-8";
    Ok(answer)
}

/// The container that is asked for, or the only one.
fn container(pod: &Object, wanted: Option<&str>) -> Result<String, Failure> {
    let names = |field: &str| -> Vec<&str> {
        let list = pod
            .at(&["spec", field])
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        list.iter()
            .filter_map(|c| c.get("name").and_then(Value::as_str))
            .collect()
    };
    let (main, init) = (names("containers"), names("initContainers"));
    match (wanted, main.as_slice()) {
        (Some(name), _) if main.contains(&name) || init.contains(&name) => Ok(name.to_owned()),
        (Some(name), _) => Err(Failure::bad_request(format!(
            "container {name} is not valid for pod {}",
            pod.name()
        ))),
        (None, [only]) => Ok((*only).to_owned()),
        (None, _) => {
            let init = if init.is_empty() {
                String::new()
            } else {
                format!(" or one of the init containers: [{}]", init.join(" "))
            };
            Err(Failure::bad_request(format!(
                "a container name must be specified for pod {}, choose one of: [{}]{init}",
                pod.name(),
                main.join(" ")
            )))
        }
    }
}

/// The last lines, and of these the first bytes.
fn cut(text: &str, tail_lines: Option<i64>, limit_bytes: Option<i64>) -> &str {
    let mut shown = text;
    if let Some(lines) = tail_lines.and_then(|n| usize::try_from(n).ok()) {
        let body = shown.strip_suffix('\n').unwrap_or(shown);
        let start = if lines == 0 {
            shown.len()
        } else {
            body.rmatch_indices('\n')
                .nth(lines - 1)
                .map_or(0, |(at, _)| at + 1)
        };
        shown = &shown[start..];
    }
    if let Some(limit) = limit_bytes
        .and_then(|n| usize::try_from(n).ok())
        .filter(|l| *l < shown.len())
    {
        let whole = (0..=limit).rev().find(|at| shown.is_char_boundary(*at));
        shown = &shown[..whole.unwrap_or(0)];
    }
    shown
}

/// A log that is sent as it grows, until its pod is over.
struct Follow {
    logs: Arc<dyn PodLogs>,
    store: Store,
    shutdown: CancellationToken,
    key: Key,
    uid: String,
    container: String,
    /// Bytes that were sent or skipped.
    seen: usize,
    first: Option<String>,
}

impl Follow {
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if let Some(first) = self.first.take().filter(|text| !text.is_empty()) {
            return Some((Ok(Bytes::from(first)), self));
        }
        loop {
            // The state before the text, so that the last lines of a pod are not lost.
            let over = self.over();
            let text = self
                .logs
                .log(&self.key.namespace, &self.key.name, &self.container)
                .unwrap_or_default();
            if let Some(new) = text.get(self.seen..).filter(|new| !new.is_empty()) {
                self.seen = text.len();
                return Some((Ok(Bytes::from(new.to_owned())), self));
            }
            if over {
                return None;
            }
            tokio::select! {
                () = self.shutdown.cancelled() => return None,
                () = tokio::time::sleep(FOLLOW_EVERY) => {}
            }
        }
    }

    fn over(&self) -> bool {
        self.store.get(&PODS, &self.key).map_or(true, |pod| {
            pod.uid() != self.uid
                || matches!(pod.str_at(&["status", "phase"]), "Succeeded" | "Failed")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn the_tail_counts_lines_and_the_limit_counts_bytes() {
        let text = "a\nb\nc\n";
        assert_eq!(cut(text, Some(2), None), "b\nc\n");
        assert_eq!(cut(text, Some(9), None), text);
        assert_eq!(cut(text, Some(0), None), "");
        assert_eq!(cut(text, None, Some(3)), "a\nb");
        assert_eq!(cut("é", None, Some(1)), "");
    }
}
