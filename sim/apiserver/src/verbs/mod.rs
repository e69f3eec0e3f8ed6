//! The verbs: create, get, list, update, patch, delete, deletecollection; watch has its own folder.
//!
//! ```text
//! dispatch   method and path -> verb
//! options    options that writes share
//! body       reading options from a body or the query
//! pages      continue tokens
//! write      what create, update and patch do with an object before it is stored
//! ```

use axum::body::Body;
use http::{Method, StatusCode};

use crate::call::Call;
use crate::encode;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::{subresources, watch};

pub(crate) mod apply;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod options;
pub(crate) mod pages;
pub(crate) mod patch;
pub(crate) mod update;
pub(crate) mod write;

/// Runs the verb that the method and the path ask for.
pub(crate) async fn dispatch(call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    if call.target.subresource.is_some() {
        return subresources::dispatch(call, body).await;
    }
    let single = call.target.name.is_some();
    let verb = verb(call.method, single, call.query.flag("watch") == Some(true));
    let Some(verb) = verb.filter(|verb| call.kind.allows(verb)) else {
        return Err(call.not_supported(verb.unwrap_or("method")));
    };
    match verb {
        "get" => get(&call),
        "list" => list::run(&call),
        "watch" => watch::run(call),
        "create" => create::run(call, body).await,
        "update" => update::run(call, body).await,
        "patch" => patch::run(call, body).await,
        "delete" => delete::one(call, body).await,
        _ => delete::collection(call, body).await,
    }
}

/// The verb of a request (`requestinfo.go`).
fn verb(method: &Method, single: bool, watch: bool) -> Option<&'static str> {
    Some(match (method.as_str(), single) {
        ("GET" | "HEAD", true) => "get",
        ("GET" | "HEAD", false) if watch => "watch",
        ("GET" | "HEAD", false) => "list",
        ("POST", false) => "create",
        ("PUT", true) => "update",
        ("PATCH", true) => "patch",
        ("DELETE", true) => "delete",
        ("DELETE", false) => "deletecollection",
        _ => return None,
    })
}

/// One object.
pub(crate) fn get(call: &Call<'_>) -> Result<Answer, Failure> {
    let object = call.app.store.get(&call.kind.store, &call.key())?;
    let minimum = call.query.version()?.unwrap_or(0);
    let current = call.app.store.version();
    if minimum > current {
        return Err(Failure::version_too_large(minimum, current));
    }
    Ok(Answer::json(StatusCode::OK, encode::object(call, &object)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_and_a_path_make_a_verb() {
        assert_eq!(verb(&Method::GET, false, true), Some("watch"));
        assert_eq!(verb(&Method::GET, true, false), Some("get"));
        assert_eq!(
            verb(&Method::DELETE, false, false),
            Some("deletecollection")
        );
        assert_eq!(verb(&Method::POST, true, false), None);
    }
}
