//! YAML documents to objects.

use kube::core::DynamicObject;
use serde_json::Value;

/// Why a manifest is no list of objects.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Not YAML.
    #[error("{file}: not valid YAML: {message}")]
    Yaml {
        /// Where it came from.
        file: String,
        /// The parser's words.
        message: String,
    },
    /// A document is no Kubernetes object.
    #[error(
        "{file}: document {number} is no Kubernetes object (it needs apiVersion, kind and metadata.name): {message}"
    )]
    Object {
        /// Where it came from.
        file: String,
        /// Counted from 1.
        number: usize,
        /// What is wrong.
        message: String,
    },
}

/// Reads every document of a YAML (or JSON) file; `List` objects are unpacked.
///
/// # Errors
/// See [`ManifestError`].
pub fn parse(file: &str, text: &str) -> Result<Vec<DynamicObject>, ManifestError> {
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(text).map_err(|error| ManifestError::Yaml {
            file: file.to_owned(),
            message: error.to_string(),
        })?;
    let mut objects = Vec::new();
    for (index, document) in documents.into_iter().enumerate() {
        for value in unpack(document) {
            let object: DynamicObject =
                serde_json::from_value(value).map_err(|error| ManifestError::Object {
                    file: file.to_owned(),
                    number: index + 1,
                    message: error.to_string(),
                })?;
            if object.types.is_none()
                || object.metadata.name.is_none() && object.metadata.generate_name.is_none()
            {
                return Err(ManifestError::Object {
                    file: file.to_owned(),
                    number: index + 1,
                    message: "apiVersion, kind or metadata.name is missing".into(),
                });
            }
            objects.push(object);
        }
    }
    Ok(objects)
}

fn unpack(document: Value) -> Vec<Value> {
    let is_list = document.get("kind").and_then(Value::as_str) == Some("List");
    match document {
        Value::Null => Vec::new(),
        Value::Object(mut list) if is_list => match list.remove("items") {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        },
        other => vec![other],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_and_lists_become_objects() {
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n";
        let names: Vec<_> = parse("f", text)
            .unwrap()
            .into_iter()
            .map(|o| o.metadata.name.unwrap())
            .collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn a_document_without_a_kind_is_named() {
        let error = parse("f.yaml", "metadata: {name: a}")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("f.yaml: document 1 is no Kubernetes object"),
            "{error}"
        );
    }

    #[test]
    fn broken_yaml_names_the_file() {
        assert!(
            parse("f.yaml", "a: [")
                .unwrap_err()
                .to_string()
                .starts_with("f.yaml: not valid YAML")
        );
    }
}
