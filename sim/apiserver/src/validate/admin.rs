//! Admin access to devices, only in namespaces that allow it
//! (`pkg/registry/resource/utils.go`).

use drakit_api::{FieldError, FieldPath};
use drakit_sim_store::Key;
use drakit_sim_store::resource::NAMESPACES;
use serde_json::Value;

use crate::app::App;
use crate::catalogue::Kind;
use crate::verbs::write::text;

/// `DRAAdminNamespaceLabelKey`.
const LABEL: &str = "resource.kubernetes.io/admin-access";

/// A claim or template that asks for admin access.
pub(crate) fn requested(app: &App, kind: &Kind, value: &Value) -> Option<FieldError> {
    let requests = if kind.is("resource.k8s.io", "resourceclaims") {
        value.pointer("/spec/devices/requests")
    } else if kind.is("resource.k8s.io", "resourceclaimtemplates") {
        value.pointer("/spec/spec/devices/requests")
    } else {
        None
    };
    let index = first_with_access(requests, "/exactly/adminAccess")?;
    // Kubernetes names this path for templates too.
    let field = format!("spec.devices.requests[{index}].adminAccess");
    check(app, text(value, "namespace"), &field)
}

/// A claim status that grants admin access for the first time.
pub(crate) fn granted(app: &App, kind: &Kind, old: &Value, value: &Value) -> Option<FieldError> {
    const RESULTS: &str = "/status/allocation/devices/results";
    if !kind.is("resource.k8s.io", "resourceclaims")
        || first_with_access(old.pointer(RESULTS), "/adminAccess").is_some()
    {
        return None;
    }
    let index = first_with_access(value.pointer(RESULTS), "/adminAccess")?;
    let field = format!("status.allocation.devices.results[{index}].adminAccess");
    check(app, text(value, "namespace"), &field)
}

fn first_with_access(list: Option<&Value>, at: &str) -> Option<usize> {
    let granted = |item: &Value| item.pointer(at).and_then(Value::as_bool) == Some(true);
    list?.as_array()?.iter().position(granted)
}

fn check(app: &App, namespace: &str, field: &str) -> Option<FieldError> {
    let object = app.store.get(&NAMESPACES, &Key::cluster(namespace)).ok()?;
    if object.label(LABEL) == Some("true") {
        return None;
    }
    let why = format!(
        "admin access to devices requires the `{LABEL}: true` label on the containing namespace"
    );
    Some(FieldError::forbidden(&FieldPath::new(field), why))
}
