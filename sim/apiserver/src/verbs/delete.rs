//! `delete` and `deletecollection`.

use axum::body::Body;
use drakit_api::{FieldError, FieldPath};
use drakit_sim_schema::{FieldValidation, GroupVersionKind};
use drakit_sim_store::{DeleteOptions, Object, StoreError};
use http::StatusCode;
use serde_json::{Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::query::invalid_option;
use crate::respond::Answer;
use crate::selectors::Selection;
use crate::{body, encode, types};

/// Kinds whose delete answers with the object instead of a Status (`ReturnDeletedObject`).
const RETURNED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "namespaces",
            "persistentvolumeclaims",
            "persistentvolumes",
            "pods",
            "podtemplates",
            "resourcequotas",
            "serviceaccounts",
            "services",
        ],
    ),
    (
        "resource.k8s.io",
        &[
            "deviceclasses",
            "resourceclaims",
            "resourceclaimtemplates",
            "resourceslices",
        ],
    ),
];

/// Namespaces that live as long as the cluster (`NamespaceLifecycle` admission).
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

/// Options of one delete.
struct Options {
    store: DeleteOptions,
    dry_run: bool,
    /// `orphanDependents: false`, which asks for 202 while the object is still there.
    cascading: bool,
}

/// Deletes one object.
pub(crate) async fn one(mut call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let options = read_options(&mut call, body).await?;
    let key = call.key();
    if call.kind.is("", "namespaces") && IMMORTAL.contains(&key.name.as_str()) {
        let why = "this namespace may not be deleted";
        return Err(Failure::forbidden("namespaces", &key.name, why));
    }
    let store = call.store(options.dry_run);
    let (object, gone) = store.delete(&call.kind.store, &key, &options.store)?;
    let code = if !gone && options.cascading {
        StatusCode::ACCEPTED
    } else {
        StatusCode::OK
    };
    let bytes = if gone && !returns_object(&call) {
        success(&call, &object).to_string().into()
    } else {
        encode::object(&call, &object)?
    };
    Ok(Answer {
        warnings: call.warnings,
        ..Answer::json(code, bytes)
    })
}

/// Deletes every object that the selectors pass.
pub(crate) async fn collection(mut call: Call<'_>, body: Body) -> Result<Answer, Failure> {
    let options = read_options(&mut call, body).await?;
    let selection = Selection::read(&call)?;
    let store = call.store(options.dry_run);
    let (objects, version) = store.list(&call.kind.store, &selection.filter);
    for object in &objects {
        match store.delete(&call.kind.store, &object.key(), &options.store) {
            Ok(_) | Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let meta = json!({"resourceVersion": version.to_string()});
    Ok(Answer::json(
        StatusCode::OK,
        encode::list(&call, &objects, &meta)?,
    ))
}

fn returns_object(call: &Call<'_>) -> bool {
    RETURNED.iter().any(|(group, plurals)| {
        *group == call.kind.schema.group && plurals.contains(&call.kind.schema.plural.as_str())
    })
}

fn success(call: &Call<'_>, object: &Object) -> Value {
    let mut details = json!({
        "name": object.name(),
        "kind": call.kind.schema.plural,
        "uid": object.uid(),
    });
    if !call.kind.schema.group.is_empty() {
        details["group"] = json!(call.kind.schema.group);
    }
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    })
}

/// Reads options from the body, or from the query when there is none.
async fn read_options(call: &mut Call<'_>, body: Body) -> Result<Options, Failure> {
    let bytes = body::read(body).await?;
    let given = if bytes.is_empty() {
        query_options(call)?
    } else {
        let gvk = GroupVersionKind {
            group: String::new(),
            version: "v1".to_owned(),
            kind: "DeleteOptions".to_owned(),
        };
        types::decode(call, &gvk, &bytes, FieldValidation::Ignore)?
    };
    check(&given)?;
    let text = |at: &str| given.pointer(at).and_then(Value::as_str).map(str::to_owned);
    let orphan = given.get("orphanDependents").and_then(Value::as_bool);
    let policy = text("/propagationPolicy").or(match orphan {
        Some(true) => Some("Orphan".to_owned()),
        Some(false) => Some("Background".to_owned()),
        None => None,
    });
    Ok(Options {
        store: DeleteOptions {
            grace_period_seconds: given.get("gracePeriodSeconds").and_then(Value::as_i64),
            uid: text("/preconditions/uid"),
            resource_version: text("/preconditions/resourceVersion"),
            propagation_policy: policy,
        },
        dry_run: given
            .get("dryRun")
            .and_then(Value::as_array)
            .is_some_and(|d| !d.is_empty()),
        cascading: orphan == Some(false),
    })
}

fn query_options(call: &Call<'_>) -> Result<Value, Failure> {
    let mut options = json!({});
    if let Some(seconds) = call.query.number("gracePeriodSeconds")? {
        options["gracePeriodSeconds"] = json!(seconds);
    }
    if let Some(policy) = call.query.text("propagationPolicy") {
        options["propagationPolicy"] = json!(policy);
    }
    if let Some(orphan) = call.query.flag("orphanDependents") {
        options["orphanDependents"] = json!(orphan);
    }
    if call.query.dry_run("DeleteOptions")? {
        options["dryRun"] = json!(["All"]);
    }
    Ok(options)
}

/// `ValidateDeleteOptions`.
fn check(options: &Value) -> Result<(), Failure> {
    let path = FieldPath::new("propagationPolicy");
    let policy = options.get("propagationPolicy").and_then(Value::as_str);
    if policy.is_some() && options.get("orphanDependents").is_some() {
        let why = "orphanDependents and deletionPropagation cannot be both set";
        let error = FieldError::invalid(&path, policy.unwrap_or_default(), why);
        return Err(invalid_option("DeleteOptions", &error));
    }
    match policy {
        None | Some("Foreground" | "Background" | "Orphan") => Ok(()),
        Some(other) => {
            let supported = ["Foreground", "Background", "Orphan", "nil"];
            Err(invalid_option(
                "DeleteOptions",
                &FieldError::not_supported(&path, other, &supported),
            ))
        }
    }
}
