//! `list`, whole or in pages.

use std::sync::Arc;

use drakit_api::{FieldError, FieldPath};
use drakit_sim_store::Object;
use http::StatusCode;
use serde_json::{Value, json};

use crate::call::Call;
use crate::encode;
use crate::failure::Failure;
use crate::query::invalid_option;
use crate::respond::Answer;
use crate::selectors::Selection;

/// Answers a list.
pub(crate) fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    check_options(call)?;
    let selection = Selection::read(call)?;
    let limit = usize::try_from(call.query.number("limit")?.unwrap_or(0).max(0)).unwrap_or(0);
    let (objects, meta) = match call.query.text("continue") {
        None => first_page(call, &selection, limit)?,
        Some(token) => {
            let rest = call.app.pages.resume(token, &scope(call))?;
            page(&rest, limit, &selection)
        }
    };
    Ok(Answer::json(
        StatusCode::OK,
        encode::list(call, &objects, &meta)?,
    ))
}

type Page = (Vec<Arc<Object>>, Value);

fn first_page(call: &Call<'_>, selection: &Selection, limit: usize) -> Result<Page, Failure> {
    let (objects, version) = call.app.store.list(&call.kind.store, &selection.filter);
    let minimum = call.query.version()?.unwrap_or(0);
    if minimum > version {
        return Err(Failure::version_too_large(minimum, version));
    }
    if call.query.text("resourceVersionMatch") == Some("Exact") && minimum != version {
        // Old states are not kept; a real server forgets them by compaction.
        let message = format!("The resourceVersion for the provided list is too old: {minimum}");
        return Err(Failure::expired(message));
    }
    if limit == 0 || objects.len() <= limit {
        return Ok((objects, json!({"resourceVersion": version.to_string()})));
    }
    let rest = call.app.pages.keep(objects, version, scope(call));
    Ok(page(&rest, limit, selection))
}

fn page(rest: &super::pages::Rest, limit: usize, selection: &Selection) -> Page {
    let end = if limit == 0 {
        rest.objects.len()
    } else {
        rest.objects.len().min(rest.start + limit)
    };
    let objects = rest
        .objects
        .get(rest.start..end)
        .unwrap_or_default()
        .to_vec();
    let mut meta = json!({"resourceVersion": rest.version.to_string()});
    if end < rest.objects.len() {
        meta["continue"] = json!(rest.token(end));
        // Kubernetes cannot count what a selector will pass, and says nothing then.
        if selection.is_everything() {
            meta["remainingItemCount"] = json!(rest.objects.len() - end);
        }
    }
    (objects, meta)
}

/// What a continue token belongs to.
fn scope(call: &Call<'_>) -> String {
    format!(
        "{}/{}/{}/{}",
        call.kind.qualified,
        call.namespace(),
        call.query.text("labelSelector").unwrap_or_default(),
        call.query.text("fieldSelector").unwrap_or_default()
    )
}

/// `ValidateListOptions`.
fn check_options(call: &Call<'_>) -> Result<(), Failure> {
    let forbidden = |field: &str, why: &str| {
        Err(invalid_option(
            "ListOptions",
            &FieldError::forbidden(&FieldPath::new(field), why),
        ))
    };
    if call.query.flag("sendInitialEvents").is_some() {
        return forbidden(
            "sendInitialEvents",
            "sendInitialEvents is forbidden for list",
        );
    }
    let Some(rule) = call.query.text("resourceVersionMatch") else {
        return Ok(());
    };
    let field = "resourceVersionMatch";
    if call.query.text("continue").is_some() {
        return forbidden(
            field,
            "resourceVersionMatch is forbidden when continue is provided",
        );
    }
    match (rule, call.query.text("resourceVersion")) {
        (_, None) => forbidden(
            field,
            "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        ("Exact", Some("0")) => forbidden(
            field,
            "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        ),
        ("Exact" | "NotOlderThan", _) => Ok(()),
        (other, _) => {
            let supported = ["", "Exact", "NotOlderThan"];
            let error = FieldError::not_supported(&FieldPath::new(field), other, &supported);
            Err(invalid_option("ListOptions", &error))
        }
    }
}
