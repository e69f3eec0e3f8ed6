//! Subresources: what follows the name of an object in a path.
//!
//! ```text
//! binding    pods/binding and the older bindings: a scheduler's decision
//! eviction   pods/eviction
//! log        pods/log
//! scale      the size of a deployment or replica set
//! token      serviceaccounts/token
//! ```
//!
//! `status` and `namespaces/finalize` are writes of a part of the object itself.

mod binding;
mod eviction;
mod finalize;
mod log;
mod scale;
mod token;

use axum::body::Body;

use crate::call::Call;
use crate::emulation;
use crate::failure::Failure;
use crate::respond::Answer;
use crate::verbs::update::Part;
use crate::verbs::{self, patch, update};

pub(crate) use binding::create_in_namespace as create_binding;

/// Runs a request about a subresource.
pub(crate) async fn dispatch(call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let name = call.target.subresource.unwrap_or_default();
    if let Some(why) = emulation::missing_subresource(name) {
        return Err(Failure::not_emulated(
            &format!("{}/{name}", call.kind.qualified),
            why,
        ));
    }
    let plural = call.kind.schema.plural.as_str();
    match (plural, name, call.method.as_str()) {
        (_, "status", method) if call.kind.store.has_status => match method {
            "GET" | "HEAD" => verbs::get(&call),
            "PUT" => update::part(call, body, Part::Status).await,
            "PATCH" => patch::part(call, body, Part::Status).await,
            _ => Err(not_supported(&call, name)),
        },
        ("pods", "binding", "POST") => binding::create(call, body).await,
        ("pods", "eviction", "POST") => eviction::create(call, body).await,
        ("pods", "log", "GET") => log::read(&call),
        ("namespaces", "finalize", "PUT") => finalize::update(call, body).await,
        ("serviceaccounts", "token", "POST") => token::create(call, body).await,
        ("deployments" | "replicasets", "scale", method) => match method {
            "GET" | "HEAD" => scale::get(&call),
            "PUT" => scale::update(call, body).await,
            "PATCH" => scale::patch(call, body).await,
            _ => Err(not_supported(&call, name)),
        },
        _ if call.kind.schema.subresource(name).is_some() => Err(not_supported(&call, name)),
        _ => Err(Failure::no_such_path()),
    }
}

fn not_supported(call: &Call<'_>, name: &str) -> Failure {
    let resource = format!("{}/{name}", call.kind.schema.plural);
    Failure::method_not_supported(&resource, &call.method.as_str().to_ascii_lowercase())
}
