//! Values as Go's `%v` prints them: they are in some error texts of Kubernetes.

use serde_json::Value;

/// `map[a:1 b:[x y]]`; keys sorted, as Go does.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(value) => value.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(entries) => {
            let mut entries: Vec<String> = entries
                .iter()
                .map(|(key, entry)| format!("{key}:{}", self::value(entry)))
                .collect();
            entries.sort();
            format!("map[{}]", entries.join(" "))
        }
    }
}
