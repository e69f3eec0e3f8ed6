//! The kubeconfig that reaches the server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// Name of cluster, user and context.
const NAME: &str = "drakit";

/// A kubeconfig as YAML. `ca_pem` is absent for plain HTTP, `token` where everybody may in.
pub(crate) fn render(server: &str, ca_pem: Option<&str>, token: Option<&str>) -> String {
    let mut cluster = Map::from_iter([("server".to_owned(), json!(server))]);
    if let Some(pem) = ca_pem {
        cluster.insert(
            "certificate-authority-data".into(),
            json!(STANDARD.encode(pem)),
        );
    }
    let user = token.map_or_else(|| json!({}), |token| json!({"token": token}));
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": NAME,
        "clusters": [{"name": NAME, "cluster": Value::Object(cluster)}],
        "users": [{"name": NAME, "user": user}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME, "namespace": "default"}}],
    });
    // JSON is YAML; a writer makes it pleasant to read, and its failure is not worth refusing to start.
    serde_saphyr::to_string(&config).unwrap_or_else(|_| config.to_string())
}
