//! Tables against the printers of Kubernetes 1.37.2 (`golden/table.jsonl`, made on 2026-12-01
//! by `pkg/printers/internalversion` with the wide option).

use drakit_sim_schema::{GroupVersionKind, Schemas, table};
use serde_json::{Value, json};

#[test]
fn rows_and_columns_are_those_of_the_kubernetes_printers() {
    let schemas = Schemas::load().expect("vendored types");
    let now = "2026-12-01T12:00:00Z".parse().expect("a time");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("golden/table.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("a case per line");
        let text = |key: &str| case[key].as_str().expect("a text").to_owned();
        let gvk = GroupVersionKind::parse(&text("apiVersion"), &text("kind")).expect("a kind");
        let resource = schemas
            .resource_of_kind(&gvk.group, &gvk.version, &gvk.kind)
            .expect("a resource");
        let mut object = case["object"].clone();
        schemas.canonicalize(&gvk, &mut object);
        let cells = json!([table::cells(resource, &object, now)]);
        if cells != case["cells"] {
            wrong.push(format!(
                "{}\n  go   {}\n  here {cells}",
                text("name"),
                case["cells"]
            ));
        }
        let columns: Vec<Value> = table::columns(resource)
            .iter()
            .map(|column| {
                let (name, kind) = (column.name, column.kind);
                let (format, priority) = (column.format, column.priority);
                json!({ "name": name, "type": kind, "format": format, "priority": priority })
            })
            .collect();
        if json!(columns) != case["columns"] {
            wrong.push(format!(
                "{}\n  go   {}\n  here {}",
                text("name"),
                case["columns"],
                json!(columns)
            ));
        }
        count += 1;
    }
    assert!(count > 50, "the golden file is complete");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unknown_resources_show_their_name_and_creation() {
    let schemas = Schemas::load().expect("vendored types");
    let resource = schemas
        .resource("networking.k8s.io", "v1", "networkpolicies")
        .expect("a resource");
    let object =
        json!({ "metadata": { "name": "x", "creationTimestamp": "2026-01-02T03:04:05Z" } });
    let now = "2026-12-01T12:00:00Z".parse().expect("a time");
    assert_eq!(table::columns(resource).len(), 2);
    assert_eq!(
        table::cells(resource, &object, now),
        [json!("x"), json!("2026-01-02T03:04:05Z")]
    );
}
